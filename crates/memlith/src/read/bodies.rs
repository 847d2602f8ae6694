use memlith_checkout::Bodies;
use memlith_event::Body;
use memlith_log::{Log, Record, RecordId};
use memlith_threads::Mutex;

use crate::error::Error;
use crate::fold::state::body_of;
use crate::ledger::Ledger;

/// The words of items, read from the log and verified against what names them.
///
/// The read path is pure and knows no errors: an item without words is left out. That one
/// could not be read is kept here, since an answer without it would be another answer.
#[derive(Debug)]
pub(crate) struct LogBodies<'a> {
    log: &'a Log,
    /// Whether damaged records were given up when the ledger was opened.
    past_loss: bool,
    failed: Mutex<Option<Error>>,
}

impl<'a> LogBodies<'a> {
    pub(crate) fn of(ledger: &'a Ledger) -> LogBodies<'a> {
        let past_loss = ledger.options.read_past_loss;
        LogBodies { log: &ledger.log, past_loss, failed: Mutex::new(None) }
    }

    /// Confirms that every item that was asked for could be read.
    ///
    /// # Errors
    /// Why the first one couldn't.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    fn fail(&self, id: RecordId, error: Error) {
        tracing::error!(%id, %error, "the words of an item can't be read");
        if !self.past_loss {
            self.failed.lock().get_or_insert(error);
        }
    }
}

impl Bodies for LogBodies<'_> {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        match self.log.read(id.seq) {
            Ok(record) if record.id() == id => show(&record, read),
            Ok(_) => self.fail(id, Error::NoRecord { id }),
            Err(error) => self.fail(id, error.into()),
        }
    }

    fn will_need(&self, ids: &mut dyn Iterator<Item = RecordId>) {
        self.log.will_need(ids.map(|id| id.seq));
    }
}

fn show(record: &Record, read: &mut dyn FnMut(&Body<'_>)) {
    if let Ok(Some(body)) = body_of(record) {
        read(&body);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlith_log::{Env, FixedClock, MemoryDisk, SeededRng, Seq, Timestamp};

    use super::*;
    use crate::Options;

    #[test]
    fn the_first_error_of_the_one_who_asks_is_kept() {
        let env = Env {
            storage: Arc::new(MemoryDisk::new().process()),
            clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
            rng: Arc::new(SeededRng::new(1)),
        };
        let ledger = Ledger::create_in(env, Options::default()).unwrap();
        let other = |hash| RecordId { seq: Seq::GENESIS, hash: [hash; 6] };
        let bodies = LogBodies::of(&ledger);
        bodies.body(other(2), &mut |_| panic!("it isn't there"));
        bodies.body(other(3), &mut |_| panic!("it isn't there"));
        let failed = bodies.finish();
        assert!(matches!(failed, Err(Error::NoRecord { id }) if id == other(2)), "{failed:?}");
        LogBodies::of(&ledger).finish().unwrap();
    }
}
