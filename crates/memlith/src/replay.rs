use memlith_log::{Digest, Log, Record, Seq};
use rayon::prelude::*;

use crate::error::Error;
use crate::ledger::Ledger;
use crate::state::State;

/// How a log is folded again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replay {
    /// The last record to fold, or one of the batch it ends; the head where absent.
    pub until: Option<Seq>,
    /// The kept checkpoint to start from; the first record where absent.
    pub from_checkpoint: Option<Seq>,
    /// Threads that read and verify; one where absent. The fold itself is in order.
    pub threads: Option<usize>,
}

/// What a replay gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// BLAKE3 over the logical rows of all folds.
    pub digest: Digest,
    /// The last record that was folded.
    pub seq: Seq,
}

/// Records that one thread verifies at a time.
const CHUNK_RECORDS: u64 = 1_024;

impl Ledger {
    /// Folds the log again and gives the digest of the state.
    ///
    /// The digest depends on the events alone: not on checkpoints, threads, the
    /// ledger's id, or how the rows are stored.
    ///
    /// # Errors
    /// The log's, and those of the checkpoint that was named.
    pub fn replay(&self, replay: &Replay) -> Result<Replayed, Error> {
        let head = self.refresh()?.seq;
        let until = replay.until.map_or(Ok(head), |seq| self.batch_end(seq))?;
        if let Some(checkpoint) = replay.from_checkpoint.filter(|seq| *seq > until) {
            return Err(Error::CheckpointAfter { checkpoint, until });
        }
        let mut state = match replay.from_checkpoint {
            Some(seq) => self.state_exactly(seq)?,
            None => self.nothing(),
        };
        match replay.threads {
            None | Some(0 | 1) => crate::ledger::catch_up(&self.log, &mut state, until)?,
            Some(threads) => fold_on(&self.log, &mut state, until, threads)?,
        }
        let digest = state.digest();
        state.check()?;
        Ok(Replayed { digest, seq: state.next.previous().unwrap_or_default() })
    }

    /// The digest of the state that answers queries; equal to that of a replay.
    ///
    /// # Errors
    /// The log's.
    pub fn state_digest(&self) -> Result<Replayed, Error> {
        self.answered(
            || self.snapshot(),
            |state| {
                let seq = state.next.previous().unwrap_or_default();
                Ok(Replayed { digest: state.digest(), seq })
            },
        )
    }
}

/// Reads and verifies on `threads` threads, a window of chunks at a time; folds in order.
fn fold_on(log: &Log, state: &mut State, until: Seq, threads: usize) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Error::Io { what: "start threads".to_owned(), source: std::io::Error::other(error) }
    })?;
    let window = CHUNK_RECORDS.saturating_mul(threads as u64 * 2);
    while state.next <= until {
        let first = state.next.0;
        let last = until.0.min(first.saturating_add(window - 1));
        let starts: Vec<u64> =
            (first..=last).step_by(usize::try_from(CHUNK_RECORDS).unwrap_or(usize::MAX)).collect();
        let chunks: Result<Vec<Vec<Record>>, Error> = pool.install(|| {
            let read = |start: &u64| {
                let end = last.min(start.saturating_add(CHUNK_RECORDS - 1));
                log.scan(Seq(*start), Seq(end)).map(|record| Ok(record?)).collect()
            };
            starts.par_iter().map(read).collect()
        });
        for record in chunks?.iter().flatten() {
            let runs = state.spans.len();
            crate::ledger::fold_record(state, record)?;
            if state.spans.len() > runs {
                state.merge();
            }
        }
    }
    Ok(())
}
