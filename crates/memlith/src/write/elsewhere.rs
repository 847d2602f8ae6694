//! Remarks on items of other machines' ledgers: written here, gone by here, and done where the item
//! is.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{
    Body, Citation, Elsewhere, Envelope, Event, IdempotencyKey, MemoryEvent, Origin, OwnStatus,
    Rank, SaidElsewhere,
};
use memlith_log::{Error as LogError, LedgerId, Payload, Record, RecordId, Tick, Timestamp};
use memlith_memory::{Authority, Change, Command, Item, Memory, Rejection, Remark};
use serde::Serialize;

use crate::caller::{Caller, Moment};
use crate::error::{Error, ErrorKind};
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::write::append::Urgency;
use crate::write::command::clean;

/// The most remarks of one batch.
const REMARKS_MAX: usize = 1_024;

/// Request of a caller on another machine for an item of this ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Requested {
    /// The item.
    pub id: RecordId,
    /// The request.
    pub said: SaidElsewhere,
    /// The caller's name.
    pub by: String,
    /// Why it wasn't done.
    pub refused: Option<String>,
}

/// Answers to what callers on other machines ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Requests that were done or declined.
    pub done: Vec<Requested>,
    /// Number of records that were erased because an owner asked for it.
    pub erased: u64,
}

impl Ledger {
    /// Says something of the item `id` of `holder`, a copy of another machine's ledger beside this
    /// one: an event of this ledger. Every reader of both goes by it until that machine takes it in
    /// and does it itself, once.
    ///
    /// Durable as [`Ledger::change`] is.
    ///
    /// # Errors
    /// Those of [`Ledger::check_elsewhere`], and the log's.
    pub fn say_elsewhere(
        &self,
        caller: &Caller,
        (holder, id): (&Ledger, RecordId),
        (said, reason): (SaidElsewhere, Option<String>),
    ) -> Result<RecordId, Error> {
        self.check_elsewhere(caller, (holder, id), said)?;
        let reason = reason.map(|text| clean(text, &mut BTreeMap::new()).into());
        let (ledger, record_hash) = (holder.id(), holder.log.read(id.seq)?.record_hash);
        let said = Elsewhere { ledger, id, record_hash, said, reason };
        self.append_remarks(caller, None, &[said])
    }

    /// Checks whether [`Ledger::say_elsewhere`] may be said, after what was said before and waits for
    /// that machine.
    ///
    /// # Errors
    /// [`Error::Rejected`] where there is no such item in the caller's sight, it is guarded by a
    /// higher rank than the caller's, or may not be so changed.
    pub fn check_elsewhere(
        &self,
        caller: &Caller,
        (holder, id): (&Ledger, RecordId),
        said: SaidElsewhere,
    ) -> Result<(), Error> {
        Caller::check_scope(&caller.scope)?;
        let state = holder.snapshot()?;
        let item = state.memory.item(id.seq).filter(|item| item.id == id);
        let item = item.filter(|item| Memory::sees(&caller.scope, item));
        let item = item.ok_or(Rejection::NotFound { id })?;
        check_guard(said, caller, &item)?;
        let waiting = self.waiting_on(holder, id)?;
        let last = |of: &dyn Fn(&Remark) -> bool| waiting.iter().rfind(|one| of(one));
        let refuse =
            |authority| Err(Rejection::Status { id, authority, command: "changed" }.into());
        // Who takes something back has the rank of who said it.
        let take_back = |one: &Remark| match caller.actor().rank {
            found if found.level() < one.rank => {
                Err(Rejection::Rank { id, needed: one.rank, found }.into())
            }
            _ => Ok(()),
        };
        if last(&|one| one.said == SaidElsewhere::Erased).is_some() {
            return refuse(Authority::Erased);
        }
        let of_sight = last(&|one| one.hides().is_some());
        let hides = of_sight.and_then(Remark::hides);
        match (said, of_sight) {
            (SaidElsewhere::Restored, Some(one)) if hides == Some(true) => return take_back(one),
            (SaidElsewhere::Restored, _) => {}
            (_, _) if hides == Some(true) => return refuse(Authority::Invalidated),
            (SaidElsewhere::Forgotten | SaidElsewhere::ReplacedBy(_), Some(_)) => return Ok(()),
            (_, _) => {}
        }
        let pins = [SaidElsewhere::Pinned, SaidElsewhere::Unpinned];
        if let Some(one) = last(&|one| pins.contains(&one.said))
            && (said, one.said) == (SaidElsewhere::Unpinned, SaidElsewhere::Pinned)
        {
            return take_back(one);
        }
        let Some(change) = change_of(said, None, self.id()) else { return Ok(()) };
        let raw = holder.now();
        let moment =
            Moment { tick: Tick { raw, recorded_at: raw, clamped: false }, next: state.next };
        let door = caller.door(moment, None)?;
        state.memory.decide(&Command::Change { change, targets: vec![id] }, &door)?;
        Ok(())
    }

