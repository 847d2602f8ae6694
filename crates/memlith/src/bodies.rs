use memlith_checkout::Bodies;
use memlith_event::Body;
use memlith_log::{Log, Lookup, Record, RecordId};
use memlith_threads::Mutex;

use crate::error::Error;
use crate::ledger::Ledger;
use crate::state::body_of;

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
        if !self.past_loss && !memlith_log::planted!("unreadable-text-left-out") {
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

    fn apart(&self) -> Option<Box<dyn Bodies + Send>> {
        let gains = self.log.env().storage.readers() > 1;
        gains.then(|| Box::new(Apart(self.log.lookup())) as Box<dyn Bodies + Send>)
    }
}

/// The same words for a thread that may outlive the ledger.
///
/// What can't be read is passed over: only if the checkout comes to it itself it is an error,
/// and that doesn't depend on how far this thread came.
struct Apart(Lookup);

impl Bodies for Apart {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        if let Some(record) = self.0.read(id.seq).ok().filter(|record| record.id() == id) {
            show(&record, read);
        }
    }
}

fn show(record: &Record, read: &mut dyn FnMut(&Body<'_>)) {
    if let Ok(Some(body)) = body_of(record) {
        read(&body);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use memlith_log::{
        Env, FixedClock, LocalStorage, MemoryDisk, SeededRng, Seq, Storage, Timestamp,
    };

    use super::*;
    use crate::measured::CountedStorage;
    use crate::{Caller, CheckoutRequest, Options, Remember};

    fn env(storage: impl Storage + 'static) -> Env {
        Env {
            storage: Arc::new(storage),
            clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
            rng: Arc::new(SeededRng::new(1)),
        }
    }

    fn local(dir: &Path) -> LocalStorage {
        LocalStorage::open(dir).unwrap()
    }

    #[test]
    fn a_pack_is_the_same_with_a_second_thread_and_without() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options::default;
        let ledger = Ledger::create_in(env(local(dir.path())), options()).unwrap();
        let caller = Caller::user("t", "a");
        for number in 0..60 {
            let text = format!("Kettle {number} boils water for tea number {number}. ").repeat(14);
            let _ = ledger.remember(&caller, Remember { text, ..Remember::default() }).unwrap();
        }
        // A storage that counts has one reader.
        let counted = CountedStorage::new(local(dir.path()));
        let alone = Ledger::open_in(env(counted), Options { read_only: true, ..options() });
        let alone = alone.unwrap();
        assert!(LogBodies::of(&alone).apart().is_none());
        for budget_tokens in [300, 900, 1_500, 9_000] {
            let request = CheckoutRequest {
                budget_tokens,
                observe: false,
                ..CheckoutRequest::new("kettle tea")
            };
            let ask = |ledger: &Ledger| ledger.checkout(&caller, &request).unwrap().pack;
            let (alone, beside) = (ask(&alone), ask(&ledger));
            assert_eq!((beside.items, beside.left_out), (alone.items, alone.left_out));
            assert!(beside.tokens > budget_tokens.min(2_000) / 2, "{budget_tokens}");
        }
    }

    #[test]
    fn a_disk_with_one_reader_gets_no_second_one() {
        let ledger = Ledger::create_in(env(MemoryDisk::new().process()), Options::default());
        assert!(LogBodies::of(&ledger.unwrap()).apart().is_none());
    }

    #[test]
    fn the_first_error_of_the_one_who_asks_is_kept() {
        let ledger =
            Ledger::create_in(env(MemoryDisk::new().process()), Options::default()).unwrap();
        let other = |hash| RecordId { seq: Seq::GENESIS, hash: [hash; 6] };
        let bodies = LogBodies::of(&ledger);
        let apart = Apart(ledger.log.lookup());
        apart.body(other(1), &mut |_| panic!("it isn't there"));
        bodies.body(other(2), &mut |_| panic!("it isn't there"));
        bodies.body(other(3), &mut |_| panic!("it isn't there"));
        let failed = bodies.finish();
        assert!(matches!(failed, Err(Error::NoRecord { id }) if id == other(2)), "{failed:?}");
        apart.body(other(1), &mut |_| panic!("it isn't there"));
        LogBodies::of(&ledger).finish().unwrap();
    }
}
