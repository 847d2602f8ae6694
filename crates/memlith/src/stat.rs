use std::collections::BTreeMap;

use memlith_log::{Finding, LedgerId, LogFile, Seq, Timestamp, log_files};
use memlith_memory::Authority;

use crate::error::Error;
use crate::ledger::Ledger;
use crate::reconciler::Reconciling;
use crate::state::State;

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
    /// What was not as it should be when the ledger was opened, but did not stop it.
    pub findings: Vec<Finding>,
    /// How this handle reconciles writes.
    pub reconciling: Reconciling,
}

impl Ledger {
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
        let (item_records, memories) = self.answered(|| self.snapshot(), count)?;
        let head = self.head();
        Ok(Stat {
            ledger: self.id(),
            records: head.seq.0 + 1,
            head: head.seq,
            chain: head.chain,
            recorded_at: head.recorded_at,
            synced: self.log.synced(),
            item_records,
            memories: memories.into_iter().collect(),
            checkpoints: self.checkpoints()?,
            files: log_files(self.log.env().storage.as_ref())?,
            findings: self.log.findings(),
            reconciling: Reconciling::of(self.options.reconciler.as_deref()),
        })
    }
}
