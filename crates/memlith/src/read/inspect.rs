//! One record of any kind from every side: where it stands, what it is about, and of an item
//! what was said of it and what came before and after it.

use std::collections::BTreeSet;

use memlith_event::{Body, Citation, Event, LinkKind, MemoryEvent, OwnStatus, Rank, ReviewEvent};
use memlith_log::{Digest, LogEvent, Record, RecordId, Seq, Timestamp};
use memlith_memory::{Assertion, Authority, Item};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of, kind_of};
use crate::ledger::Ledger;
use crate::read::inspect_json::{write_item, write_record};
use crate::read::named::named_by;
use crate::read::show::{Shown, sees_event, visible};

/// A record, whole.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspected {
    /// The record; [`decode`](crate::log::decode) reads what it says.
    #[serde(flatten, serialize_with = "write_record")]
    pub record: Record,
    /// Its citation.
    pub citation: Citation,
    /// The chain up to the record before it; `None` for the first.
    #[serde(rename = "previous_chain")]
    pub previous: Option<Digest>,
    /// The items that it names, ascending; of an item those that it refers to.
    pub about: Vec<RecordId>,
    /// The record seen as an item; `None` for what is none.
    #[serde(flatten, serialize_with = "write_item")]
    pub item: Option<InspectedItem>,
}

/// Facts about an item beyond its record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InspectedItem {
    /// The item as it stands.
    pub shown: Shown,
    /// Reasons that somebody gave for a change of it, and of what it rests on where that is gone,
    /// by sequence.
    pub reasons: Vec<Reason>,
    /// Items whose place it took, and from when.
    pub replaced: Vec<(RecordId, Timestamp)>,
    /// Items that took its place, and from when: the first is the one that counts.
    pub replaced_by: Vec<(RecordId, Timestamp)>,
    /// When it ceases to hold, or did, and why.
    pub end: Option<End>,
}

/// The first instant at which an item no longer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The instant.
    pub at: Timestamp,
    /// Why then.
    pub why: EndReason,
}

/// Why an item ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Another memory takes its place.
    Replaced,
    /// The memory was written with this end.
    OwnEnd,
    /// The memory was declared wrong, refused or taken back.
    Withdrawn,
}

/// Reason that somebody gave in a record that changed an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The item.
    pub item: RecordId,
    /// The record.
    pub record: RecordId,
    /// Kind of the record, e.g. `memory.invalidated`.
    pub kind: &'static str,
    /// Name of the actor that gave the reason.
    pub actor: String,
    /// With which rank.
    pub rank: Rank,
    /// When it was recorded.
    pub at: Timestamp,
    /// In which words, where any were given.
    pub text: Option<String>,
}

/// A record of an item's history.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Past {
    /// The record.
    pub record: Record,
    /// The items of the history that it concerns, ascending.
    pub of: Vec<RecordId>,
}

impl EndReason {
    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            EndReason::Replaced => "replaced",
            EndReason::OwnEnd => "own_end",
            EndReason::Withdrawn => "withdrawn",
        }
    }
}

impl Serialize for EndReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

/// Writes when something ends, and why; nulls where it doesn't.
pub(crate) fn write_end<S: Serializer>(end: &Option<End>, out: S) -> Result<S::Ok, S::Error> {
    let mut out = out.serialize_struct("End", 2)?;
    out.serialize_field("until", &end.map(|end| end.at))?;
    out.serialize_field("until_why", &end.map(|end| end.why))?;
    out.end()
}

impl Ledger {
    /// The record `id` from every side, whatever it is: an item, a decision, a receipt, an
    /// erasure, a record of the log itself.
    ///
    /// Cost: of an item, the records that concern it; of anything else, what it names.
    ///
    /// # Errors
    /// [`Error::NoRecord`] where there is no such record, or the caller's scope doesn't see it;
    /// and the log's.
    pub fn inspect(&self, caller: &Caller, id: RecordId) -> Result<Inspected, Error> {
        let is_item = self.snapshot()?.memory.item(id.seq).is_some();
        let shown = is_item.then(|| self.show(caller, id)).transpose()?;
        self.read(|state| {
            let record = self.seen(caller, id)?;
            let previous = id.seq.previous().map(|before| self.log.read(before));
            let item = shown.clone().map(|shown| self.inspected_item(state, caller, shown));
            Ok(Inspected {
                previous: previous.transpose()?.map(|before| before.chain),
                citation: self.cite(id),
                about: self.about(state, caller, &record)?,
                item: item.transpose()?,
                record,
            })
        })
    }

