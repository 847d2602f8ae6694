use std::collections::BTreeSet;
use std::ops::Range;

use memlith_recall::is_stop_word;
use unicode_segmentation::UnicodeSegmentation;

use crate::terms::{Terms, words};
use crate::{Excerpt, TokenCounter};

/// A sentence of a text.
struct Sentence {
    start: usize,
    end: usize,
}

/// Weight of a word that is neither a stop word nor of the query, once a sentence.
///
/// Source, with the numbers below: ADR 0030.
const WORD: u64 = 2;

/// Weight of a word of the query, or of a number, or of a name inside a sentence.
const TELLING_WORD: u64 = 4;

/// A question asks for what another item tells.
const QUESTION_DIVISOR: u64 = 2;

/// Beside stop words, what contractions leave and what only greets or agrees, in byte order.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "ain", "aren", "awesome", "cool", "couldn", "d", "didn", "doesn", "don", "glad", "good",
    "great", "hadn", "hasn", "haven", "isn", "ll", "love", "m", "nice", "re", "s", "shouldn",
    "sound", "sounds", "t", "thank", "thanks", "ve", "wasn", "weren", "won", "wouldn", "wow",
];

/// Where the whole sentences stand that tell most in at most `max` tokens, the first of equal
/// ones and of those the shortest; of one sentence that is longer, what `within` shows of it.
///
/// Source: `docs/model.md`, "Checkout", "Excerpt". Cost: counts the tokens of each run of
/// sentences that fits.
pub(crate) fn telling(
    max: u32,
    text: &str,
    terms: &Terms,
    counter: &dyn TokenCounter,
    within: &dyn Fn(&str) -> Excerpt,
) -> Range<usize> {
    let sentences = sentences(text);
    let whole = || part(text, &Sentence { start: 0, end: text.len() }, within);
    if sentences.len() < 2 {
        return whole();
    }
    let told: Vec<u64> = sentences.iter().map(|one| worth_of(one.of(text), terms)).collect();
    let fits =
        |range: &Range<usize>| counter.count(text.get(range.clone()).unwrap_or_default()) <= max;
    let (mut best, mut most) = (None, 0);
    let mut offer = |range: Range<usize>, worth: u64| {
        if best.is_none() || worth > most {
            (best, most) = (Some(range), worth);
        }
    };
    for (index, first) in sentences.iter().enumerate() {
        let mut worth = 0;
        let ends = sentences.iter().zip(&told).skip(index);
        let runs = ends.map(|(last, told)| {
            worth += told;
            (first.start..last.end, worth)
        });
        let mut runs = runs.take_while(|(range, _)| fits(range)).peekable();
        if runs.peek().is_none() {
            let range = part(text, first, within);
            let worth = worth_of(text.get(range.clone()).unwrap_or_default(), terms);
            offer(range, worth);
        }
        runs.for_each(|(range, worth)| offer(range, worth));
    }
    best.unwrap_or_else(whole)
}

impl Sentence {
    fn of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The part of a sentence that is shown where it is too long.
fn part(text: &str, of: &Sentence, within: &dyn Fn(&str) -> Excerpt) -> Range<usize> {
    let excerpt = within(of.of(text));
    let at = |offset: u32| of.start + usize::try_from(offset).unwrap_or_default();
    at(excerpt.start)..at(excerpt.end)
}

/// The sentences by Unicode's rules, without the blanks around them.
fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut start = 0;
    // A sentence ends with its line at the latest, and nothing before that tells of what follows.
    for line in text.split_inclusive('\n') {
        // Those rules take hundreds of steps a letter, and records of tools have no sentences.
        let may_end = |byte: u8| matches!(byte, b'.' | b'?' | b'!' | b'\r' | 0x80..);
        if line.bytes().any(may_end) {
            let found = line.split_sentence_bound_indices();
            sentences.extend(found.filter_map(|(at, one)| trimmed(start + at, one)));
        } else {
            sentences.extend(trimmed(start, line));
        }
        start += line.len();
    }
    sentences
}

fn trimmed(at: usize, sentence: &str) -> Option<Sentence> {
    let start = at + (sentence.len() - sentence.trim_start().len());
    let end = start + sentence.trim().len();
    (start < end).then_some(Sentence { start, end })
}

