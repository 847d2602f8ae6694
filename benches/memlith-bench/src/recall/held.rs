use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith::{
    Caller, Cited, Ledger, Options, Question, RecordId, Scope, Seq, Timestamp,
    copy::{Format, ImportOptions},
    log::decode,
    write::IdempotencyKey,
};
use memlith_models::CommandModel;

use crate::recall::dataset::{Dialogue, Turn};
use crate::recall::vectors::Vectors;

/// A dialogue in a ledger of its own.
pub(crate) struct Held {
    pub(crate) ledger: Ledger,
    /// The ledger's folder.
    pub(crate) dir: PathBuf,
    /// Caller that asks: one who sees the dialogue, at the time of its last turn.
    pub(crate) caller: Caller,
    records: BTreeMap<Turn, RecordId>,
    turns: BTreeMap<RecordId, Turn>,
    occurred: BTreeMap<RecordId, Timestamp>,
    vectors: Vectors,
}

/// Keys, subject and times of the imported records.
#[derive(Default)]
struct Imported {
    by_key: BTreeMap<IdempotencyKey, RecordId>,
    subject: Option<String>,
    last: Timestamp,
    occurred: BTreeMap<RecordId, Timestamp>,
}

/// The tenant of the ledgers: the command line's own default.
pub(crate) const TENANT: &str = "default";

impl Held {
    /// Imports `dialogue` into a new ledger under `folder`.
    pub(crate) fn import(dialogue: &Dialogue, folder: &Path, number: usize) -> Result<Held> {
        let name = dialogue.name.as_deref().filter(|name| is_plain(name));
        let dir = folder.join(name.map_or_else(|| format!("dialogue-{number}"), str::to_owned));
        Held::pooled(std::slice::from_ref(dialogue), &dir)
    }

    /// Imports several dialogues, no two of which have a turn of one name and number, into a
    /// new ledger at `dir`. Who asks sees the last of them.
    pub(crate) fn pooled(dialogues: &[Dialogue], dir: &Path) -> Result<Held> {
        if let Some(folder) = dir.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("create the folder {}", folder.display()))?;
        }
        let ledger = Ledger::create(dir, Options::default())?;
        for dialogue in dialogues {
            take_in(&ledger, dialogue)?;
        }
        let imported = Imported::read(&ledger)?;
        let last_subject = imported.subject.unwrap_or_default();
        let mut records = BTreeMap::new();
        for dialogue in dialogues {
            let subject = dialogue.name.as_deref().unwrap_or(&last_subject);
            for (turn, name) in &dialogue.turns {
                // The importer's own name of a turn is what leads from the data set to the log.
                let key = IdempotencyKey::of(&[Format::Locomo.name(), subject, name]);
                let record = imported.by_key.get(&key);
                let record = record.with_context(|| format!("turn {name} is not in its ledger"))?;
                records.insert(*turn, *record);
            }
        }
        let scope = Scope::tenant(TENANT);
        let caller = Caller {
            scope: Scope { subject: Some(last_subject.into()), ..scope },
            now: Some(imported.last),
            ..Caller::user(TENANT, "bench")
        };
        let turns = records.iter().map(|(turn, id)| (*id, *turn)).collect();
        let dir = dir.to_owned();
        Ok(Held {
            ledger,
            dir,
            caller,
            records,
            turns,
            occurred: imported.occurred,
            vectors: Vectors::default(),
        })
    }

    /// Gives all turns vectors of a model, and the questions theirs.
    pub(crate) fn embed(&mut self, model: &CommandModel, dialogue: &Dialogue) -> Result<()> {
        self.vectors = Vectors::of(model, &self.ledger, &self.caller, dialogue)?;
        Ok(())
    }

    /// The records nearest to a question by their vectors alone, where there are any.
    pub(crate) fn nearest(&self, question: &str) -> Option<Vec<RecordId>> {
        self.vectors.nearest(question)
    }

    /// The records of the turns that answer a question.
    pub(crate) fn gold(&self, evidence: &[Turn]) -> Vec<RecordId> {
        evidence.iter().filter_map(|turn| self.records.get(turn).copied()).collect()
    }

    /// The turns that were found.
    pub(crate) fn turns_of(&self, found: &[RecordId]) -> Vec<Turn> {
        found.iter().filter_map(|id| self.turns.get(id).copied()).collect()
    }

    /// How many turns there are.
    pub(crate) fn turns(&self) -> usize {
        self.records.len()
    }

    /// When the last of some turns was said.
    pub(crate) fn last_of(&self, records: &[RecordId]) -> Timestamp {
        records.iter().filter_map(|id| self.occurred.get(id).copied()).max().unwrap_or_default()
    }

    /// Returns the items that the ledger recalls, best first.
    pub(crate) fn ask(&self, query: &str, limit: usize) -> Result<Vec<RecordId>> {
        self.ask_as(&self.caller, query, limit)
    }

    /// Returns the items that the ledger recalls for another caller.
    pub(crate) fn ask_as(
        &self,
        caller: &Caller,
        query: &str,
        limit: usize,
    ) -> Result<Vec<RecordId>> {
        let question = Question { query: query.to_owned(), as_of: None };
        let vector = self.vectors.question(query);
        let found = self.ledger.recall_near(caller, &question, vector, limit)?;
        Ok(found.into_iter().map(|item| item.id).collect())
    }

    /// Returns the items that the ledger recalls, with why; at another instant than the end where
    /// one is given.
    pub(crate) fn cited(
        &self,
        query: &str,
        limit: usize,
        now: Option<Timestamp>,
    ) -> Result<Vec<Cited>> {
        let caller = Caller { now: now.or(self.caller.now), ..self.caller.clone() };
        let question = Question { query: query.to_owned(), as_of: None };
        let vector = self.vectors.question(query);
        Ok(self.ledger.recall_near(&caller, &question, vector, limit)?)
    }

    /// The name of the dialogue in the ledger.
    pub(crate) fn subject(&self) -> &str {
        self.caller.scope.subject.as_deref().unwrap_or_default()
    }
}

/// Imports `dialogue` into `ledger`, where each dialogue is a subject.
pub(crate) fn take_in(ledger: &Ledger, dialogue: &Dialogue) -> Result<()> {
    let options = ImportOptions { scope: Scope::tenant(TENANT), ..ImportOptions::default() };
    ledger.import(Format::Locomo, dialogue.document.as_slice(), options)?;
    Ok(())
}

impl Imported {
    fn read(ledger: &Ledger) -> Result<Imported> {
        let mut imported = Imported::default();
        for record in ledger.records(Seq::GENESIS, None)? {
            let record = record?;
            let Some(body) = decode(&record)? else { continue };
            let envelope = body.envelope;
            imported.last = imported.last.max(envelope.occurred_at);
            imported.occurred.insert(record.id(), envelope.occurred_at);
            if let Some(key) = envelope.key {
                imported.by_key.insert(key, record.id());
            }
            if let Some(subject) = envelope.scope.subject {
                imported.subject = Some(subject.to_string());
            }
        }
        Ok(imported)
    }
}

/// Whether a data set's name can be a folder's.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
}
