//! Worth of the words of a span's items.
//!
//! An item hands its weight out to its distinct terms, a rare one getting more; what a term
//! is worth is what all items gave it. Quoting a term covers it for all of them. So the worth
//! of covered terms is the salience of the span that the quotes speak of, whoever said it.

use std::ops::Range;

use crate::lists::{Lists, number, place};
use crate::vocabulary::Vocabulary;
use crate::window::Windows;

/// The items of a span with what their words are worth.
#[derive(Debug)]
pub(crate) struct Coverage {
    /// How much each item counts: [`crate::weight`].
    pub(crate) weights: Vec<u64>,
    /// The worth of each term.
    pub(crate) worth: Vec<u64>,
    /// How rare each term is: 1 where all items have it.
    pub(crate) rarity: Vec<u32>,
    /// The sum of each item's terms' rarities.
    pub(crate) rarities: Vec<u64>,
    /// The items that have each term.
    pub(crate) having: Lists,
    /// The excerpt of each item: its bytes.
    pub(crate) excerpts: Vec<Range<usize>>,
    /// The terms of each item's excerpt, ascending, each once.
    pub(crate) shown: Lists,
    /// The items whose excerpts show each term.
    pub(crate) showing: Lists,
    /// The words of all items.
    pub(crate) words: usize,
}

impl Coverage {
    /// The coverage of items with these texts and weights, with excerpts of so many bytes.
    ///
    /// Cost: n log n in the words.
    pub(crate) fn of(texts: &[&str], weights: Vec<u64>, excerpt_bytes: usize) -> Coverage {
        let vocabulary = Vocabulary::of(texts);
        let terms = vocabulary.texts.len();
        let numbers = 0..number(terms);
        let rarity: Vec<u32> =
            numbers.map(|term| rarity(texts.len(), vocabulary.texts.of(term).len())).collect();
        let of_term = |term: u32| rarity.get(place(term)).copied().unwrap_or(1);
        let mut rarities = Vec::with_capacity(texts.len());
        let mut worth = vec![0_u64; terms];
        for (weight, item) in weights.iter().zip(0_u32..) {
            let own = vocabulary.terms.of(item);
            let sum: u64 = own.iter().map(|term| u64::from(of_term(*term))).sum();
            for term in own {
                if let Some(worth) = worth.get_mut(place(*term)) {
                    *worth += share(*weight, of_term(*term), sum);
                }
            }
            rarities.push(sum);
        }
        let mut windows = Windows::new(&worth, excerpt_bytes);
        let (mut excerpts, mut shown) = (Vec::with_capacity(texts.len()), Lists::default());
        for (text, item) in texts.iter().zip(0_u32..) {
            let window = windows.best(text, vocabulary.tokens(item));
            shown.push(window.terms);
            excerpts.push(window.bytes);
        }
        let showing = Lists::by_number(terms, shown.pairs().map(|(item, term)| (term, item)));
        let words = vocabulary.words();
        let having = vocabulary.texts;
        Coverage { weights, worth, rarity, rarities, having, excerpts, shown, showing, words }
    }
}

/// How rare a term is that `having` of `all` items have: one more than the halvings from all
/// of them to those.
///
/// Source: inverse document frequency (Sparck Jones 1972), in whole bits.
pub(crate) fn rarity(all: usize, having: usize) -> u32 {
    1 + (all / having.max(1)).max(1).ilog2()
}

/// The part of an item's weight that a term of this rarity gets; at least 1.
pub(crate) fn share(weight: u64, rarity: u32, rarities: u64) -> u64 {
    (weight * u64::from(rarity) / rarities.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarity_counts_halvings() {
        let found = [(8, 8), (8, 5), (8, 4), (8, 1), (1, 1), (4_096, 1), (0, 0)];
        assert_eq!(found.map(|(all, having)| rarity(all, having)), [1, 1, 2, 4, 1, 13, 1]);
    }

    #[test]
    fn a_weight_goes_to_the_terms_by_their_rarity() {
        // "a" is of both items, rarity 1; the others of one, rarity 2.
        let coverage = Coverage::of(&["a b", "a c"], vec![300, 600], 64);
        assert_eq!(coverage.rarity, [1, 2, 2]);
        assert_eq!(coverage.worth, [100 + 200, 200, 400]);
        assert_eq!((share(1, 1, 100), share(0, 1, 0)), (1, 1));
    }
}
