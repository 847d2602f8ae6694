use std::path::Path;

use anyhow::{Result, ensure};
use memlith::{Caller, Ledger, Options, Question, Scope};
use serde::Serialize;

use crate::recall::dataset::Dataset;
use crate::recall::held;
use memlith_verbs::wall::{Stopwatch, Walls};

/// How long a query takes in a ledger of so many turns.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    memories: usize,
    limit: usize,
    wall_ms_p50: f64,
    wall_ms_p99: f64,
    runs: usize,
}

/// The first answers that are asked for: what `memlith search` gives by default.
const LIMIT: usize = 10;

/// Number of queries that are timed.
const RUNS: usize = 1_000;

/// The subject of the ledger.
const SUBJECT: &str = "copies";

/// Fills one ledger with copies of the dialogues, and asks their questions in it as soon as it
/// has as many turns as each of `sizes`, which ascend.
pub(crate) fn measure(
    dataset: &Dataset,
    sizes: &[usize],
    folder: &Path,
    note: &dyn Fn(String),
) -> Result<Vec<Latency>> {
    let ledger = Ledger::create(folder.join("latency"), Options::default())?;
    let questions = dataset.dialogues.iter().flat_map(|dialogue| &dialogue.questions);
    let questions: Vec<&str> = questions.map(|question| question.text.as_str()).collect();
    ensure!(!questions.is_empty(), "the data set has no question");
    let mut caller = Caller::user(held::TENANT, "bench");
    caller.scope = Scope { subject: Some(SUBJECT.into()), ..caller.scope };
    let mut copies = dataset.dialogues.iter().cycle().zip(0_u32..);
    let (mut turns, mut latencies) = (0, Vec::new());
    for size in sizes {
        while turns < *size {
            let Some((dialogue, copy)) = copies.next() else { break };
            ensure!(!dialogue.turns.is_empty(), "a dialogue has no turn");
            let copied = dialogue.renumbered(copy.saturating_mul(1_000), SUBJECT)?;
            held::take_in(&ledger, &copied)?;
            turns += copied.turns.len();
        }
        ledger.checkpoints().write()?;
        note(format!("{turns} turns"));
        latencies.push(ask(&ledger, &caller, &questions, turns)?);
    }
    ledger.close()?;
    Ok(latencies)
}

fn ask(ledger: &Ledger, caller: &Caller, questions: &[&str], turns: usize) -> Result<Latency> {
    let mut walls = Walls::default();
    for query in questions.iter().cycle().take(RUNS) {
        let question = Question { query: (*query).to_owned(), as_of: None };
        let watch = Stopwatch::start();
        ledger.recall(caller, &question, LIMIT)?;
        walls.push(watch.elapsed());
    }
    Ok(Latency {
        memories: turns,
        limit: LIMIT,
        wall_ms_p50: walls.percentile_ms(50),
        wall_ms_p99: walls.percentile_ms(99),
        runs: walls.count(),
    })
}

impl Latency {
    pub(crate) fn to_text(&self) -> String {
        let Latency { memories, limit, wall_ms_p50, wall_ms_p99, runs } = self;
        format!(
            "{memories} turns: {wall_ms_p50} ms p50, {wall_ms_p99} ms p99 ({limit} answers, \
             {runs} queries)\n"
        )
    }
}
