use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

use crate::{Closing, Text};

/// Verdict of review on memories that wait for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewEvent<'a> {
    /// They were taken in.
    ///
    /// The decision that stands before it in its batch sets the ends; what a memory
    /// displaces, and what it corrects, are the envelope's links.
    Accepted(#[serde(borrow)] Reviewed<'a>),
    /// They were refused, for good.
    Rejected(Reviewed<'a>),
    /// They were looked at, and go on waiting.
    Deferred(Reviewed<'a>),
    /// The result of a decision was taken back.
    RolledBack(RolledBack<'a>),
}

/// Which memories were reviewed, and why it came out so.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reviewed<'a> {
    /// The memories, ascending, each once.
    pub targets: Vec<RecordId>,
    /// Why.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

/// A memory that was taken back, and what goes on without it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RolledBack<'a> {
    /// The memories, ascending, each once.
    pub targets: Vec<RecordId>,
    /// The ends that no longer hold, ascending by row.
    pub opened: Vec<Closing>,
    /// The ends that hold instead, ascending by row.
    pub closings: Vec<Closing>,
    /// Why.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

impl ReviewEvent<'_> {
    /// The memories that it is about.
    #[must_use]
    pub fn targets(&self) -> &[RecordId] {
        match self {
            ReviewEvent::Accepted(reviewed)
            | ReviewEvent::Rejected(reviewed)
            | ReviewEvent::Deferred(reviewed) => &reviewed.targets,
            ReviewEvent::RolledBack(event) => &event.targets,
        }
    }
}
