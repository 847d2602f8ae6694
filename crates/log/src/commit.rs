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