    /// The records that concern the item `id` and what it took the place of, directly and
    /// indirectly, by sequence, each with the items it concerns; of a record that is no item,
    /// itself and the records of the items it names.
    ///
    /// Without those of scopes that the caller doesn't see, as [`Ledger::history`].
    ///
    /// # Errors
    /// Those of [`Ledger::inspect`].
    pub fn lineage(&self, caller: &Caller, id: RecordId) -> Result<Vec<Past>, Error> {
        self.read(|state| {
            let record = self.seen(caller, id)?;
            if state.memory.item(id.seq).is_none() {
                let about = self.about(state, caller, &record)?;
                let named = about
                    .into_iter()
                    .map(|item| Ok(Past { record: self.log.read(item.seq)?, of: vec![item] }));
                let mut past = named.collect::<Result<Vec<Past>, Error>>()?;
                past.push(Past { record, of: Vec::new() });
                past.sort_by_key(|one| one.record.seq);
                return Ok(past);
            }
            visible(state, caller, id)?;
            let items = predecessors(state, caller, id);
            let touching = |item: &RecordId| {
                let item = *item;
                // Of an erased item its own record alone is known.
                let events = state.memory.touches(item.seq).chain([item.seq]);
                events.map(move |event| (event, item))
            };
            let mut touches: BTreeSet<(Seq, RecordId)> = items.iter().flat_map(touching).collect();
            for item in &items {
                let ends = state.memory.ends_of(item.seq).into_iter().map(|end| end.by);
                for seq in ends.chain([item.seq]) {
                    let decision = self.decision_of(seq)?;
                    touches.extend(decision.into_iter().chain([seq]).map(|seq| (seq, *item)));
                }
            }
            let mut past: Vec<Past> = Vec::new();
            for (seq, item) in touches {
                match past.last_mut() {
                    Some(last) if last.record.seq == seq => last.of.push(item),
                    _ => past.push(Past { record: self.log.read(seq)?, of: vec![item] }),
                }
            }
            past.retain(|one| is_seen(caller, &one.record));
            Ok(past)
        })
    }

    /// The decision that admitted the memory at `seq`: it stands before it in its batch.
    fn decision_of(&self, seq: Seq) -> Result<Option<Seq>, Error> {
        let Some(before) = seq.previous() else { return Ok(None) };
        let record = self.log.read(before)?;
        let decides = kind_of(&record).number == memlith_event::Kind::DECIDED.number;
        Ok((decides && !record.ends_batch()).then_some(before))
    }

    /// The record `id`, if it is there and the caller's scope sees what kind it is.
    pub(crate) fn seen(&self, caller: &Caller, id: RecordId) -> Result<Record, Error> {
        let head = self.refresh()?.seq;
        if id.seq > head {
            return Err(Error::NoRecord { id });
        }
        let record = self.log.read(id.seq)?;
        let found = record.id() == id && is_seen(caller, &record);
        found.then_some(record).ok_or(Error::NoRecord { id })
    }

