use std::path::Path;

use anyhow::{Result, ensure};
use memlith::{Caller, Ledger, Options, Question, Scope, copy::Format};
use serde_json::{Value, json};

use crate::recall::dataset::Dataset;
use crate::recall::held::{TENANT, take_in};
use memlith_verbs::context::Context;
use memlith_verbs::wall::{Stopwatch, Walls};

/// Turns of the ledgers that are asked.
const TURNS: [usize; 3] = [6_000, 100_000, 1_000_000];

/// The first answers that are asked for: what `memlith search` gives by default.
const LIMIT: usize = 10;

/// Number of queries that are timed.
const RUNS: usize = 1_000;

/// The subject of the ledger.
const SUBJECT: &str = "copies";

/// Fills one ledger with copies of the dialogues, and times their questions in it as soon as it
/// has as many turns as each of the sizes up to `most`.
pub(crate) fn measure(
    dataset: &Dataset,
    most: usize,
    folder: &Path,
    context: &Context,
) -> Result<Vec<Value>> {
    let ledger = Ledger::create(folder.join("latency"), Options::default())?;
    let questions = dataset.dialogues.iter().flat_map(|dialogue| &dialogue.questions);
    let questions: Vec<&str> = questions.map(|question| question.text.as_str()).collect();
    ensure!(!questions.is_empty(), "the data set has no question");
    let scope = Scope { subject: Some(SUBJECT.into()), ..Scope::tenant(TENANT) };
    let caller = Caller { scope, ..Caller::user(TENANT, "bench") };
    let mut copies = dataset.dialogues.iter().cycle().zip(0_u32..);
    let (mut turns, mut latencies) = (0, Vec::new());
    for size in TURNS.into_iter().filter(|size| *size <= most) {
        while turns < size {
            let Some((dialogue, copy)) = copies.next() else { break };
            ensure!(!dialogue.turns.is_empty(), "a dialogue has no turn");
            let copied = dialogue.renumbered(copy.saturating_mul(1_000), SUBJECT)?;
            take_in(&ledger, Format::Locomo, &copied.document())?;
            turns += copied.turns.len();
        }
        ledger.checkpoints().write()?;
        context.note(format!("{turns} turns"));
        let mut walls = Walls::default();
        for query in questions.iter().cycle().take(RUNS) {
            let question = Question { query: (*query).to_owned(), as_of: None };
            let watch = Stopwatch::start();
            ledger.recall(&caller, &question, LIMIT)?;
            walls.push(watch.elapsed());
        }
        latencies.push(json!({
            "memories": turns,
            "limit": LIMIT,
            "wall_ms_p50": walls.percentile_ms(50),
            "wall_ms_p99": walls.percentile_ms(99),
            "runs": walls.count(),
        }));
    }
    ledger.close()?;
    Ok(latencies)
}
