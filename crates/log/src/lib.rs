//! The log of a ledger: an append-only, hash-chained sequence of records.

mod digest;
mod seq;
mod timestamp;
mod wire;

pub use digest::{Digest, LedgerId, ParseIdError, RecordId};
pub use seq::Seq;
pub use timestamp::{ParseTimestampError, Timestamp};
