use memlith_log::{Digest, Log, Record, Seq};
use memlith_recall::{Reader, Reading};
use memlith_threads::ahead;

use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::fold::stride::Stride;
use crate::prove::receipts::Audit;

/// How a log is folded again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replay {
    /// The last record to fold, or one of the batch it ends; the head where absent.
    pub until: Option<Seq>,
    /// The kept checkpoint to start from; the first record where absent.
    pub from_checkpoint: Option<Seq>,
    /// Threads that read, verify and take texts apart; one where absent. The fold itself is
    /// in order.
    pub threads: Option<usize>,
}

/// Result of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// BLAKE3 over the logical rows of all folds.
    pub digest: Digest,
    /// The last record that was folded.
    pub seq: Seq,
}

/// The digest doesn't depend on strides, and longer ones are merged less often: a tenth less
/// of the processor than with those of checkpoints.
const REPLAY_STRIDE: Stride = Stride(4_096);

/// Records that one thread reads at a time.
///
/// About a megabyte with what is read of their texts; two chunks a thread wait to be folded.
const CHUNK_RECORDS: u64 = 256;

/// Reads, verifies and takes texts apart on `threads` threads, some chunks ahead of the fold,
/// which is in order and on this one.
fn fold_on(log: &Log, state: &mut State, until: Seq, threads: usize) -> Result<(), Error> {
    let first = state.next.0;
    let records = until.next().0.saturating_sub(first);
    let chunks = usize::try_from(records.div_ceil(CHUNK_RECORDS)).unwrap_or(usize::MAX);
    let read = |reader: &mut Reader, chunk: usize| -> Result<Vec<Read>, Error> {
        let start = first.saturating_add((chunk as u64).saturating_mul(CHUNK_RECORDS));
        let end = until.0.min(start.saturating_add(CHUNK_RECORDS - 1));
        log.scan(Seq(start), Seq(end))
            .map(|record| {
                let record = record?;
                let body = body_of(&record).ok().flatten();
                let reading = body.and_then(|body| reader.read(&body));
                Ok(Read { record, reading })
            })
            .collect()
    };
    ahead(threads, chunks, Reader::default, read, |chunk| {
        for Read { record, reading } in chunk? {
            crate::ledger::fold_record(state, &record, reading)?;
        }
        Ok(())
    })
}

/// A record, and its text taken apart.
struct Read {
    record: Record,
    reading: Option<Reading>,
}

impl Audit<'_> {
    /// Folds the log again and gives the digest of the state.
    ///
    /// The digest depends on the events alone: not on checkpoints, threads, the
    /// ledger's id, or how the rows are stored.
    ///
    /// # Errors
    /// The log's, and those of the checkpoint that was named.
    pub fn replay(&self, replay: &Replay) -> Result<Replayed, Error> {
        let head = self.ledger.refresh()?.seq;
        let until = replay.until.map_or(Ok(head), |seq| self.ledger.batch_end(seq))?;
        if let Some(checkpoint) = replay.from_checkpoint.filter(|seq| *seq > until) {
            return Err(Error::CheckpointAfter { checkpoint, until });
        }
        let mut state = match replay.from_checkpoint {
            Some(seq) => self.ledger.state_exactly(seq)?,
            None => State::empty(REPLAY_STRIDE),
        };
        match replay.threads {
            None | Some(0 | 1) => crate::ledger::catch_up(&self.ledger.log, &mut state, until)?,
            Some(threads) => {
                let (fresh, epoch) = (state.next == Seq::GENESIS, state.epoch);
                fold_on(&self.ledger.log, &mut state, until, threads)?;
                if let Some(afresh) = state.retired(epoch, fresh) {
                    state = afresh;
                    fold_on(&self.ledger.log, &mut state, until, threads)?;
                }
            }
        }
        let digest = state.digest(replay.threads.unwrap_or(1));
        state.check()?;
        Ok(Replayed { digest, seq: state.next.previous().unwrap_or_default() })
    }

    /// The digest of the state that answers queries; equal to that of a replay.
    ///
    /// # Errors
    /// The log's.
    pub fn digest(&self) -> Result<Replayed, Error> {
        self.ledger.read(|state| {
            let seq = state.next.previous().unwrap_or_default();
            Ok(Replayed { digest: state.digest(1), seq })
        })
    }
}
