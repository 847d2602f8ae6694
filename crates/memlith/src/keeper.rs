use std::thread::JoinHandle;

use memlith_threads::{Condvar, Mutex};

use crate::error::Error;
use crate::ledger::Ledger;

/// A thread that writes a checkpoint whenever one is due; it ends when this is dropped.
///
/// It works on a snapshot. Readers and writers of the handle go on meanwhile: it takes the
/// lock twice, to sync the log and to seal what it wrote, and merges long runs while nobody
/// waits for them. What it can't write is logged, and tried again after the next write.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let ledger = memlith::Ledger::create(folder.path().join("l"), Default::default())?;
/// let keeper = memlith::Keeper::of(&ledger)?;
/// // Write and ask, from any thread; then:
/// drop(keeper);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Keeper {
    ledger: Ledger,
    thread: Option<JoinHandle<()>>,
}

/// Says when something was written.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: Mutex<Rung>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Rung {
    /// Writes that nobody looked at yet.
    writes: bool,
    ends: bool,
}

impl Keeper {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives none.
    pub fn of(ledger: &Ledger) -> Result<Keeper, Error> {
        let kept = ledger.clone();
        kept.bell.rung.lock().ends = false;
        let thread = std::thread::Builder::new().name("memlith keeper".to_owned());
        let thread = thread.spawn(move || {
            while kept.bell.wait() {
                if let Err(error) = kept.checkpoints().write_if_due() {
                    tracing::warn!(%error, "no checkpoint was written");
                }
            }
        });
        let what = || "start a thread for checkpoints".to_owned();
        let thread = thread.map_err(|source| Error::Io { what: what(), source })?;
        Ok(Keeper { ledger: ledger.clone(), thread: Some(thread) })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.ledger.bell.end();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread for checkpoints had ended in a panic");
        }
    }
}

impl Bell {
    pub(crate) fn ring(&self) {
        self.rung.lock().writes = true;
        self.changed.notify_all();
    }

    fn end(&self) {
        self.rung.lock().ends = true;
        self.changed.notify_all();
    }

    /// Waits for a write; `false` at the end.
    fn wait(&self) -> bool {
        let mut rung = self.rung.lock();
        while !rung.writes && !rung.ends {
            rung = self.changed.wait(rung);
        }
        rung.writes = false;
        !rung.ends
    }
}
