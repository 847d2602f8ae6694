use std::ops::Range;

use crate::Rule;
use crate::part::{Part, WINDOW, end_of};
use crate::word::byte;

/// The published shape of a provider's token.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) rule: Rule,
    /// Its name: the identifier of gitleaks' rule, where there is one.
    pub(crate) name: &'static str,
    /// The text that leads to it: its beginning, or a text that it holds.
    pub(crate) prefix: &'static str,
    pub(crate) tail: Tail,
}

/// The rest of a token besides its prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tail {
    /// These parts follow.
    Parts(&'static [Part]),
    /// These parts follow and look drawn by lot: the prefix alone is too common.
    Drawn(&'static [Part]),
    /// Letters, digits, `_` and `-`, at least so many, with a digit and sixteen letters or
    /// digits in a row: that tells `sk-...` from `sk-learn-compatible-estimators`.
    Random(usize),
    /// Parts joined by dots, of which the first two have ten bytes or more; so many in all.
    Dotted(usize),
    /// These parts follow and are all that is secret, as in the path of a URL.
    Rest(&'static [Part]),
    /// The word that holds the prefix consists of these parts.
    Whole(&'static [Part]),
}

impl Shape {
    /// The span of the token whose prefix stands at `hit` inside `word`, if it is one.
    ///
    /// It is the whole word, so that no part of a token is ever left; of a URL it is
    /// the secret part of the path.
    pub(crate) fn span(&self, text: &str, word: &Range<usize>, hit: usize) -> Option<Range<usize>> {
        let tail = hit + self.prefix.len();
        // The leads ignore case; providers don't.
        if text.get(hit..tail) != Some(self.prefix) {
            return None;
        }
        match self.tail {
            Tail::Rest(parts) => return Some(tail..end_of(parts, text, tail)?),
            Tail::Whole(_) if hit - word.start > WINDOW => return None,
            Tail::Whole(parts) => {
                let end = end_of(parts, text, word.start)?;
                return (end >= word.end).then_some(word.start..end);
            }
            Tail::Parts(_) | Tail::Drawn(_) | Tail::Random(_) | Tail::Dotted(_) => {}
        }
        let before = hit.checked_sub(1).filter(|&before| before >= word.start);
        let before = before.and_then(|before| byte(text, before));
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let rest = text.get(tail..word.end)?;
        let end = match self.tail {
            Tail::Parts(parts) => end_of(parts, text, tail)?,
            Tail::Drawn(parts) => {
                end_of(parts, text, tail).filter(|&end| is_drawn(text, tail..end))?
            }
            // A part is looked at by the hits at its own and the last part's start only.
            Tail::Dotted(len_min) => {
                let fits = matches!(before, None | Some(b'.')) && rest.len() >= len_min;
                (fits && two_long_parts(rest)).then_some(word.end)?
            }
            Tail::Random(len_min) => is_random(rest, len_min).then_some(word.end)?,
            Tail::Rest(_) | Tail::Whole(_) => return None,
        };
        Some(word.start..end.max(word.end))
    }
}

/// Whether a tail of letters, digits, `_` and `-` looks drawn by lot.
fn is_random(tail: &str, len_min: usize) -> bool {
    let window = tail.get(..WINDOW).unwrap_or(tail);
    let longest = window.split(['_', '-', '.']).map(str::len).max();
    let digit = window.bytes().any(|byte| byte.is_ascii_digit());
    window.len() >= len_min && longest >= Some(16) && digit
}

/// Whether a tail starts with two parts of ten bytes or more.
fn two_long_parts(tail: &str) -> bool {
    let mut parts = tail.split('.').map(str::len);
    parts.next() >= Some(10) && parts.next() >= Some(10)
}

/// Whether a span has letters and digits, eight different ones, and none makes up a third:
/// zeros in base 64 are a row of `A`.
pub(crate) fn is_drawn(text: &str, span: Range<usize>) -> bool {
    let end = span.end.min(span.start + WINDOW);
    let bytes = text.as_bytes().get(span.start..end).unwrap_or_default();
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let seen = bytes.iter().fold(0_u128, |seen, byte| seen | 1 << (byte & 127));
    let most = |byte: &u8| bytes.iter().filter(|other| *other == byte).count() * 3 > bytes.len();
    digit && letter && seen.count_ones() >= 8 && !bytes.iter().take(16).any(most)
}

/// The provider's shape that a value has as a whole.
pub(crate) fn shape_of(value: &str, shapes: &'static [Shape]) -> Option<&'static Shape> {
    let whole = 0..value.len();
    shapes.iter().find(|shape| shape.span(value, &whole, 0) == Some(whole.clone()))
}

/// The secret of an access key whose id ends at `at`: 40 letters, digits and signs in the next 64
/// bytes.
pub(crate) fn pair(text: &str, at: usize) -> Option<Range<usize>> {
    const BESIDE: usize = 64;
    const SECRET_LEN: usize = 40;
    let is_of_secret = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
    let bytes = text.as_bytes();
    let mut start = at;
    while start < at + BESIDE && start < bytes.len() {
        let rest = bytes.get(start..)?.iter().take(SECRET_LEN + 1);
        let end = start + rest.take_while(|byte| is_of_secret(**byte)).count();
        let word = text.get(start..end)?;
        let is_mixed = [
            word.bytes().any(|byte| byte.is_ascii_lowercase()),
            word.bytes().any(|byte| byte.is_ascii_uppercase()),
            word.bytes().any(|byte| byte.is_ascii_digit()),
        ];
        if word.len() == SECRET_LEN && is_mixed == [true; 3] {
            return Some(start..end);
        }
        start = crate::word::skip(text, end, |byte| !is_of_secret(byte) && byte.is_ascii());
        if start == end {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;

    #[test]
    fn what_is_drawn_by_lot_shows_it() {
        for (text, drawn) in [
            ("9f8e7d6c5b4a", true),
            ("A1b2C3d4E5f6", true),
            ("some-long-name-of-a-thing", false),
            ("AAAAAAAAAAAAAAAAAAAAAAB1", false),
            ("1111222233334444", false),
            ("a1a1a1a1a1a1a1a1", false),
        ] {
            assert_eq!(is_drawn(text, 0..text.len()), drawn, "{text}");
        }
    }

    #[test]
    fn a_run_has_its_length_and_ends() {
        const PARTS: &[Part] = &[Part::Run(Class::Hex, 4, 4), Part::Run(Class::Alnum, 2, 3)];
        for (text, end) in [
            ("abcdxy", Some(6)),
            ("abcdxyz", Some(7)),
            ("abcdxyz9", None),
            ("abcdx", None),
            ("abcd", None),
            ("abcgxy", None),
            ("abcdxy é", Some(6)),
        ] {
            assert_eq!(end_of(PARTS, text, 0), end, "{text}");
        }
    }
}
