//! How much of what is hidden in sessions is mined, beside n-grams.

mod ngrams;
mod planted;
mod spoken;

use anyhow::Result;
use memlith::procedures::{Candidate, Miner};
use serde_json::json;

use self::ngrams::Ngrams;
use self::planted::{Plan, Planted};
use self::spoken::{sessions, verb};
use crate::report::{Timed, answer};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Stopwatch, millis, rounded};

/// Arguments of `memlith-bench mine`.
#[derive(Debug, clap::Args)]
pub(crate) struct MineArgs {
    #[command(flatten)]
    plan: Plan,
}

/// How many of what was hidden was found, and of what was proposed was hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    matched: usize,
    candidates: usize,
    planted: usize,
}

impl Score {
    /// 1 where nothing was proposed: nothing of it is wrong.
    fn precision(self) -> f64 {
        share(self.matched, self.candidates)
    }

    fn recall(self) -> f64 {
        share(self.matched, self.planted)
    }

    /// The harmonic mean of both.
    fn harmonic(self) -> f64 {
        2.0 * self.matched as f64 / (self.candidates + self.planted).max(1) as f64
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { rounded(part as f64 / whole as f64, 6) }
}

/// Reads a share of 1 as thousandths.
fn noise(text: &str) -> Result<u64, String> {
    let thousandths = memlith_verbs::decimal::scaled(text, 3).filter(|share| *share <= 1_000);
    thousandths.ok_or_else(|| "a share is between 0 and 1, such as 0.2".to_owned())
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// There are more steps than can be mined at once.
pub(crate) fn run(args: &MineArgs, context: &mut Context) -> Result<Exit> {
    let planted = Planted::of(args.plan);
    let miner = Miner::default();
    let watch = Stopwatch::start();
    let mined_from = sessions(&planted.sessions)?;
    let abstracted = watch.elapsed();
    let mut timed = Timed::default();
    let candidates = timed.run(|| Ok(miner.mine(&mined_from)))?;
    let steps = mined_from.steps_len();
    drop(mined_from);
    let shuffled = miner.mine(&sessions(&planted.shuffled(args.plan.seed))?);
    let (found, ngrams) = (score(&planted, &candidates), Ngrams::of(&planted.sessions));
    let (all, (support_min, best)) =
        (ngrams.score(&planted.procedures), ngrams.best(&planted.procedures));
    let figures = json!({
        "precision": found.precision(),
        "recall": found.recall(),
        "ngram_precision": all.precision(),
        "ngram_recall": all.recall(),
        "ngram_best_precision": best.precision(),
        "ngram_best_recall": best.recall(),
        "ngram_best_support": support_min,
        "shuffled_candidates": shuffled.len(),
        "planted": found.planted,
        "candidates": found.candidates,
        "matched": found.matched,
        "ngram_candidates": all.candidates,
        "contrast_recall": contrast(&planted, &candidates).recall(),
        "noise": args.plan.noise as f64 / 1000.0,
        "sessions": args.plan.sessions,
        "steps": steps,
        "cpu_ms": timed.cpu.percentile_ms(50),
        "abstract_ms": millis(abstracted),
        "seed": args.plan.seed,
    });
    answer(context, &timed.walls, figures)
}

/// A candidate matches if its steps are those of the procedure: all, in order, no other.
fn matches(procedure: &planted::Procedure, candidate: &Candidate) -> bool {
    let verbs = procedure.steps.iter().map(|rank| verb(*rank));
    verbs.eq(candidate.steps.iter().map(|step| step.verb.clone()))
}

/// Candidates differ from each other, and procedures do: who matches, matches one.
fn score(planted: &Planted, candidates: &[Candidate]) -> Score {
    let is_matched =
        |procedure: &&planted::Procedure| candidates.iter().any(|one| matches(procedure, one));
    let matched = planted.procedures.iter().filter(is_matched).count();
    Score { matched, candidates: candidates.len(), planted: planted.procedures.len() }
}

/// Of the procedures that are matched, those whose deviation is told first.
fn contrast(planted: &Planted, candidates: &[Candidate]) -> Score {
    let mut score = Score::default();
    for candidate in candidates {
        score.candidates += candidate.deviations.len().min(1);
        let found = planted.procedures.iter().find(|procedure| matches(procedure, candidate));
        let Some(procedure) = found else { continue };
        score.planted += 1;
        let told = candidate.deviations.first();
        let is_it = told.is_some_and(|told| spoken::is_told(procedure.deviation, told));
        score.matched += usize::from(is_it);
    }
    score
}

#[cfg(test)]
mod tests;