    /// Returns what was said, here or on a copy beside this ledger, of the item `id` of `holder` by a
    /// rank that may, and that `holder` has not done; by when it was said.
    ///
    /// # Errors
    /// The log's.
    pub fn waiting_on(&self, holder: &Ledger, id: RecordId) -> Result<Vec<Remark>, Error> {
        let guard = holder.snapshot()?.memory.item(id.seq).map_or(0, |item| item.guard);
        let mut all = self.beside();
        all.push(self.clone());
        Ok(Said::of(&all).waiting((holder.id(), id, guard), holder.now()))
    }

    /// Returns the remarks of this ledger that the ledgers which hold the items, of those beside it,
    /// have not done as far as is known here; by when they were said.
    ///
    /// # Errors
    /// The log's.
    pub fn waiting_elsewhere(&self) -> Result<Vec<Remark>, Error> {
        let own = self.snapshot()?;
        let is_asked = |one: &Remark| one.said != SaidElsewhere::Declined;
        let mut waiting: Vec<Remark> = own.memory.all_remarks().filter(is_asked).collect();
        if waiting.is_empty() {
            return Ok(waiting);
        }
        let beside = self.beside();
        let holders = of_ledgers(&beside);
        let waits = |one: &Remark| -> Result<bool, Error> {
            let Some((holder, state)) = holders.get(&one.ledger) else { return Ok(true) };
            let is_there = one.id.seq <= holder.head().seq;
            let is_whole =
                is_there && matches!(holder.log.read(one.id.seq)?.payload, Payload::Present { .. });
            Ok(is_whole && !state.memory.has_done(one))
        };
        let mut kept = Vec::new();
        for one in waiting.drain(..) {
            if waits(&one)? {
                kept.push(one);
            }
        }
        kept.sort_by_key(|one| (one.at, one.by));
        Ok(kept)
    }

    /// Does with items of this ledger what callers on other machines ask for, by the copies of their
    /// ledgers beside this one: each remark once, by when it was said. Gives those that were answered
    /// now. What this ledger refuses it declines by an event, so that nobody waits for it; what an owner
    /// asks to be erased is erased, as `eraser`.
    ///
    /// # Errors
    /// The log's.
    pub fn answer_requests(&self, eraser: &Caller) -> Result<Answered, Error> {
        let (head, own, mut waiting) = (self.refresh()?.seq, self.snapshot()?.memory, Vec::new());
        let beside = self.beside();
        for (copy, state) in of_ledgers(&beside).values() {
            let is_asked = |one: &Remark| one.ledger == self.id() && one.id.seq <= head;
            for one in state.memory.all_remarks().filter(is_asked) {
                let is_done = one.said == SaidElsewhere::Declined
                    || own.has_done(&one)
                    || one.said == SaidElsewhere::Erased && self.is_bare(one.id)?;
                if !is_done {
                    waiting.push(((one.at, copy.id(), one.by), *copy, one));
                }
            }
        }
        drop(own);
        waiting.sort_by_key(|(when, ..)| *when);
        let mut answered = Answered::default();
        let mut erased = BTreeSet::new();
        for (_, copy, remark) in waiting {
            if remark.said != SaidElsewhere::Erased {
                answered.done.extend(self.answer(copy, remark)?);
            } else if remark.rank >= Rank::Owner.level() && self.asked(copy, remark)?.is_some() {
                erased.insert(remark.id.seq);
            }
        }
        answered.erased = self.erasure().obey(eraser, erased)?;
        Ok(answered)
    }