    /// The items that a record names, ascending, as far as the caller's scope sees them.
    pub(crate) fn about(
        &self,
        state: &State,
        caller: &Caller,
        record: &Record,
    ) -> Result<Vec<RecordId>, Error> {
        let mut named: Vec<RecordId> = match body_of(record) {
            Ok(Some(body)) => named_by(&body),
            Ok(None) | Err(_) => Vec::new(),
        };
        let of_log = record.body().and_then(|body| LogEvent::decode(record.kind, body));
        if let Some((LogEvent::Erasure { targets, .. }, _)) = of_log {
            let items = targets.iter().filter_map(|(seq, _)| state.memory.item(*seq));
            named.extend(items.map(|item| item.id));
        }
        // A decision stands before the memory that it admits.
        let decides = kind_of(record).number == memlith_event::Kind::DECIDED.number;
        if decides && !record.ends_batch() {
            named.extend(state.memory.item(record.seq.next()).map(|item| item.id));
        }
        named.retain(|id| *id != record.id() && visible(state, caller, *id).is_ok());
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    fn inspected_item(
        &self,
        state: &State,
        caller: &Caller,
        shown: Shown,
    ) -> Result<InspectedItem, Error> {
        let seq = shown.item.id.seq;
        let named = |seq: Seq| -> Result<RecordId, Error> { Ok(self.log.read(seq)?.id()) };
        let replaced = state.memory.ended_by(seq).into_iter();
        let replaced = replaced.map(|end| Ok((named(end.row)?, end.at)));
        let replaced_by = state.memory.ends_of(seq).into_iter();
        let replaced_by = replaced_by.map(|end| Ok((named(end.by)?, end.at)));
        Ok(InspectedItem {
            reasons: self.reasons(state, caller, &shown)?,
            replaced: replaced.collect::<Result<_, Error>>()?,
            replaced_by: replaced_by.collect::<Result<_, Error>>()?,
            end: end_of(&shown.item, shown.assertion.as_ref(), state.memory.closed(seq)),
            shown,
        })
    }

    /// Collects the reasons given about the item and, where it is stale, about what it rests on.
    fn reasons(&self, state: &State, caller: &Caller, shown: &Shown) -> Result<Vec<Reason>, Error> {
        let mut items = vec![shown.item.id.seq];
        if shown.authority == Authority::Stale {
            items.extend(gone_sources(state, shown.item.id.seq));
        }
        let mut reasons = Vec::new();
        for item in items.iter().filter_map(|seq| state.memory.item(*seq)) {
            if visible(state, caller, item.id).is_err() {
                continue;
            }
            for seq in state.memory.touches(item.id.seq) {
                let record = self.log.read(seq)?;
                let body = body_of(&record).ok().flatten();
                let body = body.filter(|_| is_seen(caller, &record));
                reasons.extend(body.and_then(|body| reason(item.id, &record, &body)));
            }
        }
        reasons.sort_by_key(|reason| (reason.record, reason.item));
        Ok(reasons)
    }
}

/// Returns the reason that the record gives for a change of the item, if it holds one.
fn reason(item: RecordId, record: &Record, body: &Body<'_>) -> Option<Reason> {
    let text = match &body.event {
        Event::Memory(MemoryEvent::Invalidated(said)) => &said.reason,
        Event::Memory(MemoryEvent::Reconfirmed(said)) => &said.reason,
        Event::Review(ReviewEvent::RolledBack(said)) => &said.reason,
        Event::Review(
            ReviewEvent::Accepted(said) | ReviewEvent::Rejected(said) | ReviewEvent::Deferred(said),
        ) => &said.reason,
        Event::Outcome(memlith_event::OutcomeEvent::Reported(said)) => &said.note,
        Event::Memory(_)
        | Event::Session(_)
        | Event::Turn(_)
        | Event::Reconcile(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => return None,
    };
    Some(Reason {
        item,
        record: record.id(),
        kind: body.event.kind().name(),
        actor: body.envelope.actor.name.to_string(),
        rank: body.envelope.actor.rank,
        at: record.recorded_at,
        text: text.as_ref().map(ToString::to_string),
    })
}

/// When an item ceases to hold: what was decided about it counts before its own end and what
/// took its place, of these the earlier one.
pub(crate) fn end_of(
    item: &Item,
    assertion: Option<&Assertion>,
    closed: Option<(Seq, Timestamp)>,
) -> Option<End> {
    match item.own {
        OwnStatus::Invalidated | OwnStatus::Rejected | OwnStatus::Retracted => {
            return Some(End { at: item.invalidated_at, why: EndReason::Withdrawn });
        }
        OwnStatus::Pending | OwnStatus::Active | OwnStatus::Erased => {}
    }
    let closed = closed.map(|(_, at)| End { at, why: EndReason::Replaced });
    let own = assertion.map(|assertion| assertion.valid_until);
    let own = own.filter(|until| *until != Assertion::OPEN);
    let own = own.map(|at| End { at, why: EndReason::OwnEnd });
    closed.into_iter().chain(own).min_by_key(|end| end.at)
}

/// The item and all that it took the place of, directly and indirectly, that the caller's
/// scope sees.
fn predecessors(state: &State, caller: &Caller, id: RecordId) -> BTreeSet<RecordId> {
    let (mut found, mut left) = (BTreeSet::new(), vec![id]);
    while let Some(id) = left.pop() {
        if !found.insert(id) {
            continue;
        }
        let ended = state.memory.ended_by(id.seq).into_iter();
        let items = ended.filter_map(|end| state.memory.item(end.row));
        left.extend(items.map(|item| item.id).filter(|id| visible(state, caller, *id).is_ok()));
    }
    found
}

/// The sources of the item, direct and indirect, that were taken out, ascending.
fn gone_sources(state: &State, seq: Seq) -> BTreeSet<Seq> {
    let (mut met, mut gone, mut left) = (BTreeSet::new(), BTreeSet::new(), vec![seq]);
    while let Some(seq) = left.pop() {
        let members = state.memory.justifications(seq).into_iter();
        for member in members.flat_map(|(_, members)| members) {
            let own = state.memory.item(member).map(|item| item.own);
            if own.is_some_and(|own| own != OwnStatus::Active) {
                gone.insert(member);
            }
            if met.insert(member) {
                left.push(member);
            }
        }
    }
    gone
}

/// Whether the caller's scope sees the record; of the log's own and of erased ones there is
/// nothing that a scope could keep.
fn is_seen(caller: &Caller, record: &Record) -> bool {
    let body = body_of(record).ok().flatten();
    body.is_none_or(|body| sees_event(&caller.scope, &body.envelope.scope))
}

/// The links of a body under which an item is named.
pub(crate) fn linked<'a>(body: &'a Body<'a>) -> impl Iterator<Item = RecordId> + 'a {
    let kinds = [LinkKind::Supersedes, LinkKind::Corrects, LinkKind::RestsOn, LinkKind::ShownIn];
    kinds.into_iter().flat_map(|kind| body.envelope.linked(kind))
}
