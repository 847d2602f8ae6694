use memlith_log::Timestamp;
use memlith_threads::Descent;

use crate::candidate::Candidate;
use crate::excerpt::{EXCERPT_TOKENS_MAX, SHORT_TOKENS_MAX};
use crate::spoken::{Source, Spoken};
use crate::terms::Terms;
use crate::told::Telling;
use crate::walk::WHOLE_ITEMS;
use crate::{Bodies, Excerpt, TokenCounter, standing};

/// What the walk needs of a candidate's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) spoken: Spoken,
    /// The excerpt, to be compared with what is in the pack.
    pub(crate) telling: Telling,
    /// What is shown of it past the first items, where that was made ahead.
    pub(crate) brief: Option<Excerpt>,
}

/// Makes ready what a walk comes to later, on a second thread.
///
/// Invariants
/// 1. What is made ahead is what the walk would make, so no answer depends on it.
/// 2. A body that couldn't be read is not known here: the walk reads it again if it comes to
///    it, and only then something is wrong.
/// 3. No more is begun than a budget holds where a line has no more than [`LINE_TOKENS`] beside
///    its words.
#[derive(Debug)]
pub(crate) struct Ahead(Option<Descent<Option<Ready>>>);

/// Starting a thread takes as long as a few candidates.
const PAYS: usize = 12;

/// What a line has beside the words: quotation marks, source, day, citation.
const LINE_TOKENS: u32 = 16;

impl Ready {
    pub(crate) fn of(spoken: Spoken) -> Ready {
        let telling = Telling::of(&spoken.excerpt);
        Ready { spoken, telling, brief: None }
    }

    /// The same, with what is shown of it past the first items.
    fn with_brief(self, terms: &Terms, counter: &dyn TokenCounter) -> Ready {
        let brief = self.spoken.excerpt.shortened(SHORT_TOKENS_MAX, terms, counter);
        Ready { brief, ..self }
    }
}

impl Ahead {
    /// Begins with the last of the `candidates` that a pack of the budget surely comes to.
    ///
    /// Nothing is begun where that are few, or where bodies or counter are no other thread's.
    pub(crate) fn begin(
        candidates: &[Candidate],
        (room, now): (u32, Timestamp),
        bodies: &dyn Bodies,
        terms: &Terms,
        counter: &dyn TokenCounter,
    ) -> Ahead {
        let surely = candidates.get(..surely_read(room)).unwrap_or(candidates);
        if surely.len() < PAYS {
            return Ahead(None);
        }
        let Some((bodies, counter)) = bodies.apart().zip(counter.apart()) else {
            return Ahead(None);
        };
        let sources = Vec::from_iter(surely.iter().map(|one| Source::of(one, now)));
        let terms = terms.clone();
        Ahead(Some(Descent::begin(sources.len(), move |at| {
            let spoken = sources.get(at)?.read(&*bodies, &terms, &*counter)?;
            let ready = Ready::of(spoken);
            let later = at >= WHOLE_ITEMS;
            Some(if later { ready.with_brief(&terms, &*counter) } else { ready })
        })))
    }

    /// What was made of the candidate at this place; they are asked for in order.
    pub(crate) fn take(&self, at: usize) -> Option<Ready> {
        self.0.as_ref()?.take(at).flatten()
    }
}

/// The tokens that are left of a budget beside the longest pinned block there can be.
pub(crate) fn room(budget_tokens: u32, block: &[Candidate]) -> u32 {
    match block.is_empty() {
        true => budget_tokens,
        false => budget_tokens.saturating_sub(standing::TOKENS_MAX),
    }
}

/// Returns how many candidates are read, if there are as many, before the room is used up.
///
/// No excerpt is longer than the longest, and few lines have more than [`LINE_TOKENS`] beside it.
fn surely_read(room: u32) -> usize {
    let whole_items = u32::try_from(WHOLE_ITEMS).unwrap_or(u32::MAX);
    let (whole, short) = (EXCERPT_TOKENS_MAX + LINE_TOKENS, SHORT_TOKENS_MAX + LINE_TOKENS);
    let fit = match room.checked_sub(whole_items.saturating_mul(whole)) {
        Some(rest) => whole_items.saturating_add(rest / short),
        None => room / whole,
    };
    // One more is read to see that it doesn't fit.
    usize::try_from(fit).unwrap_or(usize::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests;
