use memlith::read::Novelty;
use serde::Serialize;

use crate::queries::{self, Class};
use crate::words::{Random, Vocabulary};

/// Relation of a text to the memories of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sort {
    /// One of the marked memories, with an article before it.
    Redundant,
    /// One of them without its last words.
    Reinforcing,
    /// Words as they come in a text, as many as in a memory.
    Novel,
    /// Four of the hundred most frequent words.
    Common,
}

/// A text that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) sort: Sort,
    pub(crate) text: String,
}

/// The texts of the memories of a seed.
#[derive(Debug)]
pub(crate) struct Memories {
    vocabulary: Vocabulary,
    random: Random,
    marked: std::vec::IntoIter<String>,
}

/// Number of memories that texts are made of; they lie evenly in a log of any length.
pub(crate) const MARKED: u64 = 64;

/// Number of words of a memory and of a new text.
const WORDS: (u64, u64) = (8, 16);

/// Number of them that a reinforcing text leaves out.
const LEFT_OUT: usize = 3;

/// Numbers that the words of memories are drawn with beside the seed, and those of new texts.
const OF_MEMORIES: u64 = 0x6d65_6d6f;
const OF_TEXTS: u64 = 0x7465_7874;

impl Sort {
    const ALL: [Sort; 4] = [Sort::Redundant, Sort::Reinforcing, Sort::Novel, Sort::Common];

    /// Whether that is what a text of this sort is.
    pub(crate) fn is(self, novelty: Novelty) -> bool {
        match self {
            Sort::Redundant => matches!(novelty, Novelty::Redundant(_)),
            Sort::Reinforcing => matches!(novelty, Novelty::Reinforcing(_)),
            Sort::Novel | Sort::Common => novelty == Novelty::Novel,
        }
    }
}

impl Memories {
    pub(crate) fn new(seed: u64) -> Memories {
        let mut memories = Memories {
            vocabulary: Vocabulary::new(&mut Random::new(seed)),
            random: Random::new(seed ^ OF_MEMORIES),
            marked: Vec::new().into_iter(),
        };
        let marked: Vec<String> = (0..MARKED).map(|_| memories.other()).collect();
        memories.marked = marked.into_iter();
        memories
    }

    /// The text of the next memory.
    pub(crate) fn next(&mut self, is_marked: bool) -> String {
        let marked = if is_marked { self.marked.next() } else { None };
        marked.unwrap_or_else(|| self.other())
    }

    fn other(&mut self) -> String {
        let count = self.random.within(WORDS.0, WORDS.1);
        self.vocabulary.text(&mut self.random, count)
    }
}

/// The texts of a seed: sort after sort in turn.
pub(crate) fn of(seed: u64, count: usize) -> Vec<Text> {
    let marked: Vec<String> = Memories::new(seed).marked.collect();
    let vocabulary = Vocabulary::new(&mut Random::new(seed));
    let mut random = Random::new(seed ^ OF_TEXTS);
    let common = queries::of(seed, count * Class::ALL.len());
    let mut common = common.into_iter().filter(|query| query.class == Class::Common);
    let text = |(number, sort): (usize, Sort)| {
        let of_memory = marked.get(number / Sort::ALL.len() % marked.len().max(1));
        let of_memory = of_memory.map(String::as_str).unwrap_or_default();
        let text = match sort {
            Sort::Redundant => format!("The {of_memory}"),
            Sort::Reinforcing => {
                let words: Vec<&str> = of_memory.split(' ').collect();
                let left = words.len().saturating_sub(LEFT_OUT);
                words.get(..left).unwrap_or_default().join(" ")
            }
            Sort::Novel => {
                let count = random.within(WORDS.0, WORDS.1);
                vocabulary.text(&mut random, count)
            }
            Sort::Common => common.next().map(|query| query.text).unwrap_or_default(),
        };
        Text { sort, text }
    };
    Sort::ALL.into_iter().cycle().take(count).enumerate().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_texts_and_the_memories_that_they_are_made_of() {
        let texts = of(42, 40);
        assert_eq!(texts, of(42, 40));
        assert_ne!(texts, of(43, 40));
        let mut memories = Memories::new(42);
        let (other, first) = (memories.next(false), memories.next(true));
        assert_ne!(other, first);
        assert_eq!(texts[0], Text { sort: Sort::Redundant, text: format!("The {first}") });
        assert!(first.starts_with(&texts[1].text) && first.len() > texts[1].text.len());
        let sorts: Vec<Sort> = texts[..8].iter().map(|text| text.sort).collect();
        assert_eq!(sorts, [Sort::ALL, Sort::ALL].concat());
        assert!(texts.iter().all(|text| text.text.contains(' ')));
    }
}
