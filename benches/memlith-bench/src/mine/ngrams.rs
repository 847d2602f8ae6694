//! Procedures as Zaxy 3.2.0 mines them, for comparison; written from a description.
//!
//! Every run of steps between two failures gives its n-grams of 2 to 8 steps. Those of at
//! least two sessions are procedures, except for one that a longer one contains whose
//! sessions are the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::mine::Score;
use crate::mine::planted::{Procedure, Session};

/// The n-grams that are procedures, each with how many sessions have it.
#[derive(Debug)]
pub(crate) struct Ngrams(BTreeMap<Vec<u64>, usize>);

const STEPS_MAX: usize = 8;
const SUPPORT_MIN: usize = 2;

impl Ngrams {
    pub(crate) fn of(sessions: &[Session]) -> Ngrams {
        // A failed step stands between runs; so does the end of a session.
        let mut runs: Vec<(usize, Vec<u64>)> = Vec::new();
        for (number, session) in sessions.iter().enumerate() {
            for run in session.steps.split(|step| !step.ok) {
                runs.push((number, run.iter().map(|step| step.rank).collect()));
            }
        }
        let mut found = BTreeMap::new();
        let mut shorter = supports(&runs, 1, &BTreeMap::new());
        for len in 2..=STEPS_MAX {
            let longer = supports(&runs, len, &shorter);
            // A longer one has no other sessions, so as many are the same; and what is between
            // two that have the same has them too.
            for (gram, support) in &longer {
                for part in gram.windows(len - 1) {
                    if shorter.get(part) == Some(support) {
                        found.remove(part);
                    }
                }
            }
            found.extend(longer.iter().map(|(gram, support)| (gram.to_vec(), *support)));
            shorter = longer;
        }
        Ngrams(found)
    }

    pub(crate) fn score(&self, planted: &[Procedure]) -> Score {
        self.at_least(SUPPORT_MIN, planted)
    }

    /// The least support that a judge who knows the answer would choose, and its score: the
    /// harmonic mean of precision and recall is greatest there.
    pub(crate) fn best(&self, planted: &[Procedure]) -> (usize, Score) {
        let supports: BTreeSet<usize> = self.0.values().copied().collect();
        let mut best = (SUPPORT_MIN, self.score(planted));
        for support in supports.into_iter().rev() {
            let score = self.at_least(support, planted);
            if score.harmonic() > best.1.harmonic() {
                best = (support, score);
            }
        }
        best
    }

    /// The score of those that at least so many sessions have.
    fn at_least(&self, support_min: usize, planted: &[Procedure]) -> Score {
        let is_enough = |support: &usize| *support >= support_min;
        let is_found = |one: &&Procedure| self.0.get(&one.steps).is_some_and(is_enough);
        Score {
            matched: planted.iter().filter(is_found).count(),
            candidates: self.0.values().filter(|support| is_enough(support)).count(),
            planted: planted.len(),
        }
    }
}

/// The n-grams of one length that at least two sessions have, and how many have each. What is
/// in one session alone is no part of anything in two: `shorter` are those of one step fewer.
fn supports<'a>(
    runs: &'a [(usize, Vec<u64>)],
    len: usize,
    shorter: &BTreeMap<&[u64], usize>,
) -> BTreeMap<&'a [u64], usize> {
    let mut last_and_count: BTreeMap<&[u64], (usize, usize)> = BTreeMap::new();
    for (session, run) in runs {
        for gram in run.windows(len) {
            let is_known = |part: &[u64]| shorter.contains_key(part);
            if len > 1 && !gram.windows(len - 1).all(is_known) {
                continue;
            }
            let (last, count) = last_and_count.entry(gram).or_insert((usize::MAX, 0));
            if *last != *session {
                (*last, *count) = (*session, *count + 1);
            }
        }
    }
    let counted = last_and_count.into_iter().map(|(gram, (_, count))| (gram, count));
    counted.filter(|(_, count)| *count >= SUPPORT_MIN).collect()
}
