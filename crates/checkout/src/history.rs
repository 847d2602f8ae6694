//! Values that held before: told where a question asks for them.

use memlith_event::{Event, MemoryEvent};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Memory};
use serde::Serialize;

use crate::bodies::read;
use crate::{Ask, View};

/// A value that a shown one took the place of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Former {
    /// The memory.
    pub id: RecordId,
    /// The beginning of its words; at most 160 bytes.
    pub text: String,
    /// When it was said.
    pub occurred_at: Timestamp,
    /// The first instant at which it no longer held.
    pub until: Timestamp,
}

/// Maximum number of former values told of one item.
const FORMER_MAX: usize = 3;

/// No more values are gone back over.
const STEPS_MAX: usize = 64;

/// Maximum length of the words told of each, in bytes.
const TEXT_MAX: usize = 160;

/// Words by which a question asks for what held before, or when that changed.
const CUES: [&str; 15] = [
    "before",
    "previously",
    "previous",
    "former",
    "formerly",
    "earlier",
    "original",
    "originally",
    "since",
    "until",
    "change",
    "changed",
    "changes",
    "history",
    "old",
];

/// Whether a question asks for what held before, or when that changed. English alone.
fn is_asked_for(query: &str) -> bool {
    let words = || query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let used_to =
        || words().zip(words().skip(1)).any(|(a, b)| is_same(a, "use", "used") && b == "to");
    words().any(|word| CUES.iter().any(|cue| word.eq_ignore_ascii_case(cue))) || used_to()
}

/// The past that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// The values that held last.
    Last,
    /// The values that held between two instants: the first of the days, and the first after them.
    Between(Timestamp, Timestamp),
}

impl Past {
    /// The past that `query`, asked at `now`, asks for, if it does: by a word or a past day.
    pub(crate) fn asked_for(query: &str, now: Timestamp) -> Option<Past> {
        let days = memlith_recall::past_days(query, now);
        let last = || is_asked_for(query).then_some(Past::Last);
        days.map(|(from, until)| Past::Between(from, until)).or_else(last)
    }

    /// Whether what held until `end` had ended before it.
    fn is_after(self, end: Timestamp) -> bool {
        matches!(self, Past::Between(from, _) if end <= from)
    }

    /// Whether what held from `begin` on had begun in it.
    fn is_reached(self, begin: Timestamp) -> bool {
        match self {
            Past::Last => true,
            Past::Between(_, until) => begin < until,
        }
    }
}

fn is_same(word: &str, one: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(one) || word.eq_ignore_ascii_case(other)
}

impl View<'_> {
    /// The values that the item at `seq` took the place of, directly or not, the last first:
    /// of `past` days those that held then, else the last ones.
    ///
    /// A value that was invalidated or erased, or lies outside of the scope, isn't told.
    pub(crate) fn former(&self, seq: Seq, past: Past, ask: &Ask<'_>) -> Vec<Former> {
        let (mut told, mut at) = (Vec::new(), seq);
        for _ in 0..STEPS_MAX {
            let ended = self.memory.ended_by(at).into_iter().filter(|end| end.at <= ask.now);
            let Some(last) = ended.max_by_key(|end| (end.at, end.row)) else { break };
            if past.is_after(last.at) {
                break;
            }
            let Some(former) = self.former_at(last.row, last.at, ask) else { break };
            at = last.row;
            let from = self.memory.assertion(at).map(|row| row.valid_from);
            told.extend(from.is_none_or(|from| past.is_reached(from)).then_some(former));
            if told.len() == FORMER_MAX {
                break;
            }
        }
        told
    }

    fn former_at(&self, row: Seq, until: Timestamp, ask: &Ask<'_>) -> Option<Former> {
        let item = self.memory.item(row).filter(|item| Memory::sees(ask.scope, item))?;
        if self.memory.authority(row, ask.now) != Some(Authority::Superseded) {
            return None;
        }
        let text = read(self.bodies, item.id, |body| {
            let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event else { return None };
            let end = memory.text.floor_char_boundary(TEXT_MAX.min(memory.text.len()));
            memory.text.get(..end).map(str::to_owned)
        });
        Some(Former { id: item.id, text: text.flatten()?, occurred_at: item.occurred_at, until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_of_the_past_is_told_from_one_of_today() {
        for asked in [
            "Which Postgres did we use before?",
            "Since when do we deploy on Fridays?",
            "What did the service use to be called?",
            "what CHANGED this week?",
        ] {
            assert!(is_asked_for(asked), "{asked}");
        }
        for plain in ["Which Postgres do we use?", "How is the sincerity of Ana?", "used cars", ""]
        {
            assert!(!is_asked_for(plain), "{plain}");
        }
    }
}
