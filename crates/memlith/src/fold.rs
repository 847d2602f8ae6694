//! State: folded from the log, kept in checkpoints, folded again.

pub(crate) mod checkpoint;
pub(crate) mod digest;
pub(crate) mod replay;
pub(crate) mod span;
pub(crate) mod state;
pub(crate) mod stride;
