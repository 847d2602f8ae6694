//! Procedures as Zaxy 3.2.0 mines them, for comparison; written from a description.
//!
//! Every run of steps between two failures gives its n-grams of 2 to 8 steps. Those of at
//! least two sessions are procedures, except for one that a longer one contains whose
//! sessions are the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::mine::planted::{Procedure, Session};
use crate::mine::report::{Best, Score};

/// The n-grams that are procedures, each with its steps and how many sessions have it.
#[derive(Debug)]
pub(crate) struct Ngrams(Vec<Ngram>);

#[derive(Debug)]
struct Ngram {
    steps: Vec<u64>,
    support: usize,
}

const STEPS: (usize, usize) = (2, 8);
const SUPPORT_MIN: usize = 2;

/// All n-grams of one length.
#[derive(Debug, Default)]
struct Level {
    /// The number of the n-gram that begins at each place, where one does.
    at: Vec<Option<usize>>,
    /// By number: where one stands, and in how many sessions.
    grams: Vec<(usize, usize)>,
    /// Those that a longer one stands for.
    contained: BTreeSet<usize>,
}

impl Ngrams {
    pub(crate) fn of(sessions: &[Session]) -> Ngrams {
        // A failed step stands between runs; so does the end of a session.
        let mut steps: Vec<Option<u64>> = Vec::new();
        let mut owners: Vec<usize> = Vec::new();
        for (number, session) in sessions.iter().enumerate() {
            steps.extend(session.steps.iter().map(|step| step.ok.then_some(step.rank)));
            steps.push(None);
            owners.resize(steps.len(), number);
        }
        let mut found = Vec::new();
        let mut level = Level::first(&steps, &owners);
        for len in 2..=STEPS.1 + 1 {
            let next =
                if len > STEPS.1 { Level::default() } else { level.longer(&steps, &owners, len) };
            level.contained_in(&next);
            if len > STEPS.0 {
                level.take(&steps, len - 1, &mut found);
            }
            level = next;
        }
        Ngrams(found)
    }

    pub(crate) fn score(&self, planted: &[Procedure]) -> Score {
        Score {
            matched: self.hits(planted).len(),
            candidates: self.0.len(),
            planted: planted.len(),
        }
    }

    /// The score with the least support that a judge who knows the answer would choose: the
    /// harmonic mean of precision and recall is greatest there.
    pub(crate) fn best(&self, planted: &[Procedure]) -> Best {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        let mut hits: BTreeMap<usize, usize> = BTreeMap::new();
        self.0.iter().for_each(|gram| *sizes.entry(gram.support).or_default() += 1);
        self.hits(planted).into_iter().for_each(|support| *hits.entry(support).or_default() += 1);
        let mut score = Score { matched: 0, candidates: 0, planted: planted.len() };
        let mut best = Best { support_min: SUPPORT_MIN, score: self.score(planted) };
        for (support, size) in sizes.into_iter().rev() {
            score.candidates += size;
            score.matched += hits.get(&support).copied().unwrap_or(0);
            if score.harmonic() > best.score.harmonic() {
                best = Best { support_min: support, score };
            }
        }
        best
    }

    /// The supports of the n-grams that are planted.
    fn hits(&self, planted: &[Procedure]) -> Vec<usize> {
        let wanted: BTreeSet<&[u64]> = planted.iter().map(|one| one.steps.as_slice()).collect();
        let hits = self.0.iter().filter(|gram| wanted.contains(gram.steps.as_slice()));
        hits.map(|gram| gram.support).collect()
    }
}

impl Level {
    /// The single steps.
    fn first(steps: &[Option<u64>], owners: &[usize]) -> Level {
        let keys =
            steps.iter().enumerate().filter_map(|(place, step)| Some((((*step)?, 0), place)));
        Level::of(keys.collect(), steps.len(), owners)
    }

    /// The n-grams of `len` steps: those of one step fewer, and a step.
    fn longer(&self, steps: &[Option<u64>], owners: &[usize], len: usize) -> Level {
        let key = |place: usize| {
            let front = (*self.at.get(place)?)?;
            let last = (*steps.get(place + len - 1)?)?;
            Some(((front as u64, last), place))
        };
        Level::of((0..steps.len()).filter_map(key).collect(), steps.len(), owners)
    }

    fn of(mut keys: Vec<((u64, u64), usize)>, places: usize, owners: &[usize]) -> Level {
        let mut level = Level { at: vec![None; places], ..Level::default() };
        keys.sort_unstable();
        for group in keys.chunk_by(|a, b| a.0 == b.0) {
            let mut sessions: Vec<_> = group.iter().map(|(_, place)| owners.get(*place)).collect();
            sessions.dedup();
            // What is in one session alone is no part of anything in two.
            let Some((_, first)) = group.first().filter(|_| sessions.len() >= SUPPORT_MIN) else {
                continue;
            };
            for (_, place) in group {
                if let Some(at) = level.at.get_mut(*place) {
                    *at = Some(level.grams.len());
                }
            }
            level.grams.push((*first, sessions.len()));
        }
        level
    }

    /// Marks those that one with one more step stands for. A longer one has no other
    /// sessions, so as many are the same; and what is between two that have the same has
    /// them too.
    fn contained_in(&mut self, longer: &Level) {
        for (place, support) in &longer.grams {
            for part in [*place, place + 1] {
                let number = self.at.get(part).copied().flatten();
                let is_same =
                    |number: &usize| self.grams.get(*number).is_some_and(|(_, own)| own == support);
                self.contained.extend(number.filter(is_same));
            }
        }
    }

    fn take(&self, steps: &[Option<u64>], len: usize, found: &mut Vec<Ngram>) {
        for (number, (place, support)) in self.grams.iter().enumerate() {
            if !self.contained.contains(&number) {
                let steps = steps.iter().skip(*place).take(len).flatten().copied().collect();
                found.push(Ngram { steps, support: *support });
            }
        }
    }
}
