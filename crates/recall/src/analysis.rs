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
use unicode_segmentation::UnicodeSegmentation;

use crate::stop_words::is_stop_word;

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
    let mut tokens =
        Tokens { stemmer: Stemmer::create(Algorithm::English), found: Vec::new(), position: 0 };
    let mut run: Option<(usize, usize)> = None;
    for (start, word) in text.unicode_word_indices() {
        if tokens.position >= TOKENS_MAX {
            return tokens.found;
        }
        let end = start + word.len();
        run = match run {
            Some((first, last)) if joins(text.get(last..start)) => Some((first, end)),
            Some((first, last)) => {
                tokens.take(text.get(first..last).unwrap_or_default());
                Some((start, end))
            }
            None => Some((start, end)),
        };
    }
    if let Some((first, last)) = run {
        tokens.take(text.get(first..last).unwrap_or_default());
    }
    tokens.found
}

/// Whether what stands between two words makes them one identifier or path.
fn joins(between: Option<&str>) -> bool {
    match between {
        Some("::") => true,
        Some(between) => {
            let mut chars = between.chars();
            chars.next().is_some_and(is_connector) && chars.next().is_none()
        }
        None => false,
    }
}

fn is_connector(c: char) -> bool {
    matches!(c, '/' | '\\' | '.' | '-' | ':' | '@' | '#' | '_')
}

struct Tokens {
    stemmer: Stemmer,
    found: Vec<Token>,
    position: u16,
}

impl Tokens {
    /// Takes in a run: a word, or an identifier or path of several.
    fn take(&mut self, run: &str) {
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
        let word = fold_case(word);
        let has_letters = word.chars().any(char::is_alphabetic);
        if word.is_empty() || is_stop_word(&word) || self.position >= TOKENS_MAX {
            return;
        }
        let plain = has_letters && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let term = if plain { self.stemmer.stem(&word).into_owned() } else { word.clone() };
        self.found.push(Token { term, word, position: self.position, whole: false });
        self.position += 1;
    }

    fn push_whole(&mut self, run: &str) {
        if run.len() > TERM_LEN_MAX || self.position >= TOKENS_MAX {
            return;
        }
        let term = fold_case(run);
        if !term.is_empty() {
            let word = term.clone();
            self.found.push(Token { term, word, position: self.position, whole: true });
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

/// Lower case, compatibility-composed, without Latin accents and zero-width characters.
fn fold_case(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let ignored = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    let mut folded: String =
        word.nfkd().filter(|c| !ignored(c)).flat_map(char::to_lowercase).nfc().collect();
    let end = folded.char_indices().map(|(at, _)| at).find(|at| *at > TERM_LEN_MAX - 4);
    folded.truncate(end.unwrap_or(folded.len()));
    folded
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
