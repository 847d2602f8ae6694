//! Remarks on items of other machines' ledgers: written here, gone by here, and done where the item
//! is.

use std::collections::BTreeMap;

use memlith_event::{
    Body, Citation, Elsewhere, Envelope, Event, IdempotencyKey, MemoryEvent, Origin, SaidElsewhere,
};
use memlith_log::{LedgerId, Payload, RecordId, Tick, Timestamp};
use memlith_memory::{Authority, Change, Command, Item, Memory, Rejection, Remark};
use serde::Serialize;

use crate::caller::{Caller, Moment};
use crate::copy::stretch::Heard;
use crate::error::{Error, ErrorKind};
use crate::fold::state::State;
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
        Ok(Said::of(&all)?.waiting((holder.id(), id, guard), holder.now()))
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
        let holders = of_ledgers(&beside)?;
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

    /// Does with items of this ledger what callers on the machine of the ledger `from` ask for, each
    /// remark once; gives those that were not answered before. What this ledger refuses it declines by
    /// an event, so that nobody waits for it.
    pub(crate) fn carry_out(
        &self,
        remarks: &[Heard],
        from: LedgerId,
    ) -> Result<Vec<Requested>, Error> {
        let (head, mut done) = (self.refresh()?.seq, Vec::new());
        for Heard {
            by: remark,
            hash,
            caller,
            said: Elsewhere { id, record_hash, said, reason, .. },
        } in remarks
        {
            let reason = reason.as_ref().map(ToString::to_string);
            let (id, said, by) = (*id, *said, caller.name.clone());
            if said == SaidElsewhere::Declined {
                done.push(Requested { id, said, by, refused: reason });
                continue;
            }
            let Some(change) = change_of(said, reason, from) else { continue };
            let state = self.snapshot()?.memory;
            let known = |key| state.known(key, &caller.scope, &caller.actor());
            if id.seq > head
                || self.log.read(id.seq)?.record_hash != *record_hash
                || caller.key.and_then(known).is_some()
            {
                continue;
            }
            let may = state.item(id.seq).map_or(Ok(()), |item| check_guard(said, caller, &item));
            let refused = match may.and_then(|()| self.change(caller, change, id)) {
                Ok(_) => None,
                Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Usage) => {
                    let (id, record_hash, why) = (*remark, *hash, error.to_string());
                    let (said, reason) = (SaidElsewhere::Declined, Some(why.clone().into()));
                    let declined = Elsewhere { ledger: from, id, record_hash, said, reason };
                    self.append_remarks(caller, caller.key, &[declined])?;
                    Some(why)
                }
                Err(error) => return Err(error),
            };
            done.push(Requested { id, said, by, refused });
        }
        Ok(done)
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
) -> Result<Vec<bool>, Error> {
    let said = Said::of(ledgers)?;
    let is_hidden = |item| said.waiting(item, now).iter().rev().find_map(Remark::hides);
    Ok(items.iter().map(|item| is_hidden(*item).unwrap_or(false)).collect())
}

fn of_ledgers(ledgers: &[Ledger]) -> Result<BTreeMap<LedgerId, (&Ledger, State)>, Error> {
    ledgers.iter().map(|one| Ok((one.id(), (one, one.snapshot()?)))).collect()
}

/// The states of ledgers that are read together.
struct Said<'a>(BTreeMap<LedgerId, (&'a Ledger, State)>);

impl Said<'_> {
    fn of(ledgers: &[Ledger]) -> Result<Said<'_>, Error> {
        of_ledgers(ledgers).map(Said)
    }

    /// The remarks on an item that may be made by their rank, and that its ledger has not done: by
    /// when they were said, and of two at one instant by ledger.
    fn waiting(&self, (of, id, guard): (LedgerId, RecordId, u8), now: Timestamp) -> Vec<Remark> {
        let holder = self.0.get(&of);
        let mut waiting = Vec::new();
        for (ledger, (_, state)) in self.0.iter().filter(|(ledger, _)| **ledger != of) {
            let remarks = state.memory.remarks(of, id);
            let waits = |one: &Remark| {
                let is_done = holder.is_some_and(|(_, state)| state.memory.has_done(one));
                one.at <= now && (one.hides().is_none() || one.rank >= guard) && !is_done
            };
            waiting.extend(remarks.filter(waits).map(|one| ((one.at, *ledger, one.by), one)));
        }
        waiting.sort_by_key(|(when, _)| *when);
        waiting.into_iter().map(|(_, one)| one).collect()
    }
}
