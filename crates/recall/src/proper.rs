//! Names and identifiers of a question, as it writes them.

use crate::analysis::tokens;
use crate::days::{month_of, weekday_of};

/// A name or an identifier, and what of it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proper {
    /// As it is written, without what surrounds it.
    pub(crate) word: String,
    /// Its terms: that of the whole identifier, or of each of its words.
    pub(crate) terms: Vec<String>,
}

/// No question is looked through for more.
const PROPER_MAX: usize = 8;

/// The names and identifiers in `text`: words with a capital that begin no sentence, and words
/// with a digit, an underscore, an inner slash, dot or capital. Days, months and numbers are none,
/// and where more than half of the words would be, or no letter is small, none is.
pub(crate) fn proper(text: &str) -> Vec<Proper> {
    let mut found: Vec<Proper> = Vec::new();
    let (mut words, mut begins) = (0, true);
    for raw in text.split_whitespace() {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let word =
            ["'s", "\u{2019}s"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        let is_name = word.starts_with(char::is_uppercase) && !begins && !is_pronoun(word);
        begins = raw.ends_with(['.', '?', '!', ':']);
        if word.is_empty() {
            continue;
        }
        words += 1;
        let lower = word.to_lowercase();
        let is_of_a_calendar = month_of(&lower).is_some() || weekday_of(&lower).is_some();
        if is_of_a_calendar || !(is_name || is_identifier(word)) {
            continue;
        }
        let terms = tokens(word);
        let is_whole = terms.iter().any(|token| token.whole);
        let terms = terms.into_iter().filter(|token| token.whole == is_whole);
        let terms: Vec<String> = terms.map(|token| token.term).collect();
        if !terms.is_empty() && !found.iter().any(|other| other.terms == terms) {
            found.push(Proper { word: word.to_owned(), terms });
        }
    }
    if found.len() * 2 > words || !text.contains(char::is_lowercase) {
        return Vec::new();
    }
    found.truncate(PROPER_MAX);
    found
}

/// "I", and what is written together with it.
fn is_pronoun(word: &str) -> bool {
    let end = word.find(['\'', '\u{2019}']).unwrap_or(word.len());
    word.get(..end) == Some("I")
}

/// Whether a word is none of a language: it has a letter, and a digit or a sign of code inside, or
/// a capital behind a small letter.
fn is_identifier(word: &str) -> bool {
    let is_ordinal = word.starts_with(|c: char| c.is_ascii_digit());
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let signs = word.contains(['_', '/', '.']) || word.contains(|c: char| c.is_ascii_digit());
    let humps = || {
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
    };
    letters().next().is_some() && !is_ordinal && (signs || humps())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_identifiers_are_told_from_words() {
        for (text, expected) in [
            ("Which port does Kafka listen on?", vec!["Kafka"]),
            ("Who is Ana's manager at Acme?", vec!["Ana", "Acme"]),
            ("what does parse_header in src/http.rs return", vec!["parse_header", "src/http.rs"]),
            ("is k8s or pgBouncer in use? Yes or no", vec!["k8s", "pgBouncer"]),
            ("What did I say on Monday, 3 November?", vec![]),
            ("Kafka?", vec![]),
            ("WHERE IS THE KEY", vec![]),
            ("the 2nd of 3 at 10:30", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<String> = proper(text).into_iter().map(|one| one.word).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
