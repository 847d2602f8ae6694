use serde::Serialize;

use crate::words::{Random, Vocabulary, WORDS};

/// How frequent the words of a query are in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    /// Of the 18,000 rarest words.
    Rare,
    /// Of the 1,900 between.
    Middling,
    /// Of the hundred most frequent.
    Common,
}

/// A query of four words of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) class: Class,
    pub(crate) text: String,
}

const QUERY_WORDS: usize = 4;

impl Class {
    pub(crate) const ALL: [Class; 3] = [Class::Rare, Class::Middling, Class::Common];

    /// The ranks of its words, the last one not included.
    fn ranks(self) -> (usize, usize) {
        match self {
            Class::Rare => (2_000, WORDS),
            Class::Middling => (100, 2_000),
            Class::Common => (0, 100),
        }
    }
}

/// The queries of a seed: class after class in turn.
pub(crate) fn of(seed: u64, count: usize) -> Vec<Query> {
    // The log's words come first from the same seed.
    let mut random = Random::new(seed);
    let vocabulary = Vocabulary::new(&mut random);
    let classes = Class::ALL.into_iter().cycle().take(count);
    classes.map(|class| query(class, &vocabulary, &mut random)).collect()
}

fn query(class: Class, vocabulary: &Vocabulary, random: &mut Random) -> Query {
    let (first, end) = class.ranks();
    let mut word = || {
        let place = random.below((end - first) as u64);
        vocabulary.ranked(first + usize::try_from(place).unwrap_or_default())
    };
    let words: Vec<&str> = (0..QUERY_WORDS).map(|_| word()).collect();
    Query { class, text: words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_queries_is_of_each_class_and_a_seed_fixes_them() {
        let queries = of(42, 30);
        assert_eq!(queries, of(42, 30));
        assert_ne!(queries, of(43, 30));
        let vocabulary = Vocabulary::new(&mut Random::new(42));
        for class in Class::ALL {
            let of_class: Vec<&Query> = queries.iter().filter(|one| one.class == class).collect();
            assert_eq!(of_class.len(), 10);
            let (first, end) = class.ranks();
            for word in of_class.iter().flat_map(|query| query.text.split(' ')) {
                assert!((first..end).any(|rank| vocabulary.ranked(rank) == word), "{word}");
            }
        }
    }
}
