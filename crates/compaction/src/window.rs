use std::collections::BTreeSet;
use std::ops::Range;

use crate::lists::place;
use crate::vocabulary::{Token, read};

/// The stretch of a text that is quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Its bytes.
    pub(crate) bytes: Range<usize>,
    /// Its terms.
    pub(crate) terms: BTreeSet<u32>,
}

/// Looks for the best stretches of texts.
#[derive(Debug)]
pub(crate) struct Windows<'a> {
    worth: &'a [u64],
    bytes_max: usize,
    /// How often each term stands in the stretch that is looked at.
    counts: Vec<u32>,
}

impl<'a> Windows<'a> {
    /// For terms that are worth so much, and stretches of at most so many bytes.
    pub(crate) fn new(worth: &'a [u64], bytes_max: usize) -> Windows<'a> {
        Windows { worth, bytes_max, counts: vec![0; worth.len()] }
    }

    /// The stretch of whole words whose distinct terms are worth most, the first of equal
    /// ones; all of a text that is short enough.
    ///
    /// Cost: linear in the words.
    pub(crate) fn best(&mut self, text: &str, tokens: &[Token]) -> Window {
        let bytes = if text.len() <= self.bytes_max {
            let start = text.len() - text.trim_start().len();
            start..text.trim_end().len().max(start)
        } else {
            let best = self.heaviest(tokens);
            best.start..self.with_stop(read(text), best)
        };
        let inside =
            |token: &&Token| bytes.contains(&place(token.start)) && place(token.end) <= bytes.end;
        let terms = tokens.iter().filter(inside).map(|token| token.term).collect();
        Window { bytes, terms }
    }

    fn heaviest(&mut self, tokens: &[Token]) -> Range<usize> {
        let (mut best, mut best_worth) = (0..0, 0);
        let (mut first, mut worth) = (0, 0_u64);
        for (last, token) in tokens.iter().enumerate() {
            worth += self.enter(*token);
            while let Some(start) = tokens.get(first).filter(|_| first < last)
                && place(token.end) - place(start.start) > self.bytes_max
            {
                worth -= self.leave(*start);
                first += 1;
            }
            if worth > best_worth
                && let Some(start) = tokens.get(first)
            {
                (best, best_worth) = (place(start.start)..place(token.end), worth);
            }
        }
        for token in tokens.iter().skip(first) {
            self.leave(*token);
        }
        best
    }

    /// The worth that a word adds to the stretch.
    fn enter(&mut self, token: Token) -> u64 {
        let Some(count) = self.counts.get_mut(place(token.term)) else { return 0 };
        *count += 1;
        if *count == 1 { self.of(token) } else { 0 }
    }

    /// The worth that is gone with a word of the stretch.
    fn leave(&mut self, token: Token) -> u64 {
        let Some(count) = self.counts.get_mut(place(token.term)) else { return 0 };
        *count = count.saturating_sub(1);
        if *count == 0 { self.of(token) } else { 0 }
    }

    fn of(&self, token: Token) -> u64 {
        self.worth.get(place(token.term)).copied().unwrap_or_default()
    }

    /// Where the stretch ends with the stop behind it, if that fits.
    fn with_stop(&self, text: &str, bytes: Range<usize>) -> usize {
        let stop = text.as_bytes().get(bytes.end).filter(|byte| b".!?".contains(byte));
        bytes.end + usize::from(stop.is_some() && bytes.len() < self.bytes_max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vocabulary::Vocabulary;

    fn check(text: &str, worth: &[u64], bytes_max: usize, expected: &str) {
        let vocabulary = Vocabulary::of(&[text]);
        let window = Windows::new(worth, bytes_max).best(text, vocabulary.tokens(0));
        assert_eq!(&text[window.bytes], expected, "{text}");
    }

    #[test]
    fn the_heaviest_words_are_quoted() {
        check(" a b \n", &[1, 1], 6, "a b");
        check("a a a a b c.", &[5, 3, 3], 5, "a b c");
        check("a a a b. c c", &[5, 3, 1], 4, "a b.");
        check("a a a b. c c", &[5, 3, 1], 3, "a b");
        check("a b a b", &[2, 2], 3, "a b");
        check("  ", &[], 1, "");
    }

    proptest! {
        #[test]
        fn no_stretch_is_worth_more(
            text in "([abcd]{1,3}[ .]{1,2}){0,20}",
            worth in proptest::collection::vec(1..9_u64, 60),
            bytes_max in 3..20_usize,
        ) {
            let vocabulary = Vocabulary::of(&[&text]);
            let tokens = vocabulary.tokens(0);
            let mut windows = Windows::new(&worth, bytes_max);
            let window = windows.best(&text, tokens);
            prop_assert!(window.bytes.len() <= bytes_max);
            prop_assert!(windows.counts.iter().all(|count| *count == 0));
            let sum = |terms: &BTreeSet<u32>| terms.iter().map(|term| worth[place(*term)]).sum::<u64>();
            let mut most = 0;
            for first in 0..tokens.len() {
                for last in first..tokens.len() {
                    if place(tokens[last].end - tokens[first].start) <= bytes_max {
                        let terms = tokens[first..=last].iter().map(|token| token.term).collect();
                        most = sum(&terms).max(most);
                    }
                }
            }
            prop_assert_eq!(sum(&window.terms), most);
        }
    }
}
