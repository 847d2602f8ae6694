use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use memlith_text::snowball;

/// The phrases of one section of `words.txt`, each as its words, by the first of them.
pub(super) struct List {
    by_first: BTreeMap<String, Vec<Vec<String>>>,
    /// The stems of phrases of one word.
    stems: BTreeSet<String>,
}

/// The sections of `words.txt` by name.
static LISTS: LazyLock<BTreeMap<&'static str, List>> = LazyLock::new(|| {
    let mut lists = BTreeMap::new();
    for section in include_str!("words.txt").split("\n[").skip(1) {
        let Some((name, rest)) = section.split_once("]\n") else { continue };
        lists.insert(name, List::of(rest));
    }
    lists
});

/// The first words of all phrases that tell how a sentence is meant: most words are none.
static OF_STANCE: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let lists = ["hedges", "reports", "future", "past", "adds"].map(list);
    lists.into_iter().flat_map(|list| list.by_first.keys().map(String::as_str)).collect()
});

/// Whether a word begins a phrase that tells how a sentence is meant.
pub(super) fn begins_a_stance(word: &str) -> bool {
    OF_STANCE.contains(word)
}

static EMPTY: LazyLock<List> = LazyLock::new(|| List::of(""));

/// Returns the section called `name`; a test names each that is asked for.
pub(super) fn list(name: &str) -> &'static List {
    LISTS.get(name).unwrap_or(&EMPTY)
}

impl List {
    fn of(text: &str) -> List {
        let mut list = List { by_first: BTreeMap::new(), stems: BTreeSet::new() };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for phrase in lines.flat_map(|line| line.split(',')) {
            let words: Vec<String> = phrase.split_whitespace().map(str::to_owned).collect();
            if let [one] = words.as_slice() {
                list.stems.insert(snowball(one));
            }
            if let Some(first) = words.first() {
                list.by_first.entry(first.clone()).or_default().push(words);
            }
        }
        list
    }

    /// Returns how many of these words the longest phrase takes that they begin with.
    pub(super) fn at<'a>(&self, words: impl Iterator<Item = &'a str> + Clone) -> Option<usize> {
        let phrases = self.by_first.get(words.clone().next()?)?;
        let begins = |phrase: &&Vec<String>| {
            phrase.len() <= words.clone().count()
                && phrase.iter().zip(words.clone()).all(|(own, other)| own == other)
        };
        phrases.iter().filter(begins).map(Vec::len).max()
    }

    /// Whether a word is a phrase of the list, whatever its form.
    pub(super) fn has_stem(&self, stem: &str) -> bool {
        self.stems.contains(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_matches_itself() {
        assert!(LISTS.len() > 10);
        for (name, list) in LISTS.iter() {
            for phrase in list.by_first.values().flatten() {
                let found = list.at(phrase.iter().map(String::as_str));
                assert_eq!(found, Some(phrase.len()), "{name}: {phrase:?}");
            }
        }
    }
}
