//! Items that a write ended, and the command that takes each back.

use memlith::read::{Ended, EndedHow};
use serde::Serialize;

use crate::context::Context;
use crate::plain::plain;

/// An item that a write ended, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct EndedJson {
    #[serde(flatten)]
    ended: Ended,
    undo: Option<String>,
}

/// So much of an item's words is repeated.
const WORDS_CHARS: usize = 80;

/// Maximum number of items told to people.
const TOLD_MAX: usize = 20;

impl EndedJson {
    pub(crate) fn of(ended: Ended, context: &Context) -> EndedJson {
        let undo = match (ended.how, &ended.text) {
            (EndedHow::Replaced, _) => Some(vec!["undo".to_owned(), ended.by.to_string()]),
            (EndedHow::Invalidated, _) => Some(vec!["undo".to_owned(), ended.id.to_string()]),
            (EndedHow::Settled, Some(text)) => Some(vec!["remember".to_owned(), text.clone()]),
            (EndedHow::Settled, None) | (EndedHow::Moot, _) => None,
        };
        EndedJson { undo: undo.map(|words| context.command(words)), ended }
    }

    /// Tells in words what ended, and how to take it back.
    fn told(&self) -> String {
        let words = plain(self.ended.text.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
        let did = if self.ended.how == EndedHow::Moot { "made moot" } else { "ended" };
        let undo = match &self.undo {
            Some(undo) => format!("take it back with `{undo}`"),
            None => "it waited for review, and the new one says the same".to_owned(),
        };
        format!("{did} {}: \"{words}\"; {undo}", self.ended.id)
    }
}

/// Says on standard error what ended.
pub(crate) fn note(ended: &[EndedJson], context: &Context) {
    for one in ended.iter().take(TOLD_MAX) {
        context.note_stored(one.told());
    }
    if let Some(more) = ended.len().checked_sub(TOLD_MAX).filter(|more| *more > 0) {
        context.note(format_args!("and {more} more; --json lists all of them"));
    }
}
