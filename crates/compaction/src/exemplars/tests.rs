use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::coverage::{rarity, share};
use crate::tests::text;
use crate::weight::WEIGHT_ONE;
use crate::words::{push_lower, words};

const BYTES: usize = 64;

fn terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    words(text, &mut |start, end| {
        let mut word = String::new();
        push_lower(&text[start..end], &mut word);
        terms.insert(word);
    });
    terms
}

/// The definition, recomputed from strings in every round.
struct Naive {
    all: Vec<BTreeSet<String>>,
    shown: Vec<BTreeSet<String>>,
    weights: Vec<u64>,
}

impl Naive {
    fn new(texts: &[&str], weights: &[u64], coverage: &Coverage) -> Naive {
        let excerpts = texts.iter().zip(&coverage.excerpts);
        Naive {
            all: texts.iter().map(|text| terms(text)).collect(),
            shown: excerpts.map(|(text, bytes)| terms(&text[bytes.clone()])).collect(),
            weights: weights.to_vec(),
        }
    }

    fn rarity(&self, term: &str) -> u64 {
        let having = self.all.iter().filter(|terms| terms.contains(term)).count();
        rarity(self.all.len(), having).into()
    }

    fn rarities<'a>(&self, terms: impl Iterator<Item = &'a String>) -> u64 {
        terms.map(|term| self.rarity(term)).sum()
    }

    fn worth(&self, term: &str) -> u64 {
        let having = self.all.iter().zip(&self.weights).filter(|(terms, _)| terms.contains(term));
        let given = having.map(|(terms, weight)| {
            share(*weight, u32::try_from(self.rarity(term)).unwrap(), self.rarities(terms.iter()))
        });
        given.sum()
    }

    fn covered(&self, chosen: &[u32]) -> BTreeSet<&String> {
        chosen.iter().flat_map(|item| &self.shown[place(*item)]).collect()
    }

    fn gain(&self, chosen: &[u32], item: u32) -> u64 {
        let covered = self.covered(chosen);
        let new = self.shown[place(item)].iter().filter(|term| !covered.contains(term));
        new.map(|term| self.worth(term)).sum()
    }

    fn represents(&self, chosen: &[u32], item: u32) -> bool {
        let covered = self.covered(chosen);
        let own = &self.all[place(item)];
        let share = self.rarities(own.iter().filter(|term| covered.contains(term)));
        chosen.contains(&item) || is_covered(share, self.rarities(own.iter()))
    }

    fn missing(&self, chosen: &[u32], top: &[u32]) -> u64 {
        let missing = top.iter().filter(|item| !self.represents(chosen, **item));
        missing.map(|item| self.weights[place(*item)]).sum()
    }

    fn choose(&self, (top, called): (&[u32], &[u32]), limits: Limits) -> Vec<u32> {
        let mut chosen = Vec::new();
        let best = |chosen: &[u32], among: Vec<u32>| {
            among.into_iter().max_by_key(|item| (self.gain(chosen, *item), Reverse(*item)))
        };
        for (these, limit) in [(top, limits.own), (called, limits.all)] {
            let whole: u64 = these.iter().map(|item| self.weights[place(*item)]).sum();
            while chosen.len() < limit && self.missing(&chosen, these) * 100 > whole * 5 {
                let among = these.iter().copied().filter(|item| !self.represents(&chosen, *item));
                chosen.push(best(&chosen, among.collect()).unwrap());
            }
        }
        let limit = limits.own;
        let all: BTreeSet<&String> = self.all.iter().flatten().collect();
        let total: u64 = all.into_iter().map(|term| self.worth(term)).sum();
        while chosen.len() < limit {
            let among = (0..number(self.all.len())).filter(|item| !chosen.contains(item));
            let Some(item) = best(&chosen, among.collect()) else { break };
            let gain = self.gain(&chosen, item);
            if gain == 0 || gain * self.all.len() as u64 * 8 < total {
                break;
            }
            chosen.push(item);
        }
        chosen
    }
}

fn items() -> impl Strategy<Value = Vec<(String, u64, i64)>> {
    let weight = prop_oneof![Just(WEIGHT_ONE), Just(1), 1..WEIGHT_ONE];
    // An item without a word is no source.
    let text = text().prop_map(|text| text + " end");
    proptest::collection::vec((text, weight, -3..3_i64), 1..14)
}

