//! Remarks on items of other machines' ledgers, written here.

use std::collections::BTreeMap;

use memlith_event::{Body, Elsewhere, Envelope, Event, MemoryEvent, Origin, SaidElsewhere};
use memlith_log::{RecordId, Tick, Timestamp};
use memlith_memory::{Change, Command, Memory, Rejection};

use crate::caller::{Caller, Moment};
use crate::error::{Error, ErrorKind};
use crate::ledger::Ledger;
use crate::write::append::Urgency;
use crate::write::command::clean;

/// The most remarks of one batch.
const REMARKS_MAX: usize = 1_024;

impl Ledger {
    /// Says something of the item `id` of `holder`, a copy of another machine's ledger beside this
    /// one: an event of this ledger, by which every reader of both goes. The other ledger stays as
    /// it is; what it is asked for, a confirmation or a pin, its machine does when it takes this
    /// event in.
    ///
    /// Durable as [`Ledger::change`] is.
    ///
    /// # Errors
    /// [`Error::Rejected`] where there is no such item in the caller's sight, or it is guarded by a
    /// higher rank than the caller's, or may not be so changed; and the log's.
    pub fn say_elsewhere(
        &self,
        caller: &Caller,
        (holder, id): (&Ledger, RecordId),
        (said, reason): (SaidElsewhere, Option<String>),
    ) -> Result<RecordId, Error> {
        Caller::check_scope(&caller.scope)?;
        let record = holder.log.read(id.seq)?;
        let item = holder.snapshot()?.memory.item(id.seq).filter(|item| item.id == id);
        let item = item.filter(|item| Memory::sees(&caller.scope, item));
        let item = item.ok_or(Rejection::NotFound { id })?;
        if let Some(change) = change_of(said) {
            let state = holder.snapshot()?;
            let raw = holder.now();
            let tick = Tick { raw, recorded_at: raw, clamped: false };
            let door = caller.door(Moment { tick, next: state.next }, None)?;
            state.memory.decide(&Command::Change { change, targets: vec![id] }, &door)?;
        } else if let (rank, needed) = (caller.actor().rank, item.guard)
            && rank.level() < needed
        {
            return Err(Rejection::Rank { id, needed, found: rank }.into());
        }
        let reason = reason.map(|text| clean(text, &mut BTreeMap::new()).into());
        let (ledger, record_hash) = (holder.id(), record.record_hash);
        let said = Elsewhere { ledger, id, record_hash, said, reason };
        self.append_remarks(caller, &[said])
    }

    /// Changes items of this ledger as callers on another machine asked for, each remark once; gives
    /// the number of changes. One that this ledger refuses is passed over, with a warning.
    pub(crate) fn carry_out(&self, remarks: &[(Caller, Elsewhere<'_>)]) -> Result<u64, Error> {
        let (head, mut done) = (self.refresh()?.seq, 0);
        for (caller, Elsewhere { id, record_hash, said, .. }) in remarks {
            let Some(change) = change_of(*said).filter(|_| id.seq <= head) else { continue };
            if self.log.read(id.seq)?.record_hash != *record_hash {
                continue;
            }
            match self.change(caller, change, id) {
                Ok(_) => done += 1,
                Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Usage) => {
                    tracing::warn!(%id, %error, "what another machine asks for is refused");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// Appends remarks, each as an event of its own; gives the last one's id.
    pub(crate) fn append_remarks(
        &self,
        caller: &Caller,
        said: &[Elsewhere<'static>],
    ) -> Result<RecordId, Error> {
        self.locked(|writer, state, moment| {
            let door = caller.door(moment, None)?;
            let body = |said: &Elsewhere<'static>| {
                let scope = door.scope.clone();
                let mut envelope = Envelope::new(scope, caller.actor(), door.occurred_at);
                envelope.origin = Origin::Derived;
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

/// The change that a remark asks the ledger that holds the item for.
fn change_of(said: SaidElsewhere) -> Option<Change> {
    match said {
        SaidElsewhere::Confirmed { verified } => Some(Change::Confirm { weight: None, verified }),
        SaidElsewhere::Pinned => Some(Change::Pin),
        SaidElsewhere::Unpinned => Some(Change::Unpin),
        SaidElsewhere::Forgotten
        | SaidElsewhere::Restored
        | SaidElsewhere::ReplacedBy(_)
        | SaidElsewhere::Erased => None,
    }
}

/// The remark that readers of several ledgers go by, for one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remarked {
    /// Whether another machine put it out of sight.
    pub(crate) is_hidden: bool,
    /// The record that took its place there.
    pub(crate) successor: Option<RecordId>,
}

/// Says of each item, of the ledger `of` and guarded by a rank, what the other `ledgers` say of it
/// at `now`: the last remark of a rank that may. The order of two at one instant is that of ledgers.
pub(crate) fn remarked(
    ledgers: &[Ledger],
    items: &[(memlith_log::LedgerId, RecordId, u8)],
    now: Timestamp,
) -> Result<Vec<Remarked>, Error> {
    let mut found: Vec<Option<((Timestamp, memlith_log::LedgerId), Remarked)>> =
        vec![None; items.len()];
    for ledger in ledgers {
        let state = ledger.snapshot()?;
        if !state.memory.has_remarks() {
            continue;
        }
        for ((of, id, guard), last) in items.iter().zip(&mut found) {
            if *of == ledger.id() {
                continue;
            }
            let may = state.memory.remarks(*of, *id).filter(|one| one.rank >= *guard);
            for remark in may.filter(|one| one.at <= now) {
                let key = (remark.at, ledger.id());
                if last.is_none_or(|(known, _)| known <= key) {
                    let (is_hidden, successor) = (remark.hides, remark.successor);
                    *last = Some((key, Remarked { is_hidden, successor }));
                }
            }
        }
    }
    Ok(found.into_iter().map(|last| last.map(|(_, said)| said).unwrap_or_default()).collect())
}
