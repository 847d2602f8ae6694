use memlith_event::{Body, CompactionEvent, Event};
use memlith_log::{RecordId, Timestamp};
use memlith_salience::{Decimal, Log2};

use crate::bodies::read;
use crate::candidate::Candidate;
use crate::terms::Terms;
use crate::{Bodies, Excerpt, TokenCounter};

/// The part of a citation that an item's body gives, and what else needs no folded state.
///
/// Nothing of it depends on what is shown beside it, so any thread may make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spoken {
    /// The speaker of it; at most [`SPEAKER_CHARS_MAX`] characters of the name.
    pub(crate) speaker: String,
    /// The part of its words that is shown.
    pub(crate) excerpt: Excerpt,
    /// Records that it quotes, if it is a summary.
    pub(crate) quotes: Vec<RecordId>,
    /// Its salience at the instant of the query.
    pub(crate) salience: Decimal,
}

/// Facts that a [`Spoken`] is made from, beside the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    id: RecordId,
    level: Log2,
    now: Timestamp,
}

/// A name is no way around the budget.
const SPEAKER_CHARS_MAX: usize = 64;

impl Source {
    pub(crate) fn of(candidate: &Candidate, now: Timestamp) -> Source {
        Source { id: candidate.item.id, level: candidate.level, now }
    }

    /// Reads what the candidate gives, or `None` where its body can't be read or has no words.
    pub(crate) fn read(
        &self,
        bodies: &dyn Bodies,
        terms: &Terms,
        counter: &dyn TokenCounter,
    ) -> Option<Spoken> {
        read(bodies, self.id, |body| self.spoken(body, terms, counter)).flatten()
    }

    fn spoken(&self, body: &Body<'_>, terms: &Terms, counter: &dyn TokenCounter) -> Option<Spoken> {
        let text = body.event.item_text()?;
        Some(Spoken {
            speaker: body.envelope.actor.name.chars().take(SPEAKER_CHARS_MAX).collect(),
            excerpt: Excerpt::of(&text, terms, counter),
            quotes: quotes(&body.event),
            salience: self.level.shown(self.now),
        })
    }
}

fn quotes(event: &Event<'_>) -> Vec<RecordId> {
    let Event::Compaction(CompactionEvent::Summarised(summary)) = event else { return Vec::new() };
    summary.quotes.iter().map(|quote| quote.source).collect()
}
