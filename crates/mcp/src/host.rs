use std::fmt::Debug;
use std::path::Path;

use serde_json::Value;

/// Something that a verb says beside its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text of the note.
    pub text: String,
    /// Whether stored words are in it.
    pub is_stored: bool,
}

/// The result of a verb.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answered {
    /// Its answer, as `--json` prints it.
    pub json: Value,
    /// Its answer in text.
    pub text: String,
    /// Notes beside the answer.
    pub notes: Vec<Note>,
    /// Whether there is something that its caller has to look at: a write that waits for
    /// review, or only disputes.
    pub has_findings: bool,
}

/// A verb was not done; the text says why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    /// Why, and what to do.
    pub what: String,
}

/// The program that the server is a part of: it runs verbs.
pub trait Host: Debug + Send + Sync + 'static {
    /// Runs the verb that `words` are, for a client that works in `folder`.
    ///
    /// Called by many threads at once; blocks.
    ///
    /// # Errors
    /// The words are no verb, or the verb is refused or fails.
    fn run(&self, folder: &Path, words: &[String]) -> Result<Answered, Refused>;
}
