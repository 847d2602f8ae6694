//! Steps that write the state down, and what a keeper does beside others.

use memlith::{Error, prove::Checkpointed};
use memlith_testkit::sim::Chance;

use super::play::{Judged, Play, nothing};

impl Play {
    pub(super) fn checkpoint(&mut self) -> Judged {
        let done = self.world.ledger(true).and_then(|ledger| ledger.checkpoints().write());
        self.checkpointed(done.map(Some))
    }

    pub(super) fn due(&mut self) -> Judged {
        let done = self.world.ledger(true).and_then(|ledger| ledger.checkpoints().write_if_due());
        self.checkpointed(done)
    }

    /// Does a keeper's work after a step, in a session that has one: at times it comes too late.
    pub(super) fn keep(&mut self, step: usize) -> Judged {
        let salt = [self.world.time().0.unsigned_abs(), u64::try_from(step).unwrap_or(0)];
        if !self.world.keeps || Chance::of(&salt).once_in(2) {
            return Ok(());
        }
        let Some(ledger) = self.world.opened() else { return Ok(()) };
        let done = ledger.checkpoints().write_if_due();
        self.checkpointed(done)
    }

    /// Checks the ledger after a checkpoint; nothing is new where none was due.
    fn checkpointed(&mut self, done: Result<Option<Checkpointed>, Error>) -> Judged {
        match done {
            Ok(None) => self.nothing_new(),
            Ok(Some(Checkpointed::Busy)) => Ok(()),
            Ok(Some(_)) => {
                self.nothing_new()?;
                self.timeline.synced = self.timeline.boundaries.len() - 1;
                Ok(())
            }
            Err(error) => self.failed(&error, nothing()),
        }
    }
}
