//! For tests: random histories, the laws that every projection obeys, a disk that fails.
//!
//! A history is any sequence of events, sensible or not: a fold is total, so nothing
//! here asks whether a command would have been allowed. The laws compare states row by
//! row, never by their encodings: a lossy encoder would pass the other way. [`sim`] is
//! the disk, with every crash and failure that a ledger has to survive; [`Watched`] tells a
//! test of what is done to any other.

#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "where it fails, its test does")]
mod fault_server;
mod history;
mod laws;
mod paired;
mod watched;

pub mod sim;

pub use fault_server::{Answer, FaultServer, Request};
pub use history::{History, histories};
pub use laws::{rows, transparent, undisturbed_by_runs};
pub use paired::Paired;
pub use watched::{Touch, Watched};
