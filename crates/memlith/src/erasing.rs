use std::collections::BTreeSet;

use memlith_claims::normalised;
use memlith_event::{Body, Event, MemoryEvent, Scope, SessionEvent};
use memlith_log::{
    FIRST_EVENT_KIND, LogEvent, MAX_ERASURE_TARGETS, Payload, RecordId, Seq, Timestamp, Writer,
};
use memlith_memory::Rejection;

use crate::append::Urgency;
use crate::caller::{Caller, Moment};
use crate::error::Error;
use crate::ledger::Ledger;
use crate::state::{State, body_of};

/// The reason that an owner's erasure states in the log.
const OWNERS_WISH: u16 = 1;

/// What an erasure took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The record of the erasure; of several the last.
    pub erasure: RecordId,
    /// Every record whose body it took: the targets, what rested on them, and the
    /// decisions that repeated their words; ascending. None where all were gone already.
    pub records: Vec<RecordId>,
}

/// Which records an erasure is to take: those that fit all that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasureFilter {
    /// The tenant, and where they are given the agent, the subject and the session.
    pub scope: Scope<'static>,
    /// The entity that a memory's slot is about, up to case and white space.
    pub entity: Option<String>,
    /// What happened before this instant.
    pub before: Option<Timestamp>,
}

impl ErasureFilter {
    /// Whether an event is to be taken: an item, or the beginning of a session, which has its
    /// folder and its title.
    fn takes(&self, body: &Body<'_>) -> bool {
        let begins = matches!(body.event, Event::Session(SessionEvent::Started(_)));
        if !(body.event.is_item() || begins && self.entity.is_none()) {
            return false;
        }
        let ErasureFilter { scope: wanted, entity, before } = self;
        let scope = &body.envelope.scope;
        let fits = [
            (&wanted.agent, &scope.agent),
            (&wanted.subject, &scope.subject),
            (&wanted.session, &scope.session),
        ];
        scope.tenant == wanted.tenant
            && fits.into_iter().all(|(wanted, found)| wanted.is_none() || wanted == found)
            && before.is_none_or(|before| body.envelope.occurred_at < before)
            && entity.as_ref().is_none_or(|entity| is_about(&body.event, entity))
    }
}

fn is_about(event: &Event<'_>, entity: &str) -> bool {
    let Event::Memory(MemoryEvent::Remembered(memory)) = event else { return false };
    let slot = memory.slot.as_ref();
    slot.is_some_and(|slot| normalised(&slot.entity) == normalised(entity))
}

impl Ledger {
    /// Erases the bodies of items from the ledger's files, with everything that rests
    /// on them; sequence, time, kind, length and hash remain, and so does the chain.
    ///
    /// Checkpoints and quarantined bytes are removed with them, and the state is folded
    /// again from what is left. Tombstones keep what was erased from coming in again; see
    /// [`Ledger::lift`]. Copies elsewhere, snapshots and freed disk blocks are
    /// not reached. Returns when all of it is durable; if it is cut short, the next
    /// writer finishes it. What is erased already is passed over: where nothing else was
    /// asked for, the answer names the erasure that took it, and nothing is appended.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner, and the log's.
    pub fn erase(&self, caller: &Caller, targets: &[RecordId]) -> Result<Erased, Error> {
        self.locked(self.options.lock_timeout, |writer, state, moment| {
            let seqs = state.memory.decide_erasure(targets, &caller.door(moment, None)?)?;
            if seqs.is_empty() {
                state.check()?;
                return Ok(Erased { erasure: self.erasure_of(targets)?, records: Vec::new() });
            }
            self.erase_records(writer, state, (caller, moment), &seqs)
        })
    }

    /// [`Ledger::erase`] of all that a filter takes, whichever cells it lies in, as one or,
    /// above 16,384 records, several erasures.
    ///
    /// `None` where nothing fits. Cost: a pass over the log before it.
    ///
    /// # Errors
    /// Those of [`Ledger::erase`].
    pub fn erase_matching(
        &self,
        caller: &Caller,
        filter: &ErasureFilter,
    ) -> Result<Option<Erased>, Error> {
        self.locked(self.options.lock_timeout, |writer, state, moment| {
            let seqs = self.seqs_matching(state, caller, moment, filter)?;
            if seqs.is_empty() {
                return Ok(None);
            }
            self.erase_records(writer, state, (caller, moment), &seqs).map(Some)
        })
    }

