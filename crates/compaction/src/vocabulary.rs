use std::cmp::Ordering;

use crate::lists::{Lists, number, place};
use crate::words::{push_lower, words};

/// The terms of the texts of a span: what stands where, and in how many texts.
///
/// A term is a word in lower case. Its number is its place in byte order among all terms of
/// the span: sorted and not hashed, so nobody can choose words that are slow to look up.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// The words of each text, in order.
    tokens: Vec<Vec<Token>>,
    /// The texts in which each term stands, ascending, each once.
    pub(crate) texts: Lists,
    /// The terms of each text, ascending, each once.
    pub(crate) terms: Lists,
}

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The byte it begins at.
    pub(crate) start: u32,
    /// The byte behind it.
    pub(crate) end: u32,
    /// Which term it is.
    pub(crate) term: u32,
}

/// Bytes of a text that are read; what stands behind them is neither weighed nor quoted.
pub(crate) const READ_BYTES_MAX: usize = 8 << 10;

/// Bytes of a word that are compared at once.
const HEAD_BYTES: usize = 16;

/// Where a word stands, before it has a number.
#[derive(Clone, Copy)]
struct Occurrence {
    /// The first sixteen bytes of the word, the first one highest: all of most words.
    head: u128,
    at: u32,
    len: u32,
    text: u32,
    token: u32,
}

impl Vocabulary {
    /// Takes texts apart, each up to [`READ_BYTES_MAX`].
    ///
    /// Cost: n log n in the words.
    pub(crate) fn of(texts: &[&str]) -> Vocabulary {
        let mut found = Vec::new();
        let mut lower = String::new();
        let mut tokens: Vec<Vec<Token>> = Vec::with_capacity(texts.len());
        for (text, of) in texts.iter().zip(0_u32..) {
            let read = read(text);
            let mut of_text = Vec::new();
            words(read, &mut |start, end| {
                let at = lower.len();
                push_lower(read.get(start..end).unwrap_or_default(), &mut lower);
                let word = lower.as_bytes().get(at..).unwrap_or_default();
                let (at, len) = (number(at), number(word.len()));
                let token = number(of_text.len());
                found.push(Occurrence { head: head(word), at, len, text: of, token });
                of_text.push(Token { start: number(start), end: number(end), term: 0 });
            });
            tokens.push(of_text);
        }
        // What of a word isn't in its head. No word has a zero in it, so heads of short words
        // are equal where the words are.
        let rest = |one: &Occurrence| {
            let range = place(one.at)..place(one.at).saturating_add(place(one.len));
            let word = lower.as_bytes().get(range).unwrap_or_default();
            word.get(HEAD_BYTES..).unwrap_or_default()
        };
        let short = |one: &Occurrence| place(one.len) <= HEAD_BYTES;
        found.sort_unstable_by(|one, other| {
            let heads = one.head.cmp(&other.head);
            let places = || (one.text, one.token).cmp(&(other.text, other.token));
            if heads != Ordering::Equal || short(one) && short(other) {
                return heads.then_with(places);
            }
            rest(one).cmp(rest(other)).then_with(places)
        });
        let same = |one: &Occurrence, other: &Occurrence| {
            one.head == other.head && (short(one) && short(other) || rest(one) == rest(other))
        };
        let mut lists = Lists::default();
        for (group, term) in found.chunk_by(same).zip(0_u32..) {
            for one in group {
                let token =
                    tokens.get_mut(place(one.text)).and_then(|of| of.get_mut(place(one.token)));
                if let Some(token) = token {
                    token.term = term;
                }
            }
            let texts = group.chunk_by(|one, other| one.text == other.text);
            lists.push(texts.filter_map(|of_text| of_text.first().map(|one| one.text)));
        }
        let by_text = lists.pairs().map(|(term, text)| (text, term));
        let terms = Lists::by_number(texts.len(), by_text);
        Vocabulary { tokens, texts: lists, terms }
    }

    /// The words of a text, in order.
    pub(crate) fn tokens(&self, text: u32) -> &[Token] {
        self.tokens.get(place(text)).map_or(&[], Vec::as_slice)
    }

    /// How many words all texts have.
    pub(crate) fn words(&self) -> usize {
        self.tokens.iter().map(Vec::len).sum()
    }
}

/// The part of a text that is read: its first [`READ_BYTES_MAX`] bytes, in whole characters.
pub(crate) fn read(text: &str) -> &str {
    text.get(..text.floor_char_boundary(READ_BYTES_MAX)).unwrap_or(text)
}

fn head(word: &[u8]) -> u128 {
    let mut bytes = [0; HEAD_BYTES];
    bytes.iter_mut().zip(word).for_each(|(byte, of_word)| *byte = *of_word);
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Finds and numbers the words by maps of strings, to compare with.
    fn naive(texts: &[&str]) -> Vec<Vec<(usize, usize, usize)>> {
        let mut all = Vec::new();
        for text in texts {
            let mut found = Vec::new();
            words(text, &mut |start, end| {
                found.push((start, end, text[start..end].to_lowercase()))
            });
            all.push(found);
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        all.iter().flatten().for_each(|(_, _, word)| {
            numbers.insert(word, 0);
        });
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let numbered = all.iter().map(|of| {
            of.iter().map(|(start, end, word)| (*start, *end, numbers[word.as_str()])).collect()
        });
        numbered.collect()
    }

    proptest! {
        #[test]
        fn words_are_numbered_in_byte_order(
            texts in proptest::collection::vec("[abAB\u{e9} ,]{0,40}|(amuchlongerword[ab]{0,3} ){0,4}", 0..6)
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = Vocabulary::of(&texts);
            let expected = naive(&texts);
            for (text, expected) in expected.iter().enumerate() {
                let tokens = found.tokens(number(text));
                let tokens: Vec<_> = tokens.iter().map(|token| (place(token.start), place(token.end), place(token.term))).collect();
                prop_assert_eq!(&tokens, expected);
                let mut terms: Vec<u32> = expected.iter().map(|token| number(token.2)).collect();
                terms.sort_unstable();
                terms.dedup();
                prop_assert_eq!(found.terms.of(number(text)), &terms[..]);
                for term in terms {
                    prop_assert!(found.texts.of(term).contains(&(number(text))));
                }
            }
            prop_assert_eq!(found.texts.pairs().count(), found.terms.pairs().count());
        }
    }

    #[test]
    fn a_text_is_read_up_to_its_limit() {
        let long = "ab ".repeat(READ_BYTES_MAX);
        assert_eq!(Vocabulary::of(&[&long]).words(), READ_BYTES_MAX / 3 + 1);
    }
}
