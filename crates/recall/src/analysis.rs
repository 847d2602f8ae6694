//! From a text to its terms.
//!
//! Invariants
//! 1. Total: any text has terms, perhaps none. No term is longer than
//!    [`TERM_LEN_MAX`] bytes, no text has more than [`TOKENS_MAX`] tokens; what is
//!    past that is not searchable.
//! 2. A query and an item are taken apart by the same function, so they meet.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use crate::ascii::{CONNECTOR, is};
use crate::stop_words::is_stop_word;
use crate::words::{Piece, words};

/// No term is longer, in bytes.
pub(crate) const TERM_LEN_MAX: usize = 256;

/// No text has more tokens.
pub(crate) const TOKENS_MAX: u16 = 8_192;

/// A word is cut at so many characters before anything else is done with it.
const WORD_CHARS_MAX: usize = 64;

/// A word with more humps is taken for noise (base64, minified code) and kept whole.
const HUMPS_MAX: usize = 6;

/// One term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The term: a stem, a number, or a whole identifier in lower case.
    pub(crate) term: String,
    /// The word it is the stem of, in lower case.
    pub(crate) word: String,
    /// The place among the text's content words; a whole identifier stands at its
    /// first part's.
    pub(crate) position: u16,
    /// Whether it is a whole identifier or path, whose parts are tokens too.
    pub(crate) whole: bool,
}

/// The tokens of `text`: content words as Snowball English stems (M. F. Porter, 2001),
/// numbers, and identifiers and paths both whole and in parts.
///
/// Words are those of UAX #29. Cost: linear in the text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let stemmer = Stems::new();
    let mut found = Vec::new();
    scan(text, &mut |word: &Word<'_>| {
        let (position, whole) = (word.position, word.whole);
        found.push(Token {
            term: stemmer.term(word),
            word: word.lower.to_owned(),
            position,
            whole,
        });
    });
    found
}

/// A word of a text that is searched, before it is made a term.
#[derive(Debug)]
pub(crate) struct Word<'a> {
    /// In lower case.
    pub(crate) lower: &'a str,
    /// As in [`Token`].
    pub(crate) position: u16,
    /// As in [`Token`].
    pub(crate) whole: bool,
    /// Whether it is stemmed: of lower-case letters of ASCII alone, and no identifier.
    pub(crate) plain: bool,
}

/// Calls `found` with the words that [`tokens`] are made of. Cost: linear in the text, a few
/// nanoseconds a character where it is ASCII.
pub(crate) fn scan(text: &str, found: &mut impl FnMut(&Word<'_>)) {
    scan_through(text, usize::MAX, found);
}

/// Scans as [`scan`] does, without the words of what begins behind the byte `last`.
pub(crate) fn scan_through(text: &str, last: usize, found: &mut impl FnMut(&Word<'_>)) {
    let mut tokens = Tokens { found, lower: String::new(), position: 0 };
    let mut run: Option<(usize, usize)> = None;
    let mut is_lower = false;
    let bytes = text.as_bytes();
    words(text, &mut |piece: Piece| {
        if tokens.position >= TOKENS_MAX {
            run = None;
            return false;
        }
        if let Some((_, end)) = &mut run
            && joins(bytes.get(*end..piece.start))
        {
            (is_lower, *end) = (false, piece.end);
            return true;
        }
        if let Some((first, end)) = run.take() {
            tokens.take(text.get(first..end).unwrap_or_default(), is_lower);
        }
        if piece.start > last {
            return false;
        }
        (is_lower, run) = (piece.lower, Some((piece.start, piece.end)));
        true
    });
    if let Some((first, end)) = run {
        tokens.take(text.get(first..end).unwrap_or_default(), is_lower);
    }
}

/// Words to terms.
pub(crate) struct Stems(Stemmer);

impl Stems {
    pub(crate) fn new() -> Stems {
        Stems(Stemmer::create(Algorithm::English))
    }

    /// The term of a word: its stem, if it is a plain word of English letters.
    pub(crate) fn term(&self, word: &Word<'_>) -> String {
        if !word.plain {
            return word.lower.to_owned();
        }
        let stem = self.0.stem(word.lower);
        match word.lower.starts_with(needle(&stem)) {
            true => stem.into_owned(),
            // So that a text which has a term can be told by its letters.
            false => word.lower.to_owned(),
        }
    }
}

impl Word<'_> {
    /// Whether it may have the term `term`, whose needle is `needle`: cheap, and right where it
    /// says no.
    pub(crate) fn may_be(&self, term: &str, needle: &str) -> bool {
        match self.plain {
            true => self.lower.starts_with(needle),
            false => self.lower == term,
        }
    }
}

/// The part of the term that stands, in any case, in each ASCII text without apostrophes that has
/// the term.
pub(crate) fn needle_of(term: &str) -> &str {
    match term.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => needle(term),
        false => term,
    }
}

/// The beginning of every plain word of a term: all but its last letter, which a stem may
/// have changed; of a few short ones less ("dying" is "die").
pub(crate) fn needle(term: &str) -> &str {
    let kept = if matches!(term, "die" | "lie" | "tie") { 1 } else { term.len().saturating_sub(1) };
    term.get(..kept).unwrap_or_default()
}

/// Whether what stands between two words makes them one identifier or path.
fn joins(between: Option<&[u8]>) -> bool {
    match between {
        Some([byte]) => is(CONNECTOR, *byte),
        Some(between) => between == b"::",
        None => false,
    }
}

fn is_connector(c: char) -> bool {
    u8::try_from(c).is_ok_and(|byte| is(CONNECTOR, byte))
}

struct Tokens<'a, F> {
    found: &'a mut F,
    /// Written over by each word.
    lower: String,
    position: u16,
}

