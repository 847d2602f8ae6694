use crate::analysis::needle_of;
use crate::question::QueryTerm;

/// The needles of a query's terms, looked for in texts all at once and in any case.
///
/// Cost: two steps a byte, and a comparison where two bytes begin a needle. An automaton takes
/// three times as many, and is built for a handful of words.
#[derive(Debug)]
pub(crate) struct Glance {
    needles: Vec<Vec<u8>>,
    /// For the low bits of a byte, which low bits the one before it may have: those of a letter
    /// are the same in either case.
    pairs: [u32; 32],
}

impl Glance {
    /// `None` where a text that has a term need not have any needle.
    pub(crate) fn of(terms: &[QueryTerm]) -> Option<Glance> {
        let needles: Vec<&str> = terms.iter().map(|term| needle_of(&term.term)).collect();
        // A number may be written with commas; a letter is in every text.
        let unsure =
            |needle: &&str| needle.len() < 2 || needle.starts_with(|c: char| c.is_ascii_digit());
        if needles.iter().any(|needle| !needle.is_ascii() || unsure(needle)) {
            return None;
        }
        let mut pairs = [0; 32];
        for needle in &needles {
            let [first, second, ..] = needle.as_bytes() else { return None };
            if let Some(firsts) = pairs.get_mut(low(*second)) {
                *firsts |= 1 << low(*first);
            }
        }
        let needles = needles.into_iter().map(|needle| needle.as_bytes().to_vec()).collect();
        Some(Glance { needles, pairs })
    }

    /// The last place in `text` where any needle stands and a word may begin.
    pub(crate) fn last_in(&self, text: &str) -> Option<usize> {
        let (mut left, mut firsts) = (text.as_bytes(), 0_u32);
        while let [rest @ .., first] = left {
            if firsts >> (first & 31) & 1 == 1 && self.begins(text, rest.len()) {
                return Some(rest.len());
            }
            firsts = self.pairs.get(low(*first)).copied().unwrap_or_default();
            left = rest;
        }
        None
    }

    /// Whether a needle stands in `text` at the byte `at`, and a word may begin there.
    #[cold]
    fn begins(&self, text: &str, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
        let text = text.as_bytes().get(at..).unwrap_or_default();
        // No word and no hump of one begins between two small letters.
        let small = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_lowercase);
        if small(before) && small(text.first()) {
            return false;
        }
        let begins = |needle: &Vec<u8>| {
            text.get(..needle.len()).is_some_and(|start| start.eq_ignore_ascii_case(needle))
        };
        self.needles.iter().any(begins)
    }
}

/// The bits that the cases of a letter have in common.
fn low(byte: u8) -> usize {
    usize::from(byte & 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn glance(terms: &[&str]) -> Option<Glance> {
        let term =
            |term: &&str| QueryTerm { term: (*term).to_owned(), tenths: 10, misspelt: false };
        Glance::of(&terms.iter().map(term).collect::<Vec<_>>())
    }

    #[test]
    fn what_may_be_written_otherwise_is_not_glanced_at() {
        for terms in [&["harbour", "7"][..], &["a"], &["die"], &["caf\u{e9}"], &["ab", "1,000"]] {
            assert!(glance(terms).is_none(), "{terms:?}");
        }
        assert!(glance(&[]).unwrap().last_in("harbour").is_none());
    }

    proptest! {
        #[test]
        fn it_finds_the_last_that_a_search_for_each_finds(
            text in "[a-dA-D .@`]{0,40}",
            terms in prop::collection::vec("[a-d]{3,5}|[a-d]\\.[a-d]{1,2}", 1..4),
        ) {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let (bytes, lower) = (text.as_bytes(), text.to_ascii_lowercase());
            let begins = |at: usize| {
                let small = |at: usize| bytes[at].is_ascii_lowercase();
                at == 0 || !small(at - 1) || !small(at)
            };
            let stands = |term: &&str, at: usize| lower[at..].starts_with(needle_of(term));
            let places = |term| (0..lower.len()).filter(move |at| stands(term, *at));
            let expected = terms.iter().filter_map(|term| places(term).filter(|at| begins(*at)).max());
            prop_assert_eq!(glance(&terms).unwrap().last_in(&text), expected.max());
        }
    }
}
