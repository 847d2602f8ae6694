//! A ledger that a verb has opened.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use anyhow::Result;
use memlith::Ledger;

/// A ledger that is open until the process ends.
///
/// When it is let go, what was written through it is made durable, and nothing else is done:
/// to free its tables piece by piece takes as long as some answers, and the system takes them,
/// its files and its locks in one go. This process can't open it for writing again.
///
/// One that is shared is a clone of a handle that a server keeps: it goes as any value does.
#[derive(Debug)]
pub struct Opened(Handle);

#[derive(Debug)]
enum Handle {
    Own(ManuallyDrop<Ledger>),
    Shared(Ledger),
}

impl Opened {
    /// Takes charge of an open ledger.
    pub fn new(ledger: Ledger) -> Opened {
        Opened(Handle::Own(ManuallyDrop::new(ledger)))
    }

    /// A clone of a handle that outlives the verb.
    pub(crate) fn shared(ledger: Ledger) -> Opened {
        Opened(Handle::Shared(ledger))
    }

    /// Whether the handle outlives the verb.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.0, Handle::Shared(_))
    }

    /// Makes everything durable and lets the ledger go.
    ///
    /// # Errors
    /// Those of the sync; the ledger is let go all the same.
    pub fn close(self) -> Result<()> {
        let settled = self.settle();
        // Nobody is told of a second failure.
        if !self.is_shared() {
            let _ = ManuallyDrop::new(self);
        }
        Ok(settled?)
    }
}

impl Deref for Opened {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        match &self.0 {
            Handle::Own(ledger) => ledger,
            Handle::Shared(ledger) => ledger,
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // A verb that wrote to a shared one closed it; one that read waits for no writer.
        if self.is_shared() {
            return;
        }
        if let Err(error) = self.settle() {
            tracing::warn!(%error, "the ledger could not be synced on close");
        }
    }
}

#[cfg(test)]
mod tests {
    use memlith::measured::CountedStorage;
    use memlith::{
        Caller, Options, Remember,
        storage::{Env, LocalStorage},
    };

    use super::*;

    /// Syncs of files that `end` makes of a ledger to which something was written.
    fn syncs(end: impl FnOnce(Opened)) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let storage = CountedStorage::new(LocalStorage::create(folder.path()).unwrap());
        let counts = storage.counters();
        let ledger = Ledger::create_in(Env::system(storage), Options::default()).unwrap();
        let ledger = Opened::new(ledger);
        let text = "Ana drinks tea.".to_owned();
        let remember = Remember { text, ..Remember::default() };
        let _ = ledger.remember(&Caller::user("default", "ana"), remember).unwrap();
        let before = counts.now().file_syncs;
        end(ledger);
        counts.now().file_syncs - before
    }

    #[test]
    fn what_was_written_is_synced_when_it_is_closed_and_when_it_is_only_let_go() {
        let closed = syncs(|ledger| ledger.close().unwrap());
        assert!(closed > 0);
        assert_eq!(syncs(drop), closed);
    }
}
