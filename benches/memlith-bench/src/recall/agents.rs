//! A corpus of agent sessions, so that signals aren't tuned to chat alone.
//!
//! Each session is a task: asked for, looked into with tools, decided, done, told. What is
//! asked about it, and which records answer that, is known because it was made so.

mod asked;
mod told;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use memlith::{
    Caller, Ledger, Options, RecordId, Scope, Seq, Timestamp,
    copy::{Format, ImportOptions},
    log::decode,
};
use serde::Serialize;

use self::asked::Question;
use crate::recall::ablation::{self, Ablation, Without};
use crate::recall::budgets::{Budget, Budgets};
use crate::recall::figures::{Figures, Percentages};
use crate::recall::held;
use crate::words::Random;

/// How many sessions there are: less than there are pairs of service and trouble.
pub(crate) const SESSIONS: u64 = 240;

/// The figures.
#[derive(Debug, Serialize)]
pub(crate) struct Printed {
    #[serde(flatten)]
    all: Percentages,
    by_kind: BTreeMap<&'static str, Percentages>,
    ablation: BTreeMap<String, Without>,
    budgets: BTreeMap<u32, Budget>,
    sessions: u64,
    items: usize,
    seed: u64,
    engine: String,
}

/// Writes the sessions of `seed` into a ledger as anybody would import them, and asks.
///
/// # Errors
/// The ledger can't be written or read.
pub(crate) fn measure(seed: u64, sessions: u64) -> Result<Printed> {
    let mut random = Random::new(seed);
    let sessions = told::sessions(sessions, &mut random);
    let folder = tempfile::tempdir().context("make a temporary folder")?;
    let ledger = Ledger::create(folder.path().join("agents"), Options::default())?;
    for session in &sessions {
        let options =
            ImportOptions { scope: Scope::tenant(held::TENANT), ..ImportOptions::default() };
        ledger.import(Format::ClaudeCode, session.transcript().as_bytes(), options)?;
    }
    let (records, last) = records(&ledger)?;
    let caller = Caller { now: Some(last), ..Caller::user(held::TENANT, "bench") };
    let (mut all, mut kinds) = (Figures::default(), BTreeMap::<_, Figures>::new());
    let (mut ablation, mut budgets) = (Ablation::default(), Budgets::default());
    for Question { kind, text, answers } in asked::questions(&sessions) {
        let answers_it = |words: &str| answers.iter().any(|answer| words.contains(answer.as_str()));
        let gold = records.iter().filter(|(words, _)| answers_it(words)).map(|(_, id)| *id);
        let gold: Vec<RecordId> = gold.collect();
        ensure!(gold.len() == answers.len(), "what answers `{text}` is not in the ledger once");
        let question = memlith::Question { query: text.clone(), as_of: None };
        let found = ledger.recall(&caller, &question, ablation::ANSWERS)?;
        let ids: Vec<RecordId> = found.iter().map(|cited| cited.id).collect();
        all.add(&ids, &gold);
        kinds.entry(kind).or_default().add(&ids, &gold);
        ablation.add(&found, &gold);
        budgets.add((&ledger, &caller), &text, &found, &gold)?;
    }
    let items = records.len();
    ledger.close()?;
    let percentages = all.percentages();
    Ok(Printed {
        by_kind: kinds.iter().map(|(kind, figures)| (*kind, figures.percentages())).collect(),
        ablation: ablation.finish(&percentages),
        budgets: budgets.finish(),
        all: percentages,
        sessions: sessions.len() as u64,
        items,
        seed,
        engine: crate::engine(),
    })
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

impl Printed {
    pub(crate) fn to_text(&self) -> String {
        let row = |name: &str, figures: &Percentages| {
            let Percentages { questions, recall_at_5, recall_at_10, recall_at_20, mrr, .. } =
                figures;
            format!(
                "{name:12} {questions:>5} questions  R@5 {recall_at_5:5.1}  R@10 \
                 {recall_at_10:5.1}  R@20 {recall_at_20:5.1}  MRR {mrr:5.1}\n"
            )
        };
        let Printed { sessions, items, seed, engine, .. } = self;
        let kinds = self.by_kind.iter().map(|(kind, figures)| row(kind, figures));
        let budgets = self.budgets.iter().map(|(tokens, budget)| budget.to_text(*tokens));
        let ablation = self.ablation.iter().map(|(name, without)| without.to_text(name));
        let end = format!("{sessions} sessions, {items} items, seed {seed}\n{engine}\n");
        let lines = kinds.chain(budgets).chain(ablation).chain([end]);
        row("all", &self.all) + &lines.collect::<String>()
    }
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
        let printed = measure(3, 24).unwrap();
        assert!(printed.all.recall_at_10 > 30.0, "{printed:?}");
        assert_eq!((printed.items, printed.by_kind.len()), (24 * 8, 10), "{printed:?}");
    }
}
