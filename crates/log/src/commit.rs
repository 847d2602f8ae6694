//! Batches that several machines agree on before one of them writes them here.

use std::fmt::Debug;

use crate::writer::Writer;
use crate::{Digest, Error, LedgerId, Seq};

/// Puts batches where all who share a ledger see them, in one order.
pub trait Commit: Debug + Send + Sync {
    /// Puts whole batches of `ledger`, which begin with the record `first`, behind a record at which
    /// the chain is `before`; `records` are as [`RestoredRecord::encode`](crate::RestoredRecord::encode) writes
    /// them.
    ///
    /// # Errors
    /// [`NotCommitted`]; nothing is written here then.
    fn commit(
        &self,
        ledger: LedgerId,
        first: Seq,
        before: Digest,
        records: &[u8],
    ) -> Result<(), NotCommitted>;
}

/// Why batches were not agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCommitted {
    /// Somebody else's stand there: take them in, and decide again.
    Taken,
    /// It isn't known whether they stand there.
    Unknown(String),
    /// They may not be put there: nothing stands there.
    Refused(String),
}

impl Writer<'_> {
    /// Has the drafted batches agreed on, where the ledger is shared.
    pub(crate) fn commit(&self, first: Seq, before: Digest) -> Result<(), Error> {
        let Some(commit) = self.log.options.commit.as_ref().filter(|_| !self.restores) else {
            return Ok(());
        };
        if self.agreed_to() != first.previous() {
            // Another process wrote here since, and may have died within a frame.
            return Err(Error::Conflict { seq: first });
        }
        let records = self.gate.frames.encoded();
        commit.commit(self.log.ledger, first, before, &records).map_err(|not| match not {
            NotCommitted::Taken => Error::Conflict { seq: first },
            NotCommitted::Unknown(what) => Error::NotAgreed { seq: first, what },
            NotCommitted::Refused(what) => Error::NotAllowed { what },
        })?;
        *self.log.agreed_to.lock() = self.gate.frames.last().map(|(last, _)| last);
        Ok(())
    }

    /// The last record of a copy of a shared ledger up to which this handle knows that whole
    /// frames are here.
    #[must_use]
    pub fn agreed_to(&self) -> Option<Seq> {
        *self.log.agreed_to.lock()
    }

    /// Notes that all that is here are whole frames of the shared log.
    pub fn note_agreed(&self) {
        *self.log.agreed_to.lock() = Some(self.head().seq);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kind::FIRST_EVENT_KIND;
    use crate::writer::{Durability, NewRecord};
    use crate::{Env, FixedClock, Flags, Log, LogOptions, MemoryDisk, SeededRng, Timestamp};

    #[derive(Debug)]
    struct Agreed;

    impl Commit for Agreed {
        fn commit(&self, _: LedgerId, _: Seq, _: Digest, _: &[u8]) -> Result<(), NotCommitted> {
            Ok(())
        }
    }

    fn append(writer: &mut Writer<'_>) -> Result<(), Error> {
        let (kind_version, codec, flags) = (0, 0, Flags::NONE);
        let record =
            NewRecord { kind: FIRST_EVENT_KIND, kind_version, codec, flags, body: b"a word" };
        writer.append(&[record], Durability::Immediate).map(drop)
    }

    #[test]
    fn a_copy_is_written_behind_whole_frames_alone() {
        let disk = MemoryDisk::new();
        let env = || Env {
            storage: Arc::new(disk.process()),
            clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
            rng: Arc::new(SeededRng::new(7)),
        };
        let options = || {
            let commit: Arc<dyn Commit> = Arc::new(Agreed);
            LogOptions { commit: Some(commit), ..LogOptions::default() }
        };
        let one = Log::create(env(), options()).unwrap();
        let other = Log::open(env(), options()).unwrap();
        for log in [&one, &other, &one] {
            let mut writer = log.writer().unwrap();
            // Another process may have died within the frame that it was taking in.
            assert!(matches!(append(&mut writer), Err(Error::Conflict { .. })));
            writer.note_agreed();
            append(&mut writer).unwrap();
            append(&mut writer).unwrap();
        }
    }
}
