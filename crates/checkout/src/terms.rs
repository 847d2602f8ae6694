use unicode_segmentation::UnicodeSegmentation;

/// The words of a query, to find the places in a text that speak of them.
///
/// Coarser than the index, which decides what is found: here a miss costs only a less
/// fitting excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms(Vec<String>);

/// A place in a text where a term stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The byte it begins at.
    pub(crate) at: usize,
    /// Which term.
    pub(crate) term: usize,
}

/// Maximum number of distinct words of a query that count.
const TERMS_MAX: usize = 32;

/// Words of at least so many letters meet by their beginnings.
const STEM_LETTERS: usize = 4;

/// A word may be so much longer than its stem.
const ENDING_LETTERS: usize = 3;

impl Terms {
    pub(crate) fn of(query: &str) -> Terms {
        let mut terms: Vec<String> = Vec::new();
        for word in query.unicode_words() {
            let word = word.to_lowercase();
            if terms.len() < TERMS_MAX && !terms.contains(&word) {
                terms.push(word);
            }
        }
        Terms(terms)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a word, in lower case, is one of the terms, or has one that sets no blanks.
    pub(crate) fn has(&self, word: &str) -> bool {
        let met = |term: &String| {
            same_word(word, term) || (!term.is_ascii() && word.contains(term.as_str()))
        };
        self.0.iter().any(met)
    }

    /// Where the terms stand in `text`, ascending. Cost: linear in the text.
    pub(crate) fn places(&self, text: &str) -> Vec<Place> {
        let mut places = Vec::new();
        for (at, word) in words(text) {
            let met = self.0.iter().enumerate().filter(|(_, term)| same_word(word, term));
            places.extend(met.map(|(term, _)| Place { at, term }));
        }
        // Scripts that set no blanks have no words here: their terms are looked for as they are.
        for (term, word) in self.0.iter().enumerate().filter(|(_, word)| !word.is_ascii()) {
            places.extend(text.match_indices(word.as_str()).map(|(at, _)| Place { at, term }));
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The runs of letters and digits of `text`, with where they begin.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(char::is_alphanumeric)?;
        let rest = text.get(start..)?;
        let len = word_len(rest);
        at = start + len;
        Some((start, rest.get(..len)?))
    })
}

/// The length of the word that `rest` begins with.
fn word_len(rest: &str) -> usize {
    // Nearly all letters are of one byte.
    let ascii = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric());
    let ascii = ascii.unwrap_or(rest.len());
    match rest.as_bytes().get(ascii) {
        Some(0x80..) => {
            let more = rest.get(ascii..).unwrap_or_default();
            ascii + more.find(|c: char| !c.is_alphanumeric()).unwrap_or(more.len())
        }
        Some(_) | None => ascii,
    }
}

fn same_word(word: &str, term: &str) -> bool {
    let shorter = word.len().min(term.len());
    let longer = word.len().max(term.len());
    let close =
        longer == shorter || (shorter >= STEM_LETTERS && longer - shorter <= ENDING_LETTERS);
    // Nearly all words differ in their lengths.
    if !close {
        return false;
    }
    let both = word.get(..shorter).zip(term.get(..shorter));
    both.is_some_and(|(start, stem)| start.eq_ignore_ascii_case(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, text: &str, expected: &[(usize, usize)]) {
        let places = Terms::of(query).places(text);
        let places: Vec<_> = places.into_iter().map(|place| (place.at, place.term)).collect();
        assert_eq!(places, expected, "{query} in {text}");
    }

    #[test]
    fn words_meet_by_their_beginnings() {
        check("Where does Ana live?", "Ana lives; ana-live", &[(0, 2), (4, 3), (11, 2), (15, 3)]);
        check("is", "island is", &[(7, 0)]);
        check("deploy", "deployments redeploy deployed", &[(21, 0)]);
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_of_any_script() {
        for (text, expected) in [
            ("", &[][..]),
            (" -a, b2c ", &[(2, "a"), (5, "b2c")]),
            (
                "caf\u{e9}s\u{2014}\u{e9}t\u{e9} x",
                &[(0, "caf\u{e9}s"), (9, "\u{e9}t\u{e9}"), (15, "x")],
            ),
            ("\u{6771}\u{4eac}", &[(0, "\u{6771}\u{4eac}")]),
            ("a\u{301}b", &[(0, "a"), (3, "b")]),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn a_script_without_blanks_is_searched() {
        check("\u{6771}\u{4eac}", "a\u{6771}\u{4eac}b", &[(1, 0), (4, 1)]);
        check("caf\u{e9}", "\u{2014}caf\u{e9}s", &[(3, 0)]);
    }
}
