use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith::{
    Caller, Cited, Ledger, Options, Question, RecordId, Scope, Seq, Timestamp,
    copy::{Format, ImportOptions},
    log::decode,
    write::IdempotencyKey,
};

use crate::recall::dataset::{Dialogue, Turn};

/// A dialogue in a ledger of its own, or whatever else is asked about.
pub(crate) struct Held {
    pub(crate) ledger: Ledger,
    /// The ledger's folder.
    pub(crate) dir: PathBuf,
    /// Caller that asks: one who sees the dialogue, at the time of its last turn.
    pub(crate) caller: Caller,
    pub(crate) records: BTreeMap<Turn, RecordId>,
    pub(crate) occurred: BTreeMap<RecordId, Timestamp>,
}

/// The tenant of the ledgers: the command line's own default.
pub(crate) const TENANT: &str = "default";

impl Held {
    /// Imports `dialogue` into a new ledger under `folder`.
    pub(crate) fn import(dialogue: &Dialogue, folder: &Path, number: usize) -> Result<Held> {
        let name = dialogue.name.as_deref().filter(|name| is_plain(name));
        let dir = folder.join(name.map_or_else(|| format!("dialogue-{number}"), str::to_owned));
        let unmade = || format!("create the folder {}", folder.display());
        std::fs::create_dir_all(folder).with_context(unmade)?;
        let ledger = Ledger::create(&dir, Options::default())?;
        take_in(&ledger, Format::Locomo, &dialogue.document())?;
        let (mut by_key, mut occurred) = (BTreeMap::new(), BTreeMap::new());
        let (mut subject, mut last) = (String::new(), Timestamp::default());
        for record in ledger.records(Seq::GENESIS, None)? {
            let record = record?;
            let Some(body) = decode(&record)? else { continue };
            let envelope = body.envelope;
            last = last.max(envelope.occurred_at);
            occurred.insert(record.id(), envelope.occurred_at);
            if let Some(key) = envelope.key {
                by_key.insert(key, record.id());
            }
            if let Some(named) = envelope.scope.subject {
                subject = named.to_string();
            }
        }
        let mut records = BTreeMap::new();
        for (turn, name) in &dialogue.turns {
            // The importer's own name of a turn is what leads from the data set to the log.
            let subject = dialogue.name.as_deref().unwrap_or(&subject);
            let key = IdempotencyKey::of(&[Format::Locomo.name(), subject, name]);
            let record = by_key.get(&key).copied();
            let record = record.with_context(|| format!("turn {name} is not in its ledger"))?;
            records.insert(*turn, record);
        }
        let scope = Scope { subject: Some(subject.into()), ..Scope::tenant(TENANT) };
        let caller = Caller { scope, now: Some(last), ..Caller::user(TENANT, "bench") };
        Ok(Held { ledger, dir, caller, records, occurred })
    }

    /// The records of the turns that answer a question.
    pub(crate) fn gold(&self, evidence: &[Turn]) -> Vec<RecordId> {
        evidence.iter().filter_map(|turn| self.records.get(turn).copied()).collect()
    }

    /// When the last of some turns was said.
    pub(crate) fn last_of(&self, records: &[RecordId]) -> Timestamp {
        records.iter().filter_map(|id| self.occurred.get(id).copied()).max().unwrap_or_default()
    }

    /// Returns the items that the ledger recalls, best first.
    pub(crate) fn ask(&self, query: &str, limit: usize) -> Result<Vec<Cited>> {
        let question = Question { query: query.to_owned(), as_of: None };
        Ok(self.ledger.recall(&self.caller, &question, limit)?)
    }

    /// Returns those that it recalls at another instant.
    pub(crate) fn ask_at(&self, query: &str, limit: usize, now: Timestamp) -> Result<Vec<Cited>> {
        let caller = Caller { now: Some(now), ..self.caller.clone() };
        let question = Question { query: query.to_owned(), as_of: None };
        Ok(self.ledger.recall(&caller, &question, limit)?)
    }
}

/// Imports a document into `ledger`, where each dialogue is a subject.
pub(crate) fn take_in(ledger: &Ledger, format: Format, document: &str) -> Result<()> {
    let options = ImportOptions { scope: Scope::tenant(TENANT), ..ImportOptions::default() };
    ledger.import(format, document.as_bytes(), options)?;
    Ok(())
}

/// Whether a data set's name can be a folder's.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
}
