//! How much of what is hidden in sessions is mined, beside n-grams.

mod ngrams;
mod noise;
mod planted;
mod report;
mod spoken;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use memlith::procedures::{Candidate, Miner};

use self::ngrams::Ngrams;
use self::noise::Noise;
use self::planted::{Plan, Planted};
use self::report::{Printed, Score};
use self::spoken::{sessions, verb};
use crate::summary::{Summary, cpu_time};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Stopwatch, Walls, millis};

/// Arguments of `memlith-bench mine`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench mine --seed 7 --noise 0.2 --json
  memlith-bench mine --noise 50% --sessions 200 --steps 100")]
pub(crate) struct MineArgs {
    /// Seed of the procedures, sessions and noise.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// Which share of the steps of each occurrence is disturbed: 0.2, 20 or 20%.
    #[arg(long, value_name = "P", default_value = "0")]
    noise: Noise,
    /// How many sessions there are.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000))]
    sessions: u64,
    /// How many steps each has.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000))]
    steps: u64,
    /// How many procedures are hidden.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = RangedU64ValueParser::<u64>::new().range(1..=100))]
    procedures: u64,
    /// How many different steps there are.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = RangedU64ValueParser::<u64>::new().range(10..=10_000))]
    vocabulary: u64,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// There are more steps than can be mined at once.
pub(crate) fn run(args: &MineArgs, context: &mut Context) -> Result<Exit> {
    let plan = Plan {
        seed: args.seed,
        sessions: args.sessions,
        steps: args.steps,
        procedures: args.procedures,
        vocabulary: args.vocabulary,
        noise: args.noise.0,
    };
    let planted = Planted::of(plan);
    let miner = Miner::default();
    let watch = Stopwatch::start();
    let mined_from = sessions(&planted.sessions)?;
    let abstracted = watch.elapsed();
    let (watch, busy) = (Stopwatch::start(), cpu_time());
    let candidates = miner.mine(&mined_from);
    let (wall, cpu) = (watch.elapsed(), cpu_time() - busy);
    let steps = mined_from.steps_len();
    drop(mined_from);
    let shuffled = miner.mine(&sessions(&planted.shuffled(args.seed))?);
    let ngrams = Ngrams::of(&planted.sessions);
    let mut walls = Walls::default();
    walls.push(wall);
    let best = ngrams.best(&planted.procedures);
    let printed = Printed {
        score: score(&planted, &candidates),
        ngrams: ngrams.score(&planted.procedures),
        best,
        contrast: contrast(&planted, &candidates),
        shuffled_candidates: shuffled.len(),
        noise: plan.noise as f64 / 1000.0,
        sessions: plan.sessions,
        steps,
        abstract_ms: millis(abstracted),
        cpu_ms: millis(cpu),
        summary: Summary::of(&walls, args.seed),
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
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
    let mut score = Score { matched: 0, candidates: 0, planted: 0 };
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
