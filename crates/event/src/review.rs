use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

use crate::Text;

/// What review said of memories that wait for it.
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

impl<'a> ReviewEvent<'a> {
    /// What was said of which memories, whichever way it came out.
    #[must_use]
    pub fn reviewed(&self) -> &Reviewed<'a> {
        match self {
            ReviewEvent::Accepted(reviewed)
            | ReviewEvent::Rejected(reviewed)
            | ReviewEvent::Deferred(reviewed) => reviewed,
        }
    }
}
