use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use memlith_testkit::sim::Chance;
use serde_json::{Value, json};

use super::judge::Judge;
use super::law::Law;
use super::{engine, packs, step, summaries, twins};
use crate::spread::spread;

/// Which histories are checked, and against what.
#[derive(Clone, Debug)]
pub struct Laws {
    /// Each names a history of folds and one of an engine.
    pub seeds: Range<u64>,
    /// Threads; the result does not depend on them.
    pub threads: usize,
    /// The only law that is checked; all of them where absent. What is asked of a history
    /// depends on it, so a violation is shown again by its seed with the same choice.
    pub only: Option<Law>,
    /// Whether no history is begun after one that broke a law.
    pub until_harm: bool,
}

/// Verdicts on all laws.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Histories that were played: of folds, of an engine, or both.
    pub histories: u64,
    /// Law by law.
    pub laws: BTreeMap<Law, Verdict>,
}

/// Verdict on one law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Histories in which there was something to check.
    pub histories: u64,
    /// Cases that were checked.
    pub cases: u64,
    /// Those that broke the law.
    pub violations: u64,
    /// The seed of the first of them, and what it was.
    pub first: Option<(u64, String)>,
}

/// Plays the histories of every seed and checks the laws.
#[must_use]
pub fn laws(laws: &Laws) -> Verdicts {
    let check = |seed| (seed, safely(seed, laws.only));
    let is_last = |(_, judge): &(u64, Judge)| {
        laws.until_harm && judge.found().any(|(_, found)| found.violations > 0)
    };
    let mut verdicts = Verdicts::default();
    for (seed, judge) in spread(laws.seeds.clone(), laws.threads, &check, &is_last) {
        let engine = Law::ALL.iter().filter(|law| judge.asks(**law));
        let kinds = |engines: bool| engine.clone().any(|law| law.needs_engine() == engines);
        verdicts.histories += u64::from(kinds(false)) + u64::from(kinds(true));
        for (law, found) in judge.found() {
            let verdict = verdicts.laws.entry(law).or_default();
            verdict.histories += 1;
            verdict.cases += found.cases;
            verdict.violations += found.violations;
            if let (None, Some(what)) = (&verdict.first, &found.first) {
                verdict.first = Some((seed, what.clone()));
            }
        }
    }
    verdicts
}

/// Checks the histories of a seed; a panic breaks whatever law was being checked.
fn safely(seed: u64, only: Option<Law>) -> Judge {
    let checked = catch_unwind(AssertUnwindSafe(|| check(seed, only)));
    checked.unwrap_or_else(|_| {
        let mut judge = Judge::new(only);
        judge.fail(only.unwrap_or(Law::P7), "a panic".to_owned());
        judge
    })
}

fn check(seed: u64, only: Option<Law>) -> Judge {
    let mut judge = Judge::new(only);
    let mut chance = Chance::of(&[seed, 0x7a0]);
    if only.is_none_or(|law| !law.needs_engine()) {
        let history = step::history(seed);
        let (mut player, mut watch) = packs::play(&history, &mut chance, &mut judge);
        packs::recorded_later(&player, &mut chance, &mut judge);
        summaries::planned(&mut player, &mut watch, &mut chance, &mut judge);
        twins::without_derived(&history, &mut chance, &mut judge);
        twins::without_another_scope(&history, &mut chance, &mut judge);
    }
    if only.is_none_or(Law::needs_engine) {
        engine::check(seed, &mut judge);
    }
    judge
}

impl Verdicts {
    /// Cases of all laws.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.laws.values().map(|verdict| verdict.cases).sum()
    }

    /// Cases that broke a law.
    #[must_use]
    pub fn violations(&self) -> u64 {
        self.laws.values().map(|verdict| verdict.violations).sum()
    }

    /// A line for each law that was checked, as of a campaign of its own.
    pub fn lines(&self) -> impl Iterator<Item = Value> {
        self.laws.iter().map(|(law, verdict)| {
            let Verdict { histories, cases, violations, first } = verdict;
            let stories = first.iter().map(|(seed, what)| format!("seed {seed}: {what}"));
            json!({
                "name": law.to_string(), "tried": cases, "refused": 0, "lost": 0,
                "wrong": violations, "unopened": 0, "skipped": null, "bugs": law.bugs(),
                "note": format!("in {histories} histories: {}", law.says()),
                "stories": stories.collect::<Vec<_>>(), "wall_ms": 0,
            })
        })
    }
}

impl fmt::Display for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (law, verdict) in &self.laws {
            let Verdict { histories, cases, violations, first } = verdict;
            writeln!(
                f,
                "{law:<4}{histories:>9} histories {cases:>12} cases {violations:>6} broken: {}",
                law.says()
            )?;
            if let Some((seed, what)) = first {
                writeln!(f, "    seed {seed}: {what}")?;
            }
        }
        let (cases, violations) = (self.cases(), self.violations());
        write!(f, "{} histories, {cases} cases, {violations} violations", self.histories)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_has_cases_and_holds_on_any_number_of_threads() {
        let of = |threads| laws(&Laws { seeds: 0..12, threads, only: None, until_harm: false });
        let verdicts = of(2);
        assert_eq!(verdicts.violations(), 0, "{verdicts}");
        assert_eq!(verdicts.laws.len(), Law::ALL.len(), "{verdicts}");
        assert_eq!(verdicts.laws, of(1).laws);
        assert_eq!(verdicts.histories, 24);
    }

    #[test]
    fn one_law_alone_is_checked_as_among_all() {
        let laws = |only| laws(&Laws { seeds: 3..6, threads: 1, only, until_harm: false });
        for law in [Law::P5, Law::P10] {
            let (one, all) = (laws(Some(law)), laws(None));
            assert_eq!(one.laws.keys().copied().collect::<Vec<_>>(), [law]);
            assert!(all.laws.contains_key(&law));
            assert_eq!(one.violations() + all.violations(), 0);
        }
    }
}
