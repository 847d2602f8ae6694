//! Threads of one handle that share a sync.
//!
//! Each writes in its turn. Who leaves while others are ahead, who wait for their turn or
//! have it, leaves them the sync and the lock of the files, and waits; who leaves last
//! syncs for all. Nobody waits for company: who is alone syncs at once.
//!
//! Invariants: 1. a record is acknowledged only behind a sync that began after it was
//! written; 2. where a sync is left to others, somebody is ahead, or has just left and
//! takes it over; 3. a sync that fails is told to everyone who waits for it.

use memlith_threads::{Condvar, Mutex};

use crate::lock::Held;
use crate::log::Log;
use crate::view::View;
use crate::writer::Writer;
use crate::{Error, Seq};

/// Maximum number of turns under one lock before other processes have theirs.
pub(crate) const TURNS_MAX: u32 = 256;

/// The threads of one handle that write.
#[derive(Debug, Default)]
pub(crate) struct Group {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Threads that wait for their turn, or have it.
    ahead: usize,
    /// Whether a turn was left with the lock of the files held.
    kept: bool,
    /// The records that are synced.
    synced: u64,
    /// Whether a write or sync failed, after which there is no other.
    failed: bool,
}

/// The lock and the view that one turn leaves to the next.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) held: Held,
    pub(crate) view: View,
}

/// A thread that is ahead.
#[derive(Debug)]
pub(crate) struct Arrival<'a> {
    log: &'a Log,
    is_ahead: bool,
}

impl<'a> Arrival<'a> {
    pub(crate) fn at(log: &'a Log) -> Arrival<'a> {
        log.group.state.lock().ahead += 1;
        Arrival { log, is_ahead: true }
    }

    /// Ends a turn: whether what is left to do is left to those ahead, if it `may` be.
    pub(crate) fn leave(mut self, may: bool) -> bool {
        self.is_ahead = false;
        let mut state = self.log.group.state.lock();
        state.ahead = state.ahead.saturating_sub(1);
        state.kept = may && state.ahead > 0;
        state.kept
    }
}

impl Drop for Arrival<'_> {
    /// Leaves without a turn; what was left to this thread alone, it does after all.
    fn drop(&mut self) {
        if !self.is_ahead {
            return;
        }
        let is_due = {
            let mut state = self.log.group.state.lock();
            state.ahead = state.ahead.saturating_sub(1);
            state.kept && state.ahead == 0
        };
        if is_due {
            let mut gate = self.log.gate.lock();
            if let Some(kept) = gate.kept.take() {
                self.log.group.took();
                // Its end is the end of the group.
                drop(Writer::of_kept(self.log, gate, kept, None));
            }
        }
    }
}

impl Group {
    /// Says that the lock of the files is with a turn again.
    pub(crate) fn took(&self) {
        self.state.lock().kept = false;
    }

    /// Says that so many records are synced and marked.
    pub(crate) fn reached(&self, synced: u64) {
        let mut state = self.state.lock();
        if synced > state.synced {
            state.synced = synced;
            self.moved.notify_all();
        }
    }

    /// Says that there will be no further sync.
    pub(crate) fn fail(&self) {
        self.state.lock().failed = true;
        self.moved.notify_all();
    }

    /// Waits until the records before `end` are synced.
    ///
    /// # Errors
    /// [`Error::SharedSync`] if that failed: whether they are on disk is not known.
    pub(crate) fn wait(&self, end: u64) -> Result<(), Error> {
        let mut state = self.state.lock();
        while state.synced < end {
            if state.failed {
                return Err(Error::SharedSync { seq: Seq(end.saturating_sub(1)) });
            }
            state = self.moved.wait(state);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
