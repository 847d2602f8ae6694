use serde::{Deserialize, Serialize};

use crate::Place;

/// Where a transcript can be read on from, without what stands before it.
///
/// Given as [`Options::from`](crate::Options::from) with an input that begins at
/// [`Resume::offset`], it yields what a reader of the whole file yields from there. It may be
/// lost: events are named by the transcript's own names, so a file that is read from its
/// beginning adds nothing twice. What a file refers to before that place is answered with
/// [`ImportError::BeforeResume`](crate::ImportError::BeforeResume); read it from its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    line: u64,
    offset: u64,
    context: Context,
}

/// The context that the lines before that place have told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Context {
    /// Of Claude Code: the chain that the prompt there belongs to, and the one it left.
    Chain { name: Option<String>, left: Option<String> },
    /// Of Codex: the session that the file is of.
    Session {
        id: String,
        directory: Option<String>,
        branch: Option<String>,
        parent: Option<String>,
    },
}

impl Resume {
    pub(crate) fn new(place: Place, context: Context) -> Resume {
        Resume { line: place.line, offset: place.offset, context }
    }

    /// The offset in bytes at which the input has to begin.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn place(&self) -> Place {
        Place { line: self.line, offset: self.offset }
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}