    /// The event that makes a remark, where the record that it names is the one here.
    fn asked(&self, copy: &Ledger, remark: Remark) -> Result<Option<Record>, Error> {
        let record = copy.log.read(remark.by)?;
        let body = body_of(&record).ok().flatten();
        let Some(Event::Memory(MemoryEvent::Elsewhere(asked))) = body.map(|body| body.event) else {
            return Ok(None);
        };
        let is_same = self.log.read(remark.id.seq)?.record_hash == asked.record_hash;
        Ok(is_same.then_some(record))
    }

    fn is_bare(&self, id: RecordId) -> Result<bool, Error> {
        Ok(!matches!(self.log.read(id.seq)?.payload, Payload::Present { .. }))
    }

    fn answer(&self, copy: &Ledger, remark: Remark) -> Result<Option<Requested>, Error> {
        let Some(record) = self.asked(copy, remark)? else { return Ok(None) };
        let body = body_of(&record).ok().flatten();
        let Some(Body { envelope, event: Event::Memory(MemoryEvent::Elsewhere(asked)) }) = body
        else {
            return Ok(None);
        };
        let (id, said) = (asked.id, asked.said);
        let (by, rank) = (envelope.actor.name.to_string(), envelope.actor.rank);
        let mut caller = Caller::new(&envelope.scope.tenant, &by, rank);
        caller.key = Some(Remark::key(record.id(), &asked));
        caller.scope = envelope.scope.into_owned();
        let reason = asked.reason.as_ref().map(ToString::to_string);
        let Some(change) = change_of(said, reason, copy.id()) else { return Ok(None) };
        let item = self.snapshot()?.memory.item(id.seq);
        let may = item.map_or(Ok(()), |item| check_guard(said, &caller, &item));
        let refused = match may.and_then(|()| self.change(&caller, change, id)) {
            Ok(_) => None,
            // A node that may not write leaves it to one that may.
            Err(Error::Log(LogError::NotAllowed { .. }) | Error::Shared(_)) => return Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Usage) => {
                let why = error.to_string();
                let (said, reason) = (SaidElsewhere::Declined, Some(why.clone().into()));
                let (ledger, record_hash) = (copy.id(), record.record_hash);
                let declined = Elsewhere { ledger, id: record.id(), record_hash, said, reason };
                self.append_remarks(&caller, caller.key, &[declined])?;
                Some(why)
            }
            Err(error) => return Err(error),
        };
        Ok(Some(Requested { id, said, by, refused }))
    }

    /// Appends remarks, each as an event of its own; gives the last one's id.
    pub(crate) fn append_remarks(
        &self,
        caller: &Caller,
        key: Option<IdempotencyKey>,
        said: &[Elsewhere<'static>],
    ) -> Result<RecordId, Error> {
        self.locked(|writer, state, moment| {
            let door = caller.door(moment, None)?;
            let body = |said: &Elsewhere<'static>| {
                let scope = door.scope.clone();
                let mut envelope = Envelope::new(scope, caller.actor(), door.occurred_at);
                (envelope.origin, envelope.key) = (Origin::Derived, key);
                Body { envelope, event: Event::Memory(MemoryEvent::Elsewhere(said.clone())) }
            };
            let mut last = RecordId::default();
            for said in said.chunks(REMARKS_MAX) {
                let bodies: Vec<Body<'static>> = said.iter().map(body).collect();
                let urgency = Urgency::Ordinary(self.options.durability);
                let appended = self.append(writer, state, moment.tick, &bodies, urgency)?;
                last = appended.last().map(|one| one.id).unwrap_or_default();
            }
            Ok(last)
        })
    }
}

