use memlith_log::{RecordId, Seq};

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
    /// Every record whose body is gone: the targets, what rested on them, and the
    /// decisions that repeated their words; ascending.
    pub records: Vec<Seq>,
}

impl Ledger {
    /// Erases the bodies of items from the ledger's files, with everything that rests
    /// on them; sequence, time, kind, length and hash remain, and so does the chain.
    ///
    /// Checkpoints and quarantined bytes are removed with them, and the state is folded
    /// again from what is left. Copies elsewhere, snapshots and freed disk blocks are
    /// not reached. Returns when all of it is durable; if it is cut short, the next
    /// writer finishes it.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner, and the log's.
    pub fn erase(&self, caller: &Caller, targets: &[RecordId]) -> Result<Erased, Error> {
        self.locked(self.options.lock_timeout, |writer, state, moment| {
            let records = state.memory.decide_erasure(targets, &caller.door(moment, None))?;
            let erasure = writer.erase(OWNERS_WISH, &records)?.id;
            Ok(Erased { erasure, records })
        })
    }
}
