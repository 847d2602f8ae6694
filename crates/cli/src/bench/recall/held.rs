use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use memlith::{
    Caller, Format, IdempotencyKey, ImportOptions, Ledger, Options, Question, RecordId, Scope, Seq,
    Timestamp, decode,
};

use crate::bench::recall::dataset::{Dialogue, Turn};

/// A dialogue in a ledger of its own.
pub(crate) struct Held {
    pub(crate) ledger: Ledger,
    /// The ledger's folder.
    pub(crate) dir: PathBuf,
    /// Who asks: one who sees the dialogue, at the time of its last turn.
    pub(crate) caller: Caller,
    records: BTreeMap<Turn, RecordId>,
}

/// What the imported records say of themselves.
#[derive(Default)]
struct Imported {
    by_key: BTreeMap<IdempotencyKey, RecordId>,
    subject: Option<String>,
    last: Timestamp,
}

/// The tenant of the ledgers: the command line's own default.
const TENANT: &str = "default";

impl Held {
    /// Imports `dialogue` into a new ledger under `folder`.
    pub(crate) fn import(dialogue: &Dialogue, folder: &Path, number: usize) -> Result<Held> {
        let name = dialogue.name.as_deref().filter(|name| is_plain(name));
        let dir = folder.join(name.map_or_else(|| format!("dialogue-{number}"), str::to_owned));
        std::fs::create_dir_all(folder)
            .with_context(|| format!("create the folder {}", folder.display()))?;
        let ledger = Ledger::init(&dir, Options::default())?;
        let scope = Scope::tenant(TENANT);
        let options = ImportOptions { scope: scope.clone(), ..ImportOptions::default() };
        ledger.import(Format::Locomo, dialogue.document.as_slice(), options)?;

        let imported = Imported::read(&ledger)?;
        let subject = imported.subject.unwrap_or_default();
        // The importer's own name of a turn is what leads from the data set to the log.
        let record = |(turn, name): (&Turn, &String)| {
            let key = IdempotencyKey::of(&[Format::Locomo.name(), &subject, name]);
            Some((*turn, *imported.by_key.get(&key)?))
        };
        let records: BTreeMap<Turn, RecordId> = dialogue.turns.iter().filter_map(record).collect();
        let missing = dialogue.turns.len() - records.len();
        ensure!(missing == 0, "{missing} turns of dialogue {number} are not in its ledger");
        let caller = Caller {
            scope: Scope { subject: Some(subject.into()), ..scope },
            now: Some(imported.last),
            ..Caller::user(TENANT, "bench")
        };
        Ok(Held { ledger, dir, caller, records })
    }

    /// The records of the turns that answer a question.
    pub(crate) fn gold(&self, evidence: &[Turn]) -> Vec<RecordId> {
        evidence.iter().filter_map(|turn| self.records.get(turn).copied()).collect()
    }

    /// What the ledger recalls, best first.
    pub(crate) fn ask(&self, query: &str, limit: usize) -> Result<Vec<RecordId>> {
        let question = Question { query: query.to_owned(), as_of: None };
        let found = self.ledger.recall(&self.caller, &question, limit)?;
        Ok(found.into_iter().map(|item| item.id).collect())
    }

    /// The name of the dialogue in the ledger.
    pub(crate) fn subject(&self) -> &str {
        self.caller.scope.subject.as_deref().unwrap_or_default()
    }
}

impl Imported {
    fn read(ledger: &Ledger) -> Result<Imported> {
        let mut imported = Imported::default();
        for record in ledger.records(Seq::GENESIS, None)? {
            let record = record?;
            let Some(body) = decode(&record)? else { continue };
            let envelope = body.envelope;
            imported.last = imported.last.max(envelope.occurred_at);
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
