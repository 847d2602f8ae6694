//! Summaries of what is over: the plan, its rules, and what a compaction did.

pub use crate::prove::summaries::SummariesAudit;
pub use crate::write::compact::{CompactOptions, Compacted};
pub use memlith_compaction::*;
