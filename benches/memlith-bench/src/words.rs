//! A made-up vocabulary, and texts in which words are as unevenly frequent as in speech.

use std::collections::BTreeSet;

/// Numbers that depend on a seed and nothing else, on every machine alike.
///
/// Source: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; the bias is less than `bound / 2^64`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or_default()
    }

    pub(crate) fn within(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// One of `choices`, which are not empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> Option<&'a T> {
        let place = usize::try_from(self.below(choices.len() as u64)).ok()?;
        choices.get(place).copied()
    }
}

/// Words by falling frequency.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// The sum of the weights up to and with each word.
    sums: Vec<u64>,
}

/// How many words there are. Source: the Zaxy workload that this one repeats.
pub(crate) const WORDS: usize = 20_000;

/// The weight of the most frequent word; the word of rank r has this divided by r.
const WEIGHT: u64 = 1_000_000_000;

const ONSETS: [&str; 18] =
    ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "dr", "pl", "st"];
const NUCLEI: [&str; 6] = ["a", "e", "i", "o", "u", "ia"];
const CODAS: [&str; 6] = ["", "", "", "l", "n", "st"];

impl Vocabulary {
    pub(crate) fn new(random: &mut Random) -> Vocabulary {
        let mut met = BTreeSet::new();
        let mut words = Vec::with_capacity(WORDS);
        while words.len() < WORDS {
            let word = word(random);
            if met.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut sum = 0;
        let weights = (1..=words.len() as u64).map(|rank| WEIGHT / rank);
        let sums = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        Vocabulary { words, sums }
    }

    /// A word as it comes in a text.
    pub(crate) fn word(&self, random: &mut Random) -> &str {
        let total = self.sums.last().copied().unwrap_or(1);
        let point = random.below(total);
        self.ranked(self.sums.partition_point(|sum| *sum <= point))
    }

    /// The word of a rank, from 0.
    pub(crate) fn ranked(&self, rank: usize) -> &str {
        self.words.get(rank).map_or("", String::as_str)
    }

    /// A text of `count` words, without a full stop.
    pub(crate) fn text(&self, random: &mut Random, count: u64) -> String {
        let words: Vec<&str> = (0..count).map(|_| self.word(random)).collect();
        words.join(" ")
    }
}

fn word(random: &mut Random) -> String {
    let syllables = random.within(2, 3);
    let mut word = String::new();
    for _ in 0..syllables {
        for part in [&ONSETS[..], &NUCLEI, &CODAS] {
            word.push_str(random.pick(part).unwrap_or_default());
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_the_paper() {
        // The first outputs of the published algorithm for the seed 1234567.
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([random.next(), random.next()], expected);
    }
}