/// The worth of a sentence: the sum over its words, each once.
fn worth_of(sentence: &str, terms: &Terms) -> u64 {
    let mut seen = BTreeSet::new();
    let each = words(sentence).enumerate().map(|(place, (_, word))| {
        let lower = word.to_lowercase();
        if is_stop_word(&lower) || FILLERS.binary_search(&lower.as_str()).is_ok() {
            return 0;
        }
        let telling = terms.has(&lower) || is_number(word) || (place > 0 && is_name(word));
        match seen.insert(lower) {
            true if telling => TELLING_WORD,
            true => WORD,
            false => 0,
        }
    });
    let worth: u64 = each.sum();
    if sentence.ends_with(['?', '\u{ff1f}', '\u{61f}']) {
        return worth / QUESTION_DIVISOR;
    }
    worth
}

fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::QuarterBytes;

    fn check(query: &str, text: &str, expected: &str) {
        let excerpt = Excerpt::of(text, &Terms::of(query), &QuarterBytes);
        let terms = Terms::of(query);
        let shown = excerpt.shortened(12, &terms, &QuarterBytes).unwrap_or(excerpt);
        assert_eq!(shown.text, expected, "{query} in {text}");
        let range = shown.start as usize..shown.end as usize;
        assert_eq!(text.get(range), Some(expected));
        assert!(shown.tokens <= 12 && shown.whole_len as usize == text.len());
    }

    #[test]
    fn the_sentence_that_tells_most_is_shown_and_not_the_greeting() {
        let said = "Wow, that is so good! I planted 12 cedars by the Kama river. Shall we go?";
        check("where are the trees", said, "I planted 12 cedars by the Kama river.");
    }

    #[test]
    fn a_question_counts_for_half() {
        let said =
            "Where did you plant the cedars last year, Ana? By the river, near the old mill.";
        check("anything", said, "By the river, near the old mill.");
    }

    #[test]
    fn a_word_of_the_query_counts_twice() {
        let said = "There was rain and wind on the way up here. The kettle and stove broke today.";
        check("kettle", said, "The kettle and stove broke today.");
    }

    #[test]
    fn sentences_that_fit_are_shown_together() {
        let said =
            "It rains. Ana left for Oslo. Boris stayed here. And so on and so forth it went.";
        check("anything", said, "It rains. Ana left for Oslo. Boris stayed here.");
    }

    #[test]
    fn of_a_sentence_that_is_too_long_the_place_of_the_terms_is_shown() {
        let long =
            format!("{} kettle boils over {}", "so it went on ".repeat(9), "and on ".repeat(20));
        let excerpt = Excerpt::of(&long, &Terms::of("kettle"), &QuarterBytes);
        let shown = excerpt.shortened(12, &Terms::of("kettle"), &QuarterBytes).unwrap();
        assert!(shown.text.contains("kettle") && shown.tokens <= 12, "{}", shown.text);
    }

    #[test]
    fn a_text_of_nothing_but_blanks_or_stops_has_a_passage() {
        for text in [" ".repeat(90), ". ".repeat(90), "the of and ".repeat(9), "\n".repeat(90)] {
            let excerpt = Excerpt::of(&text, &Terms::of("x"), &QuarterBytes);
            let shown = excerpt.shortened(12, &Terms::of("x"), &QuarterBytes).unwrap_or(excerpt);
            assert!(shown.tokens <= 12 && shown.end >= shown.start, "{shown:?}");
        }
    }

    /// The sentences of all of `text` at once, by Unicode's rules.
    fn check_sentences(text: &str) {
        let found = text.split_sentence_bound_indices();
        let expected: Vec<_> = found.filter_map(|(at, one)| trimmed(at, one)).collect();
        let range = |one: &Sentence| one.start..one.end;
        let of = |all: &[Sentence]| all.iter().map(range).collect::<Vec<_>>();
        assert_eq!(of(&sentences(text)), of(&expected), "{text:?}");
    }

    #[test]
    fn a_text_that_ends_nowhere_is_one_sentence() {
        for text in ["no end here", " a, b; c: d\t(e) ", "", "  "] {
            check_sentences(text);
        }
    }

    #[test]
    fn a_sentence_ends_with_its_line() {
        let texts = ["a b\nc d", "a.\nb", "A.\n b", "A.\n\u{301}b. C", "a\r\nb", "a\rb\nc", "\n\n"];
        texts.into_iter().for_each(check_sentences);
    }

    proptest! {
        #[test]
        fn line_by_line_the_sentences_are_those_of_the_whole(
            text in "[aB1 .?!,;'()\n\r\t\u{301}\u{85}\u{2028}\u{3002}\u{ad}\u{e9}]{0,24}",
        ) {
            check_sentences(&text);
        }
    }

    #[test]
    fn fillers_are_found() {
        assert!(FILLERS.is_sorted());
    }
}
