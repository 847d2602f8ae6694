use memlith_event::{Actor, CheckoutId, Hints, Key, Purpose, Rank, Scope, is_unseen};
use memlith_log::{Seq, Timestamp};
use memlith_recall::ModelVector;
use memlith_text::is_first_person;

use crate::find::End;
use crate::{Error, TokenCounter};

/// A question, the one who asks it, and the instant.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The question in its own words, secrets already redacted; at most 64 KiB.
    pub query: &'a str,
    /// The asker, by name: whom "I" and "my" mean. Empty where nobody is named.
    pub asker: &'a str,
    /// For whom it is asked: decides which items there are.
    pub scope: &'a Scope<'a>,
    /// The instant for which salience and validity are computed.
    pub now: Timestamp,
    /// A vector of what is asked, where the one who asks has one.
    pub vector: Option<&'a ModelVector>,
}

/// A checkout to be made.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The identity of the checkout: random, one for each.
    pub checkout: CheckoutId,
    /// The question, the one who asks it, and the instant.
    pub ask: Ask<'a>,
    /// The purpose of the pack.
    pub purpose: Purpose,
    /// Hints at what the asker is doing, each of at most 256 bytes: what has to do with them
    /// comes a little earlier.
    pub hints: Option<&'a Hints<'a>>,
    /// The most tokens of the pack as [`crate::for_prompt`] gives it to a model, with all that
    /// stands around the words; at least 1.
    pub budget_tokens: u32,
    /// The number of items that are shown however little they answer, as far as the budget
    /// goes.
    pub min_items: u32,
    /// The sequence asked for with as-of; the view is that of its batch end.
    pub as_of: Option<Seq>,
    /// Counts the tokens of the pack.
    pub counter: &'a dyn TokenCounter,
}

/// The longest query, in bytes: it stands in every receipt.
const QUERY_BYTES_MAX: usize = 64 << 10;

/// The longest hint, in bytes: it stands in every receipt, and is a search of its own.
const HINT_BYTES_MAX: usize = 256;

impl Ask<'_> {
    /// The one who asks, where the question is about themselves and they have a name.
    pub(crate) fn of_oneself(&self) -> Option<Key> {
        let named = !self.asker.is_empty() && is_first_person(self.query);
        named.then(|| Actor::new(self.asker, Rank::User).key())
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if is_unseen(self.query) {
            return Err(Error::EmptyQuery);
        }
        if self.query.len() > QUERY_BYTES_MAX {
            return Err(Error::QueryTooLong { found: self.query.len(), max: QUERY_BYTES_MAX });
        }
        Ok(())
    }
}

impl Request<'_> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.ask.check()?;
        if self.budget_tokens == 0 {
            return Err(Error::ZeroBudget);
        }
        for (name, hint) in self.hints.into_iter().flat_map(Hints::each) {
            if is_unseen(hint) {
                return Err(Error::EmptyHint { name });
            }
            if hint.len() > HINT_BYTES_MAX {
                return Err(Error::HintTooLong { name, found: hint.len(), max: HINT_BYTES_MAX });
            }
        }
        Ok(())
    }

    pub(crate) fn end(&self) -> End<'_> {
        End { purpose: self.purpose, hints: self.hints }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_needs_something_visible() {
        let scope = Scope::default();
        let check = |query| {
            Ask { query, asker: "", scope: &scope, now: Timestamp(0), vector: None }.check()
        };
        for empty in ["", "  \n", "\u{200b}", "\u{e0041}\u{e0042}", "\u{7}"] {
            assert_eq!(check(empty), Err(Error::EmptyQuery), "{empty:?}");
        }
        assert_eq!(check("?"), Ok(()));
        let found = QUERY_BYTES_MAX + 1;
        let long = "a".repeat(found);
        assert_eq!(check(&long), Err(Error::QueryTooLong { found, max: QUERY_BYTES_MAX }));
        assert_eq!(check(&long[1..]), Ok(()));
    }
}
