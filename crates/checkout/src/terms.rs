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

/// So many distinct words of a query count.
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
    text.split(|c: char| !c.is_alphanumeric())
        .map(move |word| {
            let start = at;
            // A separator can be of several bytes: it is what lies up to the next word.
            at = start + word.len();
            at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            (start, word)
        })
        .filter(|(_, word)| !word.is_empty())
}

fn same_word(word: &str, term: &str) -> bool {
    let shorter = word.len().min(term.len());
    let (Some(start), Some(stem)) = (word.get(..shorter), term.get(..shorter)) else {
        return false;
    };
    let longer = word.len().max(term.len());
    let close =
        longer == shorter || (shorter >= STEM_LETTERS && longer - shorter <= ENDING_LETTERS);
    close && start.eq_ignore_ascii_case(stem)
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
    fn a_script_without_blanks_is_searched() {
        check("\u{6771}\u{4eac}", "a\u{6771}\u{4eac}b", &[(1, 0), (4, 1)]);
        check("caf\u{e9}", "\u{2014}caf\u{e9}s", &[(3, 0)]);
    }
}
