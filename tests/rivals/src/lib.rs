//! The session of the reliability campaigns on another store.
//!
//! A text of the session is a row under the number of its step. An invalidation writes a
//! mark beside it, an erasure deletes it. What only Memlith has, a checkout and a
//! checkpoint, is a read. `outage --program FILE` drives the programs of this package.

#[path = "../../outage/src/session.rs"]
mod session;

mod store;

mod serve;

pub use serve::serve;
pub use store::Store;
