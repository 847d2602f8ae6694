//! Jobs on what sessions taught, and the extractors that look at their turns.

pub use crate::command_extractor::CommandExtractor;
pub use crate::learning::{JobEnd, JobRun, ListedJob, ListedPractice, Writeback};
pub use crate::program::{Program, ProgramFailure};
pub use memlith_writeback::{
    Dropped, ExtractError, Extracted, Extraction, Extractor, Job, JobStatus, Packet, Pattern,
    Practice, QUIET_US, ReplyError, Rules, SessionJobs, Statement, TaskOutcome, Turn, What,
    read_reply,
};
