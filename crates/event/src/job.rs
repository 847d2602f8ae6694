use memlith_log::{Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Taught, Text};

/// The life of a job of write-back: what the turns of one session taught.
///
/// The session is the envelope's. A job is named by the record that queued it first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEvent<'a> {
    /// Turns of a session wait to be looked at.
    Queued(Queued),
    /// A worker took a job, for a while.
    Attempted(#[serde(borrow)] Attempted<'a>),
    /// An extractor replied, in words that are not checked yet.
    Replied(#[serde(borrow)] Replied<'a>),
    /// Everything that a job taught is written down.
    Applied(Applied),
    /// An attempt failed; it is tried again, or never.
    Failed(#[serde(borrow)] Failed<'a>),
    /// The job was told of a way of doing something, or saw one.
    Taught(#[serde(borrow)] Taught<'a>),
}

/// Turns that wait to be looked at.
///
/// It adds to the session's job that no worker has taken yet, if there is one; otherwise it is a
/// job of its own. Over a range of a dead job it gives that another life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Queued {
    /// The first record of the range; those of other sessions in it are none of the job's.
    pub first: Seq,
    /// The last one.
    pub last: Seq,
    /// When it is due: more turns may come until then.
    pub due: Timestamp,
}

/// A worker's claim on a job.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attempted<'a> {
    /// The job.
    pub job: Seq,
    /// The extractor's name.
    #[serde(borrow)]
    pub extractor: Text<'a>,
    /// When the claim ends, whatever became of the worker.
    pub until: Timestamp,
}

/// Reply of an extractor: kept, so that a further attempt applies the same.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Replied<'a> {
    /// The job.
    pub job: Seq,
    /// The reply as it came, at most 64 KiB of it.
    #[serde(borrow)]
    pub reply: Text<'a>,
}

/// Numbers of what a job taught. The memories rest on the turns, not on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Applied {
    /// The job.
    pub job: Seq,
    /// Memories that were written, or said again by this.
    pub memories: u32,
    /// Procedures that were proposed, or given evidence.
    pub procedures: u32,
    /// Whether an outcome was reported.
    pub outcome: bool,
    /// Items that an extractor named and that were left out.
    pub dropped: u32,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Failed<'a> {
    /// The job.
    pub job: Seq,
    /// The reason of the failure, in the engine's words.
    #[serde(borrow)]
    pub reason: Text<'a>,
    /// When it is tried again; never where `None`: the job is dead.
    pub retry_at: Option<Timestamp>,
}

impl JobEvent<'_> {
    /// The job that an event after the first is about.
    #[must_use]
    pub fn job(&self) -> Option<Seq> {
        match self {
            JobEvent::Queued(_) => None,
            JobEvent::Attempted(event) => Some(event.job),
            JobEvent::Replied(event) => Some(event.job),
            JobEvent::Applied(event) => Some(event.job),
            JobEvent::Failed(event) => Some(event.job),
            JobEvent::Taught(event) => Some(event.job),
        }
    }
}
