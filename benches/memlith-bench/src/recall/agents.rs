//! A corpus of agent sessions, so that signals aren't tuned to chat alone.
//!
//! Each session is a task: asked for, looked into with tools, decided, done, told. What is
//! asked about it, and which records answer that, is known because it was made so.

mod asked;
mod told;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use memlith::{Caller, Ledger, Options, RecordId, Seq, Timestamp, copy::Format, log::decode};
use serde_json::{Value, json};

use crate::recall::dataset::Question;
use crate::recall::extra::{Extra, Wanted};
use crate::recall::figures::{Figures, MRR_CUT};
use crate::recall::held::{Held, TENANT, take_in};
use crate::report::merged;
use crate::words::Random;
use memlith_verbs::wall::{Stopwatch, Walls};

/// How many sessions there are: less than there are pairs of service and trouble.
pub(crate) const SESSIONS: u64 = 240;

/// Writes the sessions of `seed` into a ledger as anybody would import them, and asks.
///
/// # Errors
/// The ledger can't be written or read.
pub(crate) fn measure(seed: u64, sessions: u64) -> Result<(Walls, Value)> {
    let sessions = told::sessions(sessions, &mut Random::new(seed));
    let folder = tempfile::tempdir().context("make a temporary folder")?;
    let dir = folder.path().join("agents");
    let ledger = Ledger::create(&dir, Options::default())?;
    for session in &sessions {
        take_in(&ledger, Format::ClaudeCode, &session.transcript())?;
    }
    let (records, last) = records(&ledger)?;
    let caller = Caller { now: Some(last), ..Caller::user(TENANT, "bench") };
    let (turns, occurred) = (BTreeMap::new(), BTreeMap::new());
    let held = Held { ledger, dir, caller, records: turns, occurred };
    let (mut all, mut kinds) = (Figures::default(), BTreeMap::<_, Figures>::new());
    let mut extra = Extra::new(Wanted { budgets: true, ablate: true, ..Wanted::default() });
    let mut walls = Walls::default();
    for asked::Question { kind, text, answers } in asked::questions(&sessions) {
        let answers_it = |words: &str| answers.iter().any(|answer| words.contains(answer.as_str()));
        let gold = records.iter().filter(|(words, _)| answers_it(words)).map(|(_, id)| *id);
        let gold: Vec<RecordId> = gold.collect();
        ensure!(gold.len() == answers.len(), "what answers `{text}` is not in the ledger once");
        let watch = Stopwatch::start();
        let found = held.ask(&text, MRR_CUT)?;
        walls.push(watch.elapsed());
        let found: Vec<RecordId> = found.iter().map(|cited| cited.id).collect();
        all.add(&found, &gold);
        kinds.entry(kind).or_default().add(&found, &gold);
        let question = Question { text, category: 0, evidence: Vec::new(), unresolved: 0 };
        extra.add(&held, &question, &gold)?;
    }
    held.ledger.close()?;
    let own = json!({
        "by_kind": kinds,
        "sessions": sessions.len(),
        "items": records.len(),
        "seed": seed,
    });
    let figures = merged([all.figures(), extra.figures(&all), own]);
    Ok((walls, figures))
}

/// The words of all items, and when the last of them was.
fn records(ledger: &Ledger) -> Result<(Vec<(String, RecordId)>, Timestamp)> {
    let (mut records, mut last) = (Vec::new(), Timestamp::default());
    for record in ledger.records(Seq::GENESIS, None)? {
        let record = record?;
        let Some(body) = decode(&record)? else { continue };
        if let Some(words) = body.event.item_text() {
            last = last.max(body.envelope.occurred_at);
            records.push((words.into_owned(), record.id()));
        }
    }
    Ok((records, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_corpus_and_some_of_it_is_found() {
        let sessions = |seed| told::sessions(12, &mut Random::new(seed));
        let transcripts =
            |seed| sessions(seed).iter().map(told::Session::transcript).collect::<Vec<_>>();
        assert_eq!(transcripts(3), transcripts(3));
        assert_ne!(transcripts(3), transcripts(4));
        let (_, figures) = measure(3, 24).unwrap();
        assert!(figures["recall_at_10"].as_f64().unwrap() > 30.0, "{figures}");
        assert_eq!(figures["items"], 24 * 8, "{figures}");
        assert_eq!(figures["by_kind"].as_object().unwrap().len(), 10, "{figures}");
    }
}
