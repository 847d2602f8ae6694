use serde::{Deserialize, Serialize};

use crate::Text;

/// The life of a session. Bookkeeping: shown by `history`, not recalled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEvent<'a> {
    /// A session began.
    Started(#[serde(borrow)] SessionStarted<'a>),
    /// It ended; a later turn of it resumes it.
    Ended,
}

/// Where a session began. Its name stands in the envelope's scope.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionStarted<'a> {
    /// The program that held the session.
    #[serde(borrow)]
    pub tool: Text<'a>,
    /// The working directory.
    pub directory: Option<Text<'a>>,
    /// The branch that was checked out.
    pub branch: Option<Text<'a>>,
    /// The session that this one is a side chain or a sub-agent of.
    pub parent: Option<Text<'a>>,
    /// A title, where the source gives one.
    pub title: Option<Text<'a>>,
}