impl<F: FnMut(&Word<'_>)> Tokens<'_, F> {
    /// Takes in a run: a word, or an identifier or path of several. `is_lower` where it is a
    /// word of lower-case letters of ASCII alone.
    fn take(&mut self, run: &str, is_lower: bool) {
        if is_lower && run.len() <= WORD_CHARS_MAX {
            return self.push_lower(run, true);
        }
        if run.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
            return self.push_stem(&run.replace(',', ""));
        }
        let mut words = run.split(|c: char| is_connector(c)).filter(|word| !word.is_empty());
        match (words.next(), words.next()) {
            (Some(word), None) => self.take_word(word),
            (Some(_), Some(_)) => {
                self.push_whole(run);
                let parts = run.split(|c: char| is_connector(c)).filter(|word| !word.is_empty());
                parts.for_each(|part| self.take_word(part));
            }
            (None, _) => {}
        }
    }

    /// Takes in a word without connectors, and its humps where it has some.
    fn take_word(&mut self, word: &str) {
        let word: Cow<'_, str> = match word.char_indices().nth(WORD_CHARS_MAX) {
            Some((end, _)) => Cow::Borrowed(word.get(..end).unwrap_or_default()),
            None => Cow::Borrowed(word),
        };
        let Some(word) = without_apostrophe(&word) else { return };
        let humps = humps(&word);
        if (2..=HUMPS_MAX).contains(&humps.len()) {
            self.push_whole(&word);
            humps.into_iter().for_each(|hump| self.push_stem(hump));
        } else {
            self.push_stem(&word);
        }
    }

    fn push_stem(&mut self, word: &str) {
        let mut lower = std::mem::take(&mut self.lower);
        fold_case(word, &mut lower);
        lower.truncate(without_particle(&lower).len());
        let plain = lower.bytes().all(|byte| byte.is_ascii_lowercase());
        self.push_lower(&lower, plain);
        self.lower = lower;
    }

    /// Takes in a word that is in lower case.
    fn push_lower(&mut self, lower: &str, plain: bool) {
        if lower.is_empty() || is_stop_word(lower) || self.position >= TOKENS_MAX {
            return;
        }
        (self.found)(&Word { lower, position: self.position, whole: false, plain });
        self.position += 1;
    }

    fn push_whole(&mut self, run: &str) {
        if run.len() > TERM_LEN_MAX || self.position >= TOKENS_MAX {
            return;
        }
        fold_case(run, &mut self.lower);
        if !self.lower.is_empty() {
            let lower = &self.lower;
            (self.found)(&Word { lower, position: self.position, whole: true, plain: false });
        }
    }
}

/// `word` without possessive or contraction; `None` for a negated auxiliary (can't).
fn without_apostrophe(word: &str) -> Option<Cow<'_, str>> {
    let Some((stem, suffix)) = word.rsplit_once(is_apostrophe) else {
        return Some(Cow::Borrowed(word));
    };
    match suffix {
        "s" | "S" | "m" | "re" | "ve" | "ll" | "d" => {
            Some(Cow::Owned(stem.replace(is_apostrophe, "")))
        }
        "t" | "T" if stem.ends_with(['n', 'N']) => None,
        _ => Some(Cow::Owned(word.replace(is_apostrophe, ""))),
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{ff07}')
}

/// A Korean word without the particle at its end; any other word as it is.
fn without_particle(word: &str) -> &str {
    const LONG: [&str; 6] = [
        "\u{c5d0}\u{c11c}",
        "\u{c5d0}\u{ac8c}",
        "\u{c73c}\u{b85c}",
        "\u{ae4c}\u{c9c0}",
        "\u{bd80}\u{d130}",
        "\u{cc98}\u{b7fc}",
    ];
    const SHORT: [&str; 12] = [
        "\u{c740}", "\u{b294}", "\u{c774}", "\u{ac00}", "\u{c744}", "\u{b97c}", "\u{c758}",
        "\u{c5d0}", "\u{b85c}", "\u{c640}", "\u{acfc}", "\u{b3c4}",
    ];
    let is_hangul = |c: char| ('\u{ac00}'..='\u{d7a3}').contains(&c);
    if !word.ends_with(is_hangul) {
        return word;
    }
    // What is left of a word of one syllable may be any other word.
    let stem =
        |particle: &&str| word.strip_suffix(*particle).filter(|stem| stem.chars().count() > 1);
    LONG.iter().chain(&SHORT).find_map(stem).unwrap_or(word)
}

/// Lower case, compatibility-composed, without Latin accents and zero-width characters; a sharp s
/// is two.
fn fold_case(word: &str, folded: &mut String) {
    folded.clear();
    if word.is_ascii() {
        folded.push_str(word);
        folded.make_ascii_lowercase();
        return;
    }
    let ignored = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    let lower = word.nfkd().filter(|c| !ignored(c)).flat_map(char::to_lowercase).nfc();
    for c in lower {
        if c == '\u{df}' { folded.push_str("ss") } else { folded.push(c) }
    }
    let end = folded.char_indices().map(|(at, _)| at).find(|at| *at > TERM_LEN_MAX - 4);
    folded.truncate(end.unwrap_or(folded.len()));
}

/// The humps of a camel-case word: `checkoutRetry` has two, `HTTPServer` one more than `Server`.
fn humps(word: &str) -> Vec<&str> {
    let mut humps = Vec::new();
    let mut start = 0;
    let mut previous: Option<char> = None;
    for (at, c) in word.char_indices() {
        if previous.is_some_and(char::is_lowercase) && c.is_uppercase() {
            humps.extend(word.get(start..at));
            start = at;
        }
        previous = Some(c);
    }
    humps.extend(word.get(start..));
    humps
}

#[cfg(test)]
mod tests;
