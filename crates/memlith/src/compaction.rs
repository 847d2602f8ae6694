//! Summaries of what is over: the plan, its rules, and what a compaction did.

pub use crate::compacting::{CompactOptions, Compacted};
pub use crate::summaries::SummariesAudit;
pub use memlith_compaction::*;
