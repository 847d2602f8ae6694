use std::collections::BTreeMap;

use memlith_log::{Finding, Head, LedgerId, LogFile, Seq, Timestamp, log_files};
use memlith_memory::Authority;
use memlith_redact::RULES;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::error::Error;
use crate::fold::state::State;
use crate::prove::receipts::Audit;
use crate::write::reconciler::Reconciling;

/// A ledger in numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stat {
    /// The ledger.
    pub ledger: LedgerId,
    /// Records in the log, genesis included.
    pub records: u64,
    /// The last record.
    pub head: Seq,
    /// Its chain value.
    pub chain: memlith_log::Digest,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The last record known to be synced.
    pub synced: Option<Seq>,
    /// Items that are records.
    pub item_records: u64,
    /// Items that are memories, by how they stand at the instant that was asked for.
    pub memories: Vec<(Authority, u64)>,
    /// The sequences of the kept checkpoints.
    pub checkpoints: Vec<Seq>,
    /// The files of the log.
    pub files: Vec<LogFile>,
    /// Findings that did not stop the opening of the ledger.
    pub findings: Vec<Finding>,
    /// How this handle reconciles writes.
    pub reconciling: Reconciling,
}

impl Serialize for Stat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let head = Head { seq: self.head, chain: self.chain, recorded_at: self.recorded_at };
        let memories: BTreeMap<Authority, u64> = self.memories.iter().copied().collect();
        let mut out = serializer.serialize_struct("Stat", 12)?;
        out.serialize_field("ledger", &self.ledger)?;
        out.serialize_field("events", &self.records)?;
        out.serialize_field("head", &head)?;
        out.serialize_field("synced", &self.synced)?;
        out.serialize_field("records", &self.item_records)?;
        out.serialize_field("memories", &memories)?;
        out.serialize_field("checkpoints", &self.checkpoints)?;
        out.serialize_field("bytes", &self.bytes())?;
        out.serialize_field("files", &self.files)?;
        out.serialize_field("findings", &self.findings)?;
        out.serialize_field("reconciling", self.reconciling.label())?;
        out.serialize_field("redaction_rules", RULES)?;
        out.end()
    }
}

impl Stat {
    /// The bytes of all files of the log.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.len).sum()
    }
}

impl Audit<'_> {
    /// Counts what the ledger holds, memories as they stand at `now`.
    ///
    /// Cost: O(items), each with what it rests on.
    ///
    /// # Errors
    /// The log's.
    pub fn stat(&self, now: Timestamp) -> Result<Stat, Error> {
        let count = |state: &State| {
            let (mut item_records, mut memories) = (0, BTreeMap::new());
            for item in state.memory.items() {
                if item.is_record() {
                    item_records += 1;
                } else {
                    let authority = state.memory.authority(item.id.seq, now);
                    *memories.entry(authority.unwrap_or(Authority::Erased)).or_insert(0) += 1;
                }
            }
            Ok((item_records, memories))
        };
        let (item_records, memories) = self.ledger.read(count)?;
        let by_policy = self.ledger.reconciler_of(self.ledger.policy().writes()?.0);
        let reconciler = self.ledger.options.reconciler.as_deref().or(by_policy.as_ref());
        let reconciling = Reconciling::of(reconciler);
        let head = self.ledger.head();
        Ok(Stat {
            ledger: self.ledger.id(),
            records: head.seq.0 + 1,
            head: head.seq,
            chain: head.chain,
            recorded_at: head.recorded_at,
            synced: self.ledger.log.synced(),
            item_records,
            memories: memories.into_iter().collect(),
            checkpoints: self.ledger.checkpoints().list()?,
            files: log_files(self.ledger.log.env().storage.as_ref())?,
            findings: self.ledger.log.findings(),
            reconciling,
        })
    }
}
