//! Receiver of what a verb says, where that is not a person or a program at the process's ends.

use std::fmt::Debug;
use std::path::Path;

use anyhow::Result;
use memlith::{Ledger, Options};
use serde_json::Value;

/// Origin of the words in a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Only this program's.
    Ours,
    /// Stored ones too: a model must not take them for ours.
    Stored,
}

/// A server that runs verbs for its clients, in one process and on one handle of each ledger.
pub trait Listener: Debug {
    /// The folder that the client works in.
    fn folder(&self) -> &Path;

    /// A clone of the handle of the ledger in the folder `dir`.
    ///
    /// # Errors
    /// Those of the first opening.
    fn open(&self, dir: &Path, options: Options) -> Result<Ledger>;

    /// Takes a verb's answer, as JSON and as text for people.
    fn answer(&self, json: Value, text: String);

    /// Takes what a verb says beside its answer.
    fn note(&self, text: String, words: Words);
}
