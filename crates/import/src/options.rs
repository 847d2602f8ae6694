use std::fmt;
use std::sync::Arc;

use memlith_event::Scope;
use memlith_log::Timestamp;

use crate::{IgnoredFiles, Resume};

/// How an input is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The scope of the events. Importers set the session, and of `locomo` the subject,
    /// so that no dialogue sees another.
    pub scope: Scope<'static>,
    /// The highest tier an item may have, where the source is trusted less than fully.
    pub tier_cap: Option<u8>,
    /// The instant against which the age of a session's last line is measured. Without it
    /// a session ends only where the source says that it is over; a ledger takes its own
    /// clock instead.
    pub now: Option<Timestamp>,
    /// Where the input begins, if that is not the beginning of its file; of Claude Code and
    /// Codex.
    pub from: Option<Resume>,
    /// When nothing was to be captured, and of which sessions: what happened then is left out.
    pub withheld: Vec<Withheld>,
    /// The files that are not captured; of Claude Code and Codex.
    pub ignored: Option<IgnoredFiles>,
    /// The owner of what happened in a folder, where a session may move between projects; of Claude
    /// Code and Codex. [`Options::scope`] says it where absent.
    pub whose: Option<Whose>,
    /// The meaning of the input's end.
    pub end: InputEnd,
    /// The longest line that is read, in bytes; a longer one is stepped over without
    /// being held.
    pub line_max_bytes: usize,
    /// The longest document that is read, in bytes; a document is held whole.
    pub document_max_bytes: usize,
}

/// The owner of what happened in a folder: the subject of its scope, or nobody here.
#[derive(Clone)]
pub struct Whose(Arc<SubjectOf>);

type SubjectOf = dyn Fn(&str) -> Option<Option<String>> + Send + Sync;

impl Whose {
    /// Asks `subject_of` about each folder: the subject, absent where the scope has none; `None`
    /// where what happened there belongs to another ledger, and is left out.
    #[must_use]
    pub fn new(
        subject_of: impl Fn(&str) -> Option<Option<String>> + Send + Sync + 'static,
    ) -> Whose {
        Whose(Arc::new(subject_of))
    }

    pub(crate) fn subject_of(&self, folder: &str) -> Option<Option<String>> {
        (self.0)(folder)
    }
}

impl fmt::Debug for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Whose")
    }
}

/// A time of which nothing is taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// The session, with those of its sub-agents; every one where absent.
    pub session: Option<String>,
    /// The first instant.
    pub from: Timestamp,
    /// The first instant behind it; none where it goes on.
    pub until: Option<Timestamp>,
}

impl Withheld {
    /// Whether what happened in `session` at `at` is left out.
    pub(crate) fn has(&self, session: &str, at: Timestamp) -> bool {
        let base = session.split('/').next().unwrap_or(session);
        self.session.as_deref().is_none_or(|named| named == base)
            && self.from <= at
            && self.until.is_none_or(|until| at < until)
    }
}

/// The meaning of a transcript's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputEnd {
    /// A session is over where its last line is old, or says so.
    #[default]
    ByAge,
    /// The program is at work: more will come.
    Growing,
    /// The program said by other means that all sessions of the input are over.
    Over,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scope: Scope::tenant("default"),
            tier_cap: None,
            now: None,
            from: None,
            withheld: Vec::new(),
            ignored: None,
            whose: None,
            end: InputEnd::default(),
            line_max_bytes: 32 << 20,
            document_max_bytes: 256 << 20,
        }
    }
}