proptest! {
    #[test]
    fn the_lazy_choice_is_the_naive_one(
        items in items(), own in 0..6_usize, more in 0..6_usize, calling in any::<u16>(),
    ) {
        let texts: Vec<&str> = items.iter().map(|item| item.0.as_str()).collect();
        let weights: Vec<u64> = items.iter().map(|item| item.1).collect();
        let levels: Vec<(Log2, Seq)> =
            items.iter().zip(0..).map(|(item, seq)| (Log2(item.2), Seq(seq))).collect();
        let coverage = Coverage::of(&texts, weights.clone(), BYTES);
        let top = top_decile(&levels);
        let called: Vec<u32> =
            (0..number(texts.len())).filter(|item| calling >> item & 1 == 1).collect();
        let limits = Limits { own, all: own + more };
        let found = choose(&coverage, (&top, &called), limits, &mut Work::default());
        let naive = Naive::new(&texts, &weights, &coverage);
        prop_assert_eq!(&found, &naive.choose((&top, &called), limits));
    }

    #[test]
    fn no_choice_of_as_many_adds_half_as_much_again(items in items(), limit in 1..4_usize) {
        let texts: Vec<&str> = items.iter().map(|item| item.0.as_str()).collect();
        let weights: Vec<u64> = items.iter().map(|item| item.1).collect();
        let coverage = Coverage::of(&texts, weights.clone(), BYTES);
        let mut work = Work::default();
        // Without a top decile the choice is the plain greedy one.
        let limits = Limits { own: limit, all: limit };
        let found = choose(&coverage, (&[], &[]), limits, &mut work);
        let naive = Naive::new(&texts, &weights, &coverage);
        let value = |chosen: &[u32]| naive.covered(chosen).into_iter().map(|term| naive.worth(term)).sum::<u64>();
        let count = number(texts.len());
        let best = (0..1_u32 << count)
            .filter(|set| set.count_ones() as usize <= limit)
            .map(|set| value(&(0..count).filter(|item| set >> item & 1 == 1).collect::<Vec<_>>()))
            .max()
            .unwrap();
        // 1 - 1/e is 0.632; what was not worth quoting is at most an eighth of an average
        // item for every place that was left.
        let total: u64 = coverage.worth.iter().sum();
        let spared = total / (u64::from(count) * AVERAGE_PARTS) * (limit - found.len()) as u64;
        prop_assert!((value(&found) + spared) * 1_000 + 1_000 >= best * 632, "{} of {best}", value(&found));
    }
}

/// Texts in which every item shares its words with others, in four ways.
fn texts(shape: usize, count: usize) -> Vec<String> {
    (0..count)
        .map(|item| {
            let word = |place: usize| match shape {
                // All alike, all apart, neighbours alike, and each word of half as many as
                // the one before.
                0 => format!("w{place}"),
                1 => format!("w{item}x{place}"),
                2 => format!("w{}", item + place),
                _ => format!("w{place}x{}", item >> place),
            };
            (0..12).map(word).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
fn a_choice_costs_little_more_than_its_words() {
    for shape in 0..4 {
        let mut before: Option<u64> = None;
        for count in [512, 1_024, 2_048, 4_096, 8_192] {
            let texts = texts(shape, count);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            // Weights that make many gains go out of date.
            let weights = (0..count as u64).map(|item| 1 + item * 7_919 % WEIGHT_ONE).collect();
            let levels: Vec<_> = (0..count as u64)
                .map(|item| (Log2(i64::try_from(item * 7_919 % 1_000).unwrap()), Seq(item)))
                .collect();
            let coverage = Coverage::of(&texts, weights, BYTES);
            let mut work = Work::default();
            let limits = Limits { own: count / 8, all: count / 2 };
            let called: Vec<u32> = (0..number(count)).filter(|item| item % 3 > 0).collect();
            let top = (top_decile(&levels), called);
            let chosen = choose(&coverage, (&top.0, &top.1), limits, &mut work);
            assert!(!chosen.is_empty());
            let words = coverage.words as u64;
            assert!(work.postings <= 2 * words, "{shape}: {work:?} for {words} words");
            assert!(work.heap <= words + 3 * count as u64, "{shape}: {work:?} for {words} words");
            let all = work.postings + work.heap;
            if let Some(before) = before {
                assert!(all * 10 <= before * 23, "{shape}: {before} to {all} at {count}");
            }
            before = Some(all);
        }
    }
}

#[test]
fn a_tenth_is_the_top() {
    let level = |level: i64, seq: u64| (Log2(level), Seq(seq));
    assert_eq!(top_decile(&[]), [0; 0]);
    assert_eq!(top_decile(&[level(1, 1)]), [0]);
    let eleven: Vec<_> = (0..11).map(|seq| level(i64::from(seq == 7), seq)).collect();
    assert_eq!(top_decile(&eleven), [7, 0]);
}
