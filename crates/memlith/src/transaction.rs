//! Appends for the crates above the engine: decided on a state, under the ledger's lock.

use std::collections::BTreeMap;

use memlith_event::{Body, Event, Link};
use memlith_log::{Durability, Record, RecordId, Seq, Timestamp, Writer};

use crate::caller::{Caller, Moment};
use crate::copy::import::redact_body;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::write::append::Urgency;

pub use crate::fold::state::State;

/// One turn under the ledger's lock: the state that a decision rests on, and the way to append
/// what was decided.
///
/// No other writer appends while it lasts, so the state is that of the end of the log.
#[derive(Debug)]
pub struct Transaction<'a, 'w> {
    ledger: &'a Ledger,
    writer: &'a mut Writer<'w>,
    state: &'a State,
    moment: Moment,
}

impl Transaction<'_, '_> {
    /// The state at the end of the log.
    #[must_use]
    pub fn state(&self) -> &State {
        self.state
    }

    /// The instant that every record of this turn gets: the clock, read once under the lock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.moment.tick.recorded_at
    }

    /// Appends one event as `caller`, and returns its record.
    ///
    /// Secrets are taken out of it before it is hashed.
    ///
    /// # Errors
    /// The caller's scope can't be written down, the state that was decided on is damaged, a
    /// tombstone bars the event, or the log can't be written.
    pub fn append(
        &mut self,
        caller: &Caller,
        links: Vec<Link>,
        event: Event<'_>,
        durability: Durability,
    ) -> Result<RecordId, Error> {
        Caller::check_scope(&caller.scope)?;
        let envelope = caller.door(self.moment, None)?.envelope(links);
        let mut body = Body { envelope, event };
        redact_body(&mut body, &mut BTreeMap::new());
        let urgency = Urgency::Ordinary(durability);
        let tick = self.moment.tick;
        let appended = self.ledger.append(self.writer, self.state, tick, &[body], urgency)?;
        Ok(appended.first().map(|one| one.id).unwrap_or_default())
    }
}

impl Ledger {
    /// Decides on the newest state and appends what was decided, under the lock; for the crates
    /// that stand above the engine.
    ///
    /// `write` is called again if what it read turned out to be damaged, before it appended.
    ///
    /// # Errors
    /// Those of `write`, and the log's.
    #[doc(hidden)]
    pub fn transaction<T>(
        &self,
        mut write: impl FnMut(&mut Transaction<'_, '_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.locked(|writer, state, moment| {
            write(&mut Transaction { ledger: self, writer, state, moment })
        })
    }

    /// Answers from the state at the end of the log, for the crates that stand above the engine.
    ///
    /// # Errors
    /// Those of `answer`, and the log's.
    #[doc(hidden)]
    pub fn read<T>(&self, answer: impl Fn(&State) -> Result<T, Error>) -> Result<T, Error> {
        self.answered(|| self.snapshot(), answer)
    }

    /// Reads one record, for the crates that stand above the engine.
    ///
    /// # Errors
    /// The log's.
    #[doc(hidden)]
    pub fn record(&self, seq: Seq) -> Result<Record, Error> {
        Ok(self.log.read(seq)?)
    }
}

/// Returns an event without its secrets, as [`Transaction::append`] writes it.
#[must_use]
pub fn redacted<'a>(event: Event<'a>, caller: &Caller) -> Event<'a> {
    let envelope = memlith_event::Envelope::new(
        caller.scope.clone(),
        memlith_event::Actor::new(caller.name.clone(), caller.rank),
        Timestamp::default(),
    );
    let mut body = Body { envelope, event };
    redact_body(&mut body, &mut BTreeMap::new());
    body.event
}
