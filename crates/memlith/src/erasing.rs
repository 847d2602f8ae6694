use memlith_log::{FIRST_EVENT_KIND, LogEvent, RecordId, Seq};
use memlith_memory::Rejection;

use crate::append::Urgency;
use crate::caller::Caller;
use crate::error::Error;
use crate::ledger::Ledger;

/// The reason that an owner's erasure states in the log.
const OWNERS_WISH: u16 = 1;

/// What an erasure took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The record of the erasure.
    pub erasure: RecordId,
    /// Every record whose body it took: the targets, what rested on them, and the
    /// decisions that repeated their words; ascending. None where all were gone already.
    pub records: Vec<RecordId>,
}

impl Ledger {
    /// Erases the bodies of items from the ledger's files, with everything that rests
    /// on them; sequence, time, kind, length and hash remain, and so does the chain.
    ///
    /// Checkpoints and quarantined bytes are removed with them, and the state is folded
    /// again from what is left. Copies elsewhere, snapshots and freed disk blocks are
    /// not reached. Returns when all of it is durable; if it is cut short, the next
    /// writer finishes it. What is erased already is passed over: where nothing else was
    /// asked for, the answer names the erasure that took it, and nothing is appended.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner, and the log's.
    pub fn erase(&self, caller: &Caller, targets: &[RecordId]) -> Result<Erased, Error> {
        self.locked(self.options.lock_timeout, |writer, state, moment| {
            let seqs = state.memory.decide_erasure(targets, &caller.door(moment, None)?)?;
            let records: Result<_, Error> =
                seqs.iter().map(|seq| Ok(self.log.read(*seq)?.id())).collect();
            state.check()?;
            let erasure = match seqs.is_empty() {
                true => self.erasure_of(targets)?,
                false => {
                    let stones = self.tombstones_of(state, &seqs, (caller, moment))?;
                    self.append(writer, state, moment.tick, &stones, Urgency::Urgent)?;
                    writer.erase(OWNERS_WISH, &seqs)?.id
                }
            };
            Ok(Erased { erasure, records: records? })
        })
    }

    /// The last erasure that took one of `targets`. Cost: a pass over the log.
    fn erasure_of(&self, targets: &[RecordId]) -> Result<RecordId, Error> {
        let mut found = None;
        for record in self.log.scan(Seq::GENESIS, self.head().seq) {
            let record = record?;
            let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
            let Some((LogEvent::Erasure { targets: taken, .. }, _)) = event else { continue };
            let names = |id: &RecordId| taken.iter().any(|(seq, _)| *seq == id.seq);
            if record.kind < FIRST_EVENT_KIND && targets.iter().any(names) {
                found = Some(record.id());
            }
        }
        // Without one, the bytes were lost and the loss accepted.
        let lost = || Rejection::NotFound { id: targets.first().copied().unwrap_or_default() };
        found.ok_or_else(|| lost().into())
    }
}
