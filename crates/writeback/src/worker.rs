use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use memlith::{Error, Ledger};

use crate::extractor::Extractor;
use crate::queue::{JobQueue, JobRun};

/// Write-back in a program that embeds the engine: does the jobs that are due, when it is told
/// to or on a thread of its own.
///
/// The queue is the ledger's: any number of these, of hooks and of commands may work on one
/// ledger at once, and each job is done by one of them.
///
/// ```
/// use memlith::{Ledger, Options};
/// use memlith_writeback::{Rules, Writeback};
///
/// # let dir = tempfile::tempdir().unwrap();
/// let ledger = Ledger::create(dir.path().join("ledger"), Options::default())?;
/// let writeback = Writeback::new(&ledger, Rules).start()?;
/// // Import turns and queue jobs, from any thread; then:
/// writeback.stop();
/// # Ok::<(), memlith::Error>(())
/// ```
pub struct Writeback {
    ledger: Ledger,
    extractor: Arc<dyn Extractor>,
    thread: Option<Worker>,
}

struct Worker {
    /// Nothing is ever sent: it is dropped to end the thread.
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// How long the thread rests where nothing is due.
const REST: Duration = Duration::from_secs(5);

impl Writeback {
    /// A worker that looks at turns with `extractor`; it does nothing yet.
    #[must_use]
    pub fn new(ledger: &Ledger, extractor: impl Extractor + 'static) -> Writeback {
        Writeback { ledger: ledger.clone(), extractor: Arc::new(extractor), thread: None }
    }

    /// Does the jobs that are due, on this thread.
    ///
    /// # Errors
    /// The log's. That the extractor failed is an answer.
    pub fn run_due(&self) -> Result<Vec<JobRun>, Error> {
        let mut runs = Vec::new();
        while let Some(run) = JobQueue::of(&self.ledger).run(&*self.extractor, self.ledger.now())? {
            runs.push(run);
        }
        Ok(runs)
    }

    /// Does what is due on a thread of its own, until [`stop`](Writeback::stop) or the end of
    /// this; looks for new jobs each five seconds. What can't be done is logged, and tried again.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(mut self) -> Result<Writeback, Error> {
        self.join();
        let (stop, stopped) = mpsc::channel();
        let (ledger, extractor) = (self.ledger.clone(), self.extractor.clone());
        let thread = std::thread::Builder::new().name("memlith jobs run".to_owned());
        let thread = thread.spawn(move || {
            while stopped.recv_timeout(Duration::ZERO) == Err(RecvTimeoutError::Timeout) {
                match JobQueue::of(&ledger).run(&*extractor, ledger.now()) {
                    Ok(Some(_)) => continue,
                    Ok(None) => {}
                    Err(error) => tracing::warn!(%error, "no job of write-back was done"),
                }
                // Ends early where it is stopped.
                let _ = stopped.recv_timeout(REST);
            }
        });
        let what = || "start a thread for write-back".to_owned();
        let thread = thread.map_err(|source| Error::Io { what: what(), source })?;
        self.thread = Some(Worker { stop, thread });
        Ok(self)
    }

    /// Ends the thread after the job that it is at; what is left waits in the ledger.
    pub fn stop(mut self) {
        self.join();
    }

    fn join(&mut self) {
        let Some(Worker { stop, thread }) = self.thread.take() else { return };
        drop(stop);
        if thread.join().is_err() {
            tracing::error!("the thread for write-back had ended in a panic");
        }
    }
}

impl Drop for Writeback {
    fn drop(&mut self) {
        self.join();
    }
}

impl std::fmt::Debug for Writeback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let extractor = self.extractor.name();
        f.debug_struct("Writeback").field("extractor", &extractor).finish_non_exhaustive()
    }
}
