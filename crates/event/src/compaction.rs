use std::fmt::Write;

use memlith_log::{Digest, RecordId, Seq};
use serde::{Deserialize, Serialize};

use crate::Text;

/// Events of compaction, whose summaries stand for parts of the log; the log itself keeps all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionEvent<'a> {
    /// A span was summarised. The summary rests on what the envelope's links say, and an
    /// earlier one that shares items with it is superseded.
    Summarised(#[serde(borrow)] Summarised<'a>),
}

/// A summary of a closed span: whose words it quotes, and what it was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summarised<'a> {
    /// The version of the way summaries are made.
    pub algorithm: u16,
    /// Its identity: BLAKE3 over the record hashes of its sources.
    pub id: Digest,
    /// The identity of the span: the same over all its primary items.
    pub span: Digest,
    /// The sequence of the span's first primary item.
    pub first: Seq,
    /// The sequence of the span's last primary item.
    pub last: Seq,
    /// The quotes, in the order of choice.
    #[serde(borrow)]
    pub quotes: Vec<Quote<'a>>,
    /// The names that its sources mention, by kind and text.
    pub mentions: Vec<Mention<'a>>,
    /// How many items of the span are no sources, by the code of the reason.
    pub left_out: Vec<(u8, u32)>,
}

/// The words of a source that stand for others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote<'a> {
    /// The source.
    pub source: RecordId,
    /// The first byte of the excerpt in the source's text.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// The excerpt, word for word.
    #[serde(borrow)]
    pub text: Text<'a>,
}

/// Something that a source names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention<'a> {
    /// The sort of thing that is named.
    pub kind: IdentityKind,
    /// Its name, as it is written.
    #[serde(borrow)]
    pub text: Text<'a>,
}

/// Sort of thing that a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentityKind {
    /// The session that the source is of.
    Session,
    /// The entity of a memory's slot.
    Entity,
    /// A file, a folder or an address: `src/main.rs`, `notes.md`, `https://host/page`.
    Path,
    /// A word with a digit and a letter, a `#` and a digit, or the look of an identifier:
    /// `ABC-123`, `#42`, `retry_budget`, `queue::Worker`, `maxRecords`.
    Id,
    /// A word in capitals, or one with a capital that doesn't begin a sentence.
    Name,
}

impl Summarised<'_> {
    /// Returns the text of the summary: see [`quoted`].
    #[must_use]
    pub fn text(&self) -> String {
        quoted(self.quotes.iter().map(|one| (one.source, one.text.as_str())))
    }
}

/// A line for each quote, in the order of the log: the id of its source, then its own words.
///
/// White space within a quote is a blank here, and so is a control character: nobody's words
/// can begin a line and pass for an id.
pub fn quoted<'q>(quotes: impl Iterator<Item = (RecordId, &'q str)>) -> String {
    let mut sorted: Vec<(RecordId, &str)> = quotes.collect();
    sorted.sort_unstable_by_key(|(source, _)| *source);
    let mut out = String::new();
    for (source, text) in sorted {
        // Writing to a string can't fail.
        let _ = write!(out, "{source}:");
        let parts = text.split(|c: char| c.is_whitespace() || c.is_control());
        for part in parts.filter(|part| !part.is_empty()) {
            out.push(' ');
            out.push_str(part);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_a_line_for_each_quote() {
        let id = |seq| RecordId { seq: Seq(seq), hash: [9; 6] };
        let quotes = [(id(12), "c\u{7}\nmem_1_000000000000: d"), (id(3), " a  b ")];
        let expected = "mem_3_090909090909: a b\nmem_12_090909090909: c mem_1_000000000000: d\n";
        assert_eq!(quoted(quotes.into_iter()), expected);
    }
}
