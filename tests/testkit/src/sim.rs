//! A disk that can lose power, and processes that can die, all from a seed.
//!
//! What it assumes of a real one, and nothing more:
//!
//! - Processes see the cache: every write at once, whoever made it.
//! - Bytes and lengths become durable by a sync of their file; names by a sync of their
//!   folder; neither brings the other along. Until then a power cut may leave any of it:
//!   names without bytes, bytes without length, the second write without the first.
//! - A medium writes sectors of 512 bytes from the cache. A cut leaves each as it was
//!   after some of the writes, one after another. It may tear one, or leave anything in
//!   the bytes that were being changed; unchanged bytes stay (`docs/format.md` says so of
//!   the media a ledger may lie on).
//! - A failed sync gives up what waited for it: the bytes stay visible and are lost unless
//!   written again, or are taken back ([`FailedSync`]). Some of them may have got through.
//! - A killed process loses its locks and nothing else; a write it was in may be short.
//!   The boot's id changes with the power only.
//!
//! A run is recorded once ([`SimDisk::record`]); every [`Moment`] of it then yields any
//! number of crashes without running it again.

mod chance;
mod cut;
mod disk;
mod fault;
mod file;
mod image;
mod inode;
mod machine;
mod moment;
mod names;
mod operation;
mod storage;

#[cfg(test)]
mod tests;

pub use chance::Chance;
pub use cut::Cut;
pub use disk::SimDisk;
pub use fault::{At, Fault, FaultKind};
pub use inode::FailedSync;
pub use moment::{Moment, Progress};
pub use operation::OperationKind;
pub use storage::SimStorage;
