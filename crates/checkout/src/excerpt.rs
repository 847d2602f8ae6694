use serde::Serialize;

use crate::TokenCounter;
use crate::passage::telling;
use crate::terms::{Place, Terms};

/// The part of an item's words that is shown; written as its place in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The words.
    #[serde(skip)]
    pub text: String,
    /// The first byte in the item's words.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The length of the item's words in bytes.
    #[serde(rename = "of")]
    pub whole_len: u32,
    /// The tokens of the excerpt.
    #[serde(skip)]
    pub tokens: u32,
}

/// No excerpt is longer, in tokens, whatever the budget.
///
/// Source: `docs/model.md`, "Checkout".
pub const EXCERPT_TOKENS_MAX: u32 = 120;

/// Nor is that of an item that comes after the first six of what answers.
///
/// Source: `docs/benchmarks.md`, "bench recall": packs of 1,000 tokens hold a twentieth more
/// gold turns and no fewer words of answers; shorter ones would hold fewer of these.
pub(crate) const SHORT_TOKENS_MAX: u32 = 22;

/// An excerpt is looked for in so much of a text.
const SEARCHED_BYTES: usize = 64 << 10;

/// A term is shown with at most so much of what stands before it, and with a third of the
/// excerpt: else it might not be shown itself.
const LEAD_BYTES: usize = 96;

/// A usual token.
const TOKEN_BYTES: usize = 4;

/// No counter has more bytes to a token.
const TOKEN_BYTES_MAX: usize = 32;

/// Weight of a term that stands in a text once; twice, half of it each.
const RARITY: usize = 1_000;

impl Excerpt {
    /// The excerpt of `text` for `terms`: all of it where it is short, else the place
    /// where most of the terms stand, those that are rare in the text before others,
    /// and the first of equal places.
    ///
    /// Cut where words end; a word longer than half an excerpt is cut between characters.
    pub(crate) fn of(text: &str, terms: &Terms, counter: &dyn TokenCounter) -> Excerpt {
        Excerpt::within(EXCERPT_TOKENS_MAX, text, terms, counter)
    }

    /// The part of a longer excerpt itself shown in at most `max` tokens: the sentences that
    /// tell most.
    pub(crate) fn shortened(
        &self,
        max: u32,
        terms: &Terms,
        counter: &dyn TokenCounter,
    ) -> Option<Excerpt> {
        if self.tokens <= max {
            return None;
        }
        let within = |text: &str| Excerpt::within(max, text, terms, counter);
        let range = telling(max, &self.text, terms, counter, &within);
        let part = Excerpt::range(&self.text, range.start, range.end, counter);
        let (start, end) =
            (self.start.saturating_add(part.start), self.start.saturating_add(part.end));
        Some(Excerpt { start, end, whole_len: self.whole_len, ..part })
    }

    fn within(max: u32, text: &str, terms: &Terms, counter: &dyn TokenCounter) -> Excerpt {
        if counter.count(text) <= max {
            return Excerpt::range(text, 0, text.len(), counter);
        }
        let longest = |text: &str, start| longest(max, text, start, counter);
        let searched = text.get(..text.floor_char_boundary(SEARCHED_BYTES)).unwrap_or(text);
        let lead = |text: &str, at| lead(max, text, at);
        let start = best_start(searched, &terms.places(searched), terms.len(), (&lead, &longest));
        let end = word_end(text, start, longest(text, start));
        let shown = text.get(start..end).unwrap_or_default();
        let start = start + (shown.len() - shown.trim_start().len());
        let end = end - (shown.len() - shown.trim_end().len());
        Excerpt::range(text, start, end.max(start), counter)
    }

    /// Whether it is all of the item's words.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.start == 0 && self.end == self.whole_len
    }

    fn range(text: &str, start: usize, end: usize, counter: &dyn TokenCounter) -> Excerpt {
        let shown = text.get(start..end).unwrap_or_default();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Excerpt {
            text: shown.to_owned(),
            start: offset(start),
            end: offset(end),
            whole_len: offset(text.len()),
            tokens: counter.count(shown),
        }
    }
}

/// Where an excerpt begins, or ends, that has to do with a place in a text.
type Edge<'a> = &'a dyn Fn(&str, usize) -> usize;

/// Where the excerpt begins that shows most.
fn best_start(
    text: &str,
    places: &[Place],
    terms: usize,
    (lead, longest): (Edge<'_>, Edge<'_>),
) -> usize {
    let mut counts = vec![0_usize; terms];
    for place in places {
        if let Some(count) = counts.get_mut(place.term) {
            *count += 1;
        }
    }
    let (mut best, mut best_worth) = (0, 0);
    for (index, first) in places.iter().enumerate() {
        let start = lead(text, first.at);
        let end = longest(text, start);
        let mut seen = vec![false; terms];
        let mut worth = 0;
        for place in places.iter().skip(index).take_while(|place| place.at < end) {
            if let Some(seen) = seen.get_mut(place.term).filter(|seen| !**seen) {
                *seen = true;
                worth += RARITY / counts.get(place.term).copied().unwrap_or(1).max(1);
            }
        }
        if worth > best_worth {
            (best, best_worth) = (start, worth);
        }
    }
    best
}

/// Where an excerpt of at most `max` tokens begins so that what stands at `at` can be
/// understood: its line, else its sentence, else some words before it.
fn lead(max: u32, text: &str, at: usize) -> usize {
    let third = usize::try_from(max).unwrap_or(usize::MAX).saturating_mul(TOKEN_BYTES) / 3;
    let earliest = text.floor_char_boundary(at.saturating_sub(LEAD_BYTES.min(third)));
    let before = text.get(earliest..at).unwrap_or_default();
    let sentence = [". ", "? ", "! "].iter().filter_map(|end| before.rfind(end)).max();
    let begins = before.rfind('\n').map(|found| found + 1).or(sentence.map(|found| found + 2));
    match begins {
        Some(begins) => earliest + begins,
        None if earliest == 0 => 0,
        // Up to and with the blank, of however many bytes: it is trimmed off.
        None => before.find(char::is_whitespace).map_or(at, |blank| earliest + blank),
    }
}

/// The farthest end of an excerpt of at most `max` tokens that begins at `start`.
fn longest(max: u32, text: &str, start: usize, counter: &dyn TokenCounter) -> usize {
    let fits = |end: usize| counter.count(text.get(start..end).unwrap_or_default()) <= max;
    let tokens = usize::try_from(max).unwrap_or(usize::MAX);
    let bound = text.floor_char_boundary(start.saturating_add(tokens * TOKEN_BYTES_MAX));
    if fits(bound) {
        return bound;
    }
    // `low` fits, `high` doesn't; both lie between characters.
    let (mut low, mut high) = (start, bound);
    loop {
        let middle = low + (high - low) / 2;
        let down = text.floor_char_boundary(middle);
        let at = if down > low { down } else { text.ceil_char_boundary(middle + 1) };
        if at >= high {
            return low;
        }
        if fits(at) {
            low = at;
        } else {
            high = at;
        }
    }
}

/// The end of the last whole word before `end`, if that leaves at least half.
fn word_end(text: &str, start: usize, end: usize) -> usize {
    let between =
        text.get(end..).and_then(|rest| rest.chars().next()).is_none_or(char::is_whitespace);
    if between {
        return end;
    }
    let shown = text.get(start..end).unwrap_or_default();
    let blank = shown.rfind(char::is_whitespace).filter(|blank| *blank >= shown.len() / 2);
    blank.map_or(end, |blank| start + blank)
}

#[cfg(test)]
mod tests;