/// Refuses what puts an item out of sight, or back, for a caller below the rank that guards it: in
/// one ledger that would dispute it.
fn check_guard(said: SaidElsewhere, caller: &Caller, item: &Item) -> Result<(), Error> {
    let (id, needed, found) = (item.id, item.guard, caller.actor().rank);
    let is_of_sight = matches!(
        said,
        SaidElsewhere::Forgotten | SaidElsewhere::ReplacedBy(_) | SaidElsewhere::Restored
    );
    match is_of_sight && found.level() < needed {
        true => Err(Rejection::Rank { id, needed, found }.into()),
        false => Ok(()),
    }
}

/// The change that a remark of the ledger `from` asks the ledger that holds the item for; an erasure
/// is none.
fn change_of(said: SaidElsewhere, reason: Option<String>, from: LedgerId) -> Option<Change> {
    Some(match said {
        SaidElsewhere::Forgotten => Change::Invalidate { weight: None, reason },
        SaidElsewhere::ReplacedBy(id) => {
            let reason = format!("replaced by {}", Citation { ledger: from, id });
            Change::Invalidate { weight: None, reason: Some(reason) }
        }
        SaidElsewhere::Restored => Change::Reconfirm { reason },
        SaidElsewhere::Confirmed { verified } => Change::Confirm { weight: None, verified },
        SaidElsewhere::Pinned => Change::Pin,
        SaidElsewhere::Unpinned => Change::Unpin,
        SaidElsewhere::Erased | SaidElsewhere::Declined => return None,
    })
}

/// Says of each item, of the ledger that is named and guarded by a rank, whether other `ledgers` put
/// it out of sight at `now`, and the one that holds it has not done so itself.
pub(crate) fn are_hidden(
    ledgers: &[Ledger],
    items: &[(LedgerId, RecordId, u8)],
    now: Timestamp,
) -> Vec<bool> {
    let said = Said::of(ledgers);
    let is_hidden = |item| said.waiting(item, now).iter().rev().find_map(Remark::hides);
    items.iter().map(|item| is_hidden(*item).unwrap_or(false)).collect()
}

/// The ledgers by id, with their states; one that can't be read is left out.
fn of_ledgers(ledgers: &[Ledger]) -> BTreeMap<LedgerId, (&Ledger, State)> {
    let with_state = |one| {
        let state = Ledger::snapshot(one).inspect_err(
            |error| tracing::warn!(%error, "a copy of another machine's ledger is left out"),
        );
        Some((one.id(), (one, state.ok()?)))
    };
    ledgers.iter().filter_map(with_state).collect()
}

/// The states of ledgers that are read together.
struct Said<'a>(BTreeMap<LedgerId, (&'a Ledger, State)>);

impl Said<'_> {
    fn of(ledgers: &[Ledger]) -> Said<'_> {
        Said(of_ledgers(ledgers))
    }

    /// The remarks on an item that may be made by their rank, and that its ledger has not done: by
    /// when they were said, and of two at one instant by ledger.
    fn waiting(&self, (of, id, guard): (LedgerId, RecordId, u8), now: Timestamp) -> Vec<Remark> {
        let holder = self.0.get(&of);
        let item = holder.and_then(|(_, state)| state.memory.item(id.seq));
        if item.is_some_and(|item| item.own == OwnStatus::Erased) {
            return Vec::new();
        }
        let mut waiting = Vec::new();
        for (ledger, (_, state)) in self.0.iter().filter(|(ledger, _)| **ledger != of) {
            let remarks = state.memory.remarks(of, id);
            let waits = |one: &Remark| {
                let is_done = holder.is_some_and(|(_, state)| state.memory.has_done(one));
                one.said != SaidElsewhere::Declined
                    && one.at <= now
                    && (one.hides().is_none() || one.rank >= guard)
                    && !is_done
            };
            waiting.extend(remarks.filter(waits).map(|one| ((one.at, *ledger, one.by), one)));
        }
        waiting.sort_by_key(|(when, _)| *when);
        waiting.into_iter().map(|(_, one)| one).collect()
    }
}
