//! Erasure: bodies out of the files, and tombstones that keep them out.

pub(crate) mod erase;
pub(crate) mod tombstones;

pub use self::erase::Erasure;
pub use self::erase::{Erased, ErasureFilter};
pub use self::tombstones::Tombstones;
