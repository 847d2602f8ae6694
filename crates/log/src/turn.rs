//! How a turn ends: alone, with everything synced that is due, or in company.

use crate::Error;
use crate::group::{Kept, TURNS_MAX};
use crate::writer::{BUFFERED_LEN_MAX, Writer};

/// How a writer left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    /// Everything is done, and the lock given back.
    Alone,
    /// Others are ahead, who sync for it.
    InCompany,
}

impl Writer<'_> {
    /// Ends the turn, and returns when what was appended is as durable as was asked for.
    ///
    /// # Errors
    /// [`Error::Io`] of the sync, or [`Error::SharedSync`] where another thread's was for
    /// this one too: the outcome is unknown and the handle poisoned.
    pub fn finish(mut self) -> Result<(), Error> {
        let (log, owed) = (self.log, self.owed);
        let left = self.leave();
        // The next one's turn begins.
        drop(self);
        match (left?, owed) {
            (Left::InCompany, Some(end)) => log.group.wait(end),
            (Left::InCompany | Left::Alone, _) => Ok(()),
        }
    }

    /// Leaves the sync to those who are ahead, or else does it, for all who left it.
    ///
    /// # Errors
    /// Those of the sync, if it is owed to what was appended here.
    fn leave(&mut self) -> Result<Left, Error> {
        if std::mem::replace(&mut self.has_left, true) {
            return Ok(Left::Alone);
        }
        let able = !self.gate.poisoned && self.recovered && self.log.check_process().is_ok();
        let is_whole = self.gate.whole_end == Some(self.view.end.expect.next);
        let is_full = self.gate.turns >= TURNS_MAX || self.gate.unsynced >= BUFFERED_LEN_MAX;
        let may = able && is_whole && !is_full && self.held.is_some();
        if self.arrival.take().is_some_and(|arrival| arrival.leave(may)) {
            let view = self.view.clone();
            self.gate.kept = self.held.take().map(|held| Kept { held, view });
            return Ok(Left::InCompany);
        }
        self.gate.turns = 0;
        let synced = if able { self.settle() } else { Ok(()) };
        if self.gate.poisoned {
            self.log.group.fail();
        }
        match synced {
            Err(error) if self.owed.is_some() => Err(error),
            Err(error) => {
                tracing::warn!(%error, "a due sync failed; the writer is poisoned");
                Ok(Left::Alone)
            }
            Ok(()) if self.owed.is_some_and(|end| end > self.view.floor) => Err(Error::Poisoned),
            Ok(()) => Ok(Left::Alone),
        }
    }

    /// Syncs what is owed to anyone, or due.
    fn settle(&mut self) -> Result<(), Error> {
        let is_owed = self.gate.owed > self.view.floor;
        if is_owed || self.gate.sync_is_due(self.log.env.clock.as_ref()) {
            self.sync()?;
        }
        Ok(())
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.leave() {
            tracing::warn!(%error, "a sync failed that nobody waits for; the writer is poisoned");
        }
    }
}
