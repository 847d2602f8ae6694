//! The native half of the Python package `memlith`.
//!
//! A call takes plain values and returns its answer as JSON, which the Python half makes a
//! dataclass of. The interpreter's lock is released while a ledger is at work.

mod answers;
mod arbiter;
mod error;
mod memory;
mod native;
