//! Batches of threads that found another at work, written together.
//!
//! Who finds the gate taken leaves a copy of its batch here. The first in the queue waits for
//! the gate, takes out what came meanwhile, writes all of it at once and tells each what
//! became of its batch: flat combining (Hendler, Incze, Shavit, Tzafrir, SPAA 2010).
//!
//! Invariants: 1. who is first in the queue leads, and knows it; 2. who was taken out is told,
//! whatever happens; 3. nobody who asked for a sync is told before it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use memlith_threads::{Condvar, Mutex};

use crate::Error;
use crate::append::check_batch;
use crate::frame::frame_len;
use crate::log::Log;
use crate::writer::{Appended, Durability, NewRecord, Writer};

/// Maximum length in bytes of the frames that are written at once for several threads, unless
/// those of the first are longer.
const TOGETHER_LEN_MAX: u64 = 256 << 10;

type Outcome = Result<Vec<Appended>, Error>;

/// The batches that wait, in the order they came in.
#[derive(Debug, Default)]
pub(crate) struct Queue(Mutex<VecDeque<Arc<Request>>>);

/// A batch that waits, and what its thread is told.
#[derive(Debug)]
struct Request {
    heads: Vec<NewRecord<'static>>,
    bodies: Vec<Box<[u8]>>,
    durability: Durability,
    told: Mutex<Option<Told>>,
    moved: Condvar,
}

#[derive(Debug)]
enum Told {
    /// It is the first in the queue.
    Lead,
    Done(Outcome),
}

/// The first in the queue, which leaves it or takes it out, whatever happens.
#[derive(Debug)]
struct Lead<'a>(&'a Queue);

/// The batches that were taken out of the queue. Dropping them tells whoever was not told yet.
#[derive(Debug)]
struct Taken(VecDeque<Arc<Request>>);

impl Log {
    /// Appends a batch together with those of the threads that wait as this one does.
    ///
    /// # Errors
    /// Those of [`Log::append`].
    pub(crate) fn append_in_company(
        &self,
        records: &[NewRecord<'_>],
        durability: Durability,
    ) -> Outcome {
        check_batch(records, &self.options)?;
        let clock = self.env.clock.as_ref();
        let deadline = clock.elapsed().saturating_add(self.options.lock_timeout);
        match self.queue.join(Arc::new(Request::new(records, durability))) {
            Told::Done(outcome) => outcome,
            Told::Lead => {
                // Who was led by others that gave up has waited long enough.
                let timeout = deadline.saturating_sub(clock.elapsed());
                self.append_for_all(Lead(&self.queue), timeout)
            }
        }
    }

    /// Writes what waits, as the first of those whose batches it is.
    fn append_for_all(&self, lead: Lead<'_>, timeout: Duration) -> Outcome {
        let mut writer = self.sharing_writer_within(timeout)?;
        let taken = lead.take();
        let mut outcomes = writer.append_each(&taken.0)?.into_iter();
        let own = outcomes.next().unwrap_or(Err(Error::Poisoned));
        let (seq, mut unsynced) = (writer.head().seq, Vec::new());
        for (request, outcome) in taken.0.iter().skip(1).zip(outcomes) {
            match request.durability {
                Durability::Buffered => request.hear(Told::Done(outcome)),
                Durability::Immediate | Durability::Group => unsynced.push((request, outcome)),
            }
        }
        let synced = writer.finish();
        for (request, outcome) in unsynced {
            let lost = synced.is_err() && outcome.is_ok();
            request.hear(Told::Done(if lost { Err(Error::SharedSync { seq }) } else { outcome }));
        }
        synced.and(own)
    }
}

impl Writer<'_> {
    /// Appends the batches of all requests at once or, where that can't be, one by one.
    ///
    /// # Errors
    /// [`Error::Io`] of a write: the outcome of all is unknown.
    fn append_each(&mut self, requests: &VecDeque<Arc<Request>>) -> Result<Vec<Outcome>, Error> {
        let batches: Vec<Vec<NewRecord<'_>>> = requests.iter().map(|one| one.records()).collect();
        let durability = requests.iter().map(|one| one.durability);
        let durability =
            durability.reduce(|all, one| if all == Durability::Buffered { one } else { all });
        let durability = durability.unwrap_or_default();
        if let [_, _, ..] = batches.as_slice() {
            match self.append_together(&batches, durability) {
                Ok(appended) => {
                    let mut appended = appended.into_iter();
                    let of = |batch: &Vec<_>| Ok(appended.by_ref().take(batch.len()).collect());
                    return Ok(batches.iter().map(of).collect());
                }
                Err(error) if self.gate.is_poisoned() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(batches.iter().map(|batch| self.append(batch, durability)).collect())
    }
}

impl Queue {
    /// Waits for what becomes of the batch, or for its turn to lead.
    fn join(&self, request: Arc<Request>) -> Told {
        let is_first = {
            let mut waiting = self.0.lock();
            waiting.push_back(request.clone());
            waiting.len() == 1
        };
        if is_first { Told::Lead } else { request.wait() }
    }

    /// How many wait, the first among them.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Takes out the first ones, as long as `fits` says so, and has the next one lead.
    fn take(&self, mut fits: impl FnMut(&Request) -> bool) -> VecDeque<Arc<Request>> {
        let mut waiting = self.0.lock();
        let count = waiting.iter().take_while(|request| fits(request)).count();
        let rest = waiting.split_off(count);
        let taken = std::mem::replace(&mut *waiting, rest);
        if let Some(next) = waiting.front() {
            next.hear(Told::Lead);
        }
        taken
    }
}

impl Lead<'_> {
    fn take(self) -> Taken {
        let mut len = 0_u64;
        let taken = self.0.take(|request| {
            let is_first = len == 0;
            len = len.saturating_add(request.frames_len());
            is_first || len <= TOGETHER_LEN_MAX
        });
        std::mem::forget(self);
        Taken(taken)
    }
}

impl Drop for Lead<'_> {
    /// Leaves the queue to the next one, without having written anything.
    fn drop(&mut self) {
        let mut own = true;
        self.0.take(|_| std::mem::replace(&mut own, false));
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.iter().for_each(|request| request.hear(Told::Done(Err(Error::Poisoned))));
    }
}

impl Request {
    fn new(records: &[NewRecord<'_>], durability: Durability) -> Request {
        Request {
            heads: records.iter().map(|record| record.with_body(&[])).collect(),
            bodies: records.iter().map(|record| record.body.into()).collect(),
            durability,
            told: Mutex::default(),
            moved: Condvar::new(),
        }
    }

    fn records(&self) -> Vec<NewRecord<'_>> {
        self.heads.iter().zip(&self.bodies).map(|(head, body)| head.with_body(body)).collect()
    }

    fn frames_len(&self) -> u64 {
        let lens = self.bodies.iter().map(|body| u32::try_from(body.len()).unwrap_or(u32::MAX));
        lens.map(frame_len).sum()
    }

    /// Tells its thread; what it was told first holds.
    fn hear(&self, told: Told) {
        self.told.lock().get_or_insert(told);
        self.moved.notify_all();
    }

    fn wait(&self) -> Told {
        let mut told = self.told.lock();
        loop {
            match told.take() {
                Some(told) => return told,
                None => told = self.moved.wait(told),
            }
        }
    }
}