    /// What [`Ledger::erase`] of these items would take, ascending; nothing is changed.
    ///
    /// # Errors
    /// Those of [`Ledger::erase`].
    pub fn would_erase(
        &self,
        caller: &Caller,
        targets: &[RecordId],
    ) -> Result<Vec<RecordId>, Error> {
        self.locked(self.options.lock_timeout, |_, state, moment| {
            let seqs = state.memory.decide_erasure(targets, &caller.door(moment, None)?)?;
            self.ids_of(&seqs)
        })
    }

    /// What [`Ledger::erase_matching`] would take, ascending; nothing is changed.
    ///
    /// # Errors
    /// Those of [`Ledger::erase_matching`].
    pub fn would_erase_matching(
        &self,
        caller: &Caller,
        filter: &ErasureFilter,
    ) -> Result<Vec<RecordId>, Error> {
        self.locked(self.options.lock_timeout, |_, state, moment| {
            self.ids_of(&self.seqs_matching(state, caller, moment, filter)?)
        })
    }

    fn ids_of(&self, seqs: &[Seq]) -> Result<Vec<RecordId>, Error> {
        seqs.iter().map(|seq| Ok(self.log.read(*seq)?.id())).collect()
    }

    /// The records that a filter takes, and all that goes with them.
    fn seqs_matching(
        &self,
        state: &State,
        caller: &Caller,
        moment: Moment,
        filter: &ErasureFilter,
    ) -> Result<Vec<Seq>, Error> {
        let mut own = BTreeSet::new();
        for record in self.log.scan(Seq::GENESIS, self.head().seq) {
            let record = record?;
            if !matches!(record.payload, Payload::Present { .. }) {
                continue;
            }
            // What this version can't read it can't tell to be what is meant.
            let body = body_of(&record).ok().flatten();
            if body.is_some_and(|body| filter.takes(&body)) {
                own.insert(record.seq);
            }
        }
        let reached = state.memory.decide_erasure_of(own, &caller.door(moment, None)?)?;
        // What rests on an item may be erased already.
        let mut present = Vec::with_capacity(reached.len());
        for seq in reached {
            if matches!(self.log.read(seq)?.payload, Payload::Present { .. }) {
                present.push(seq);
            }
        }
        Ok(present)
    }

    /// Lays the tombstones, then takes the bodies.
    fn erase_records(
        &self,
        writer: &mut Writer<'_>,
        state: &State,
        (caller, moment): (&Caller, Moment),
        seqs: &[Seq],
    ) -> Result<Erased, Error> {
        let records = self.ids_of(seqs)?;
        state.check()?;
        let stones = self.tombstones_of(state, seqs, (caller, moment))?;
        if !stones.is_empty() {
            self.append(writer, state, moment.tick, &stones, Urgency::Urgent)?;
        }
        let mut erasure = RecordId::default();
        for targets in seqs.chunks(MAX_ERASURE_TARGETS) {
            erasure = writer.erase(OWNERS_WISH, targets)?.id;
        }
        Ok(Erased { erasure, records })
    }

    /// The last erasure that took one of `targets`. Cost: a pass over the log.
    fn erasure_of(&self, targets: &[RecordId]) -> Result<RecordId, Error> {
        let mut found = None;
        for record in self.log.scan(Seq::GENESIS, self.head().seq) {
            let record = record?;
            let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
            let Some((LogEvent::Erasure { targets: taken, .. }, _)) = event else { continue };
            let names = |id: &RecordId| taken.iter().any(|(seq, _)| *seq == id.seq);
            if record.kind < FIRST_EVENT_KIND && targets.iter().any(names) {
                found = Some(record.id());
            }
        }
        // Without one, the bytes were lost and the loss accepted.
        let lost = || Rejection::NotFound { id: targets.first().copied().unwrap_or_default() };
        found.ok_or_else(|| lost().into())
    }
}
