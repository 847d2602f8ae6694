//! Names of things that a session speaks of: files, symbols, resources.

use std::collections::{BTreeMap, BTreeSet};

/// Names of a session, each with the number of its turns that have it.
#[derive(Debug, Default)]
pub(crate) struct Named {
    turns: BTreeMap<String, usize>,
}

/// The most different names that are counted of a session.
const NAMES_MAX: usize = 4_000;

/// The most bytes of a turn that are looked at.
const TURN_BYTES: usize = 16 << 10;

/// The most names of a session among its keywords.
const TOLD_MAX: usize = 7;

/// The lengths of a name in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=48;

impl Named {
    /// Takes in the words of a turn.
    pub(crate) fn take(&mut self, text: &str) {
        let end = text.floor_char_boundary(TURN_BYTES.min(text.len()));
        let names: BTreeSet<&str> = names(text.get(..end).unwrap_or_default()).collect();
        for name in names {
            if let Some(count) = self.turns.get_mut(name) {
                *count += 1;
            } else if self.turns.len() < NAMES_MAX {
                self.turns.insert(name.to_owned(), 1);
            }
        }
    }

    /// The names that most turns have, at least two.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut names: Vec<(&String, &usize)> =
            self.turns.iter().filter(|(_, count)| **count > 1).collect();
        names.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
        names.into_iter().take(TOLD_MAX).map(|(name, _)| name.clone()).collect()
    }
}

/// The names in a text, in its order.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':');
    let words = text.split(move |c: char| !is_part(c));
    words.map(|word| word.trim_matches(['.', '-', ':', '_'])).filter(|word| is_name(word))
}

/// Whether a word is a name of code, of a file or of a resource: `on_conflict`, `RateInput`,
/// `mem::take`, `E0502`, `encoder.rs`.
fn is_name(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_code = word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    if !LENGTHS.contains(&word.len()) || letters < 3 && !(is_code && letters > 0) {
        return false;
    }
    let has_inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let is_hash = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    // An hour, a date, a version say when and not what.
    let is_number = word.chars().next().is_some_and(|c| c.is_ascii_digit());
    let has_mark = word.contains('_') || word.contains("::");
    let is_file = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        (1..=5).contains(&ending.len())
            && !stem.is_empty()
            && ending.chars().all(|c| c.is_ascii_lowercase())
    });
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    !is_hash && !is_number && (has_inner_capital || has_mark || is_file || has_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_the_number_of_their_turns() {
        let mut named = Named::default();
        named.take("The Encoder::flush_into of encoder.rs fails with E0502 at 10:42.");
        named.take("I look at /w/src/encoder.rs and flush_into; commit 0a1b2c3d4e.");
        named.take("encoder.rs, the `RateInput` and 2026-11-04");
        assert_eq!(named.told(), ["encoder.rs"]);
        named.take("RateInput E0502 flush_into");
        assert_eq!(named.told(), ["encoder.rs", "E0502", "RateInput", "flush_into"]);
    }
}
