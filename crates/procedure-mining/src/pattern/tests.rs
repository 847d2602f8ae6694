use std::collections::BTreeSet;

use memlith_log::Seq;
use proptest::prelude::*;

use super::*;
use crate::{Ending, Sessions, Step};

/// Runs of letters.
pub(crate) fn corpus(runs: &[Vec<u8>]) -> Corpus {
    let mut sessions = Sessions::default();
    for run in runs {
        sessions.begin("", Ending::Unknown).unwrap();
        for letter in run {
            let verb = char::from(b'a' + letter).to_string();
            let step = Step { seq: Seq(0), verb: &verb, parameters: "", ok: None };
            sessions.push(step).unwrap();
        }
    }
    Corpus::of(&sessions, 1)
}

/// Whether a run holds the pattern from `place` on, each step at most `gap` others behind
/// the one before.
pub(crate) fn holds(run: &[Token], pattern: &[Token], gap: usize) -> bool {
    fn follows(run: &[Token], from: usize, pattern: &[Token], gap: usize) -> bool {
        let Some((next, rest)) = pattern.split_first() else { return true };
        let reach = from..run.len().min(from + gap + 1);
        reach.into_iter().any(|at| run[at] == *next && follows(run, at + 1, rest, gap))
    }
    let Some((first, rest)) = pattern.split_first() else { return true };
    (0..run.len()).any(|at| run[at] == *first && follows(run, at + 1, rest, gap))
}

fn runs(corpus: &Corpus) -> Vec<Vec<Token>> {
    let run = |run: &crate::corpus::Run| (run.first..run.end).map(|at| corpus.token(at)).collect();
    corpus.runs().iter().map(run).collect()
}

/// Every pattern along links, its runs, and whether it is closed: by trying them all.
fn naive(corpus: &Corpus, links: &Links, bounds: Bounds) -> BTreeSet<(Vec<Token>, u64)> {
    let all = runs(corpus);
    let holders = |pattern: &[Token]| -> BTreeSet<usize> {
        (0..all.len()).filter(|run| holds(&all[*run], pattern, bounds.gap_max)).collect()
    };
    let linked = |pattern: &[Token]| pattern.windows(2).all(|pair| links.holds(pair[0], pair[1]));
    let tokens: Vec<Token> = corpus.tokens().collect();
    let mut found = BTreeSet::new();
    let mut patterns: Vec<Vec<Token>> = tokens.iter().map(|token| vec![*token]).collect();
    while let Some(pattern) = patterns.pop() {
        let own = holders(&pattern);
        if pattern.len() < bounds.steps_max {
            patterns.extend(tokens.iter().map(|token| [&pattern[..], &[*token]].concat()));
        }
        if pattern.len() < 2 || !linked(&pattern) || (own.len() as u64) < bounds.support_min {
            continue;
        }
        let longer = (0..=pattern.len()).flat_map(|slot| {
            let pattern = &pattern;
            tokens.iter().map(move |token| [&pattern[..slot], &[*token], &pattern[slot..]].concat())
        });
        let closed = pattern.len() >= bounds.steps_max
            || !longer
                .into_iter()
                .any(|longer| linked(&longer) && own.is_subset(&holders(&longer)));
        if closed {
            found.insert((pattern, own.len() as u64));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn closed_patterns_are_those_of_the_definition(
        letters in prop::collection::vec(prop::collection::vec(0_u8..4, 0..8), 1..6),
        unlinked in prop::collection::btree_set((0_u32..4, 0_u32..4), 0..6),
        support_min in 1_u64..4,
        gap_max in 0_usize..3,
        steps_max in 2_usize..6,
    ) {
        let corpus = corpus(&letters);
        let tokens: Vec<Token> = corpus.tokens().collect();
        let pairs = tokens.iter().flat_map(|a| tokens.iter().map(move |b| (*a, *b)));
        let links = Links::between(pairs.filter(|(a, b)| !unlinked.contains(&(a.0, b.0))));
        let bounds = Bounds { support_min, gap_max, steps_max, patterns_max: usize::MAX };
        let found = closed(&corpus, &links, bounds, &|_| true);
        let listed: Vec<_> =
            found.iter().map(|pattern| (pattern.tokens.clone(), pattern.support)).collect();
        let set: BTreeSet<_> = listed.iter().cloned().collect();
        prop_assert_eq!(set.len(), listed.len());
        prop_assert_eq!(set, naive(&corpus, &links, bounds));
    }

    #[test]
    fn supports_are_those_of_each_bound_on_the_gaps(
        letters in prop::collection::vec(prop::collection::vec(0_u8..3, 0..10), 1..5),
        pattern in prop::collection::vec(0_u32..3, 1..5),
        gap_max in 0_usize..4,
    ) {
        let corpus = corpus(&letters);
        let pattern: Vec<Token> = pattern.into_iter().map(Token).collect();
        let found = supports(&corpus, &ends(&corpus, &pattern, gap_max, &[]), gap_max);
        let all = runs(&corpus);
        let known = pattern.iter().all(|token| corpus.column(*token).is_some());
        for (gap, support) in found.iter().enumerate() {
            let expected = all.iter().filter(|run| holds(run, &pattern, gap)).count();
            prop_assert_eq!(*support, if known { expected as u64 } else { 0 });
        }
    }
}

#[test]
fn the_search_ends_with_as_many_patterns_as_it_may_meet() {
    let corpus = corpus(&vec![vec![0, 1, 2, 3, 0, 1, 2, 3]; 3]);
    let tokens: Vec<Token> = corpus.tokens().collect();
    let links = Links::between(tokens.iter().flat_map(|a| tokens.iter().map(move |b| (*a, *b))));
    let bounds = Bounds { support_min: 2, gap_max: 3, steps_max: 8, patterns_max: 10 };
    let met = std::cell::Cell::new(0);
    closed(&corpus, &links, bounds, &|_| {
        met.set(met.get() + 1);
        true
    });
    assert_eq!(met.get(), 10);
}

#[test]
fn steps_that_are_taken_hold_nothing() {
    let corpus = corpus(&[vec![0, 1, 0, 1]]);
    let pattern = [Token(0), Token(1)];
    let ends = |free: &[bool]| ends(&corpus, &pattern, 0, free);
    assert_eq!(ends(&[]), [(1, 0), (3, 0)]);
    assert_eq!(ends(&[false, true, true, true]), [(3, 0)]);
    assert_eq!(ends(&[true, true, true, false]), [(1, 0)]);
}
