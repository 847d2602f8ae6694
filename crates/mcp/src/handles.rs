//! The ledgers that a server has open: one handle each, for all of its calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

use memlith::{Error, ErrorKind, Keeper, Ledger, Options};

/// Handles by the folders of their ledgers.
#[derive(Debug, Default)]
pub(crate) struct Handles(Mutex<BTreeMap<PathBuf, Handle>>);

#[derive(Debug)]
struct Handle {
    ledger: Ledger,
    /// Writes checkpoints while the server lives.
    _keeper: Option<Keeper>,
}

impl Handles {
    /// A clone of the handle of the ledger in `dir`, which is opened for writing where it can be.
    ///
    /// # Errors
    /// Those of [`Ledger::open`].
    pub(crate) fn open(&self, dir: &Path, options: Options) -> Result<Ledger, Error> {
        let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        // Held while it is opened: a process opens a ledger once. Who only reads doesn't wait for
        // that, which may wait for a writer of another process.
        let mut handles = match self.0.try_lock() {
            Ok(handles) => handles,
            Err(TryLockError::WouldBlock) if options.read_only => {
                return Ledger::open(&dir, options);
            }
            Err(_) => self.0.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if let Some(handle) = handles.get(&dir) {
            let ledger = handle.ledger.clone();
            drop(handles);
            // Other nodes of a shared ledger may have written since the last call.
            if let Err(error) = ledger.freshen() {
                tracing::warn!(%error, "the copy of a shared ledger answers as it is");
            }
            return Ok(ledger);
        }
        let is_to_read = options.read_only;
        let writing = Options { read_only: false, ..options.clone() };
        match Ledger::open(&dir, writing) {
            Ok(ledger) => {
                let keeper = Keeper::of(&ledger).ok();
                handles.insert(dir, Handle { ledger: ledger.clone(), _keeper: keeper });
                Ok(ledger)
            }
            // One that can't be written to is read, and asked again the next time.
            Err(error) if is_to_read && error.kind() == ErrorKind::Io => {
                Ledger::open(&dir, options)
            }
            Err(error) => Err(error),
        }
    }

    /// The folders of the ledgers that are open.
    pub(crate) fn dirs(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Lets every handle go where one failed in a way that a new opening may mend.
    pub(crate) fn drop_if_broken(&self, error: &anyhow::Error) {
        let kind = error.downcast_ref::<memlith::Error>().map(memlith::Error::kind);
        if matches!(kind, Some(ErrorKind::Io | ErrorKind::Integrity)) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Makes durable what the calls wrote, before the process ends.
    pub(crate) fn settle(&self) {
        let handles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (dir, handle) in handles.iter() {
            if let Err(error) = handle.ledger.settle() {
                tracing::warn!(%error, "{} could not be synced", dir.display());
            }
        }
    }
}
