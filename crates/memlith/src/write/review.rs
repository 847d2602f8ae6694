//! Review: what waits, and what is said of it.

use std::collections::BTreeMap;

use memlith_event::{
    CandidateKind, Citation, Event, Key, LinkKind, MemoryEvent, Origin, OwnStatus, PendingReason,
    Scope, Slot,
};
use memlith_log::{Record, RecordId, Seq};
use memlith_memory::{Assertion, Command, Door, Item, Judgement, Memory, Remember, Taken};
use memlith_redact::Rule;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::write::append::Urgency;
use crate::write::command::{Written, clean, without_secrets, written};

/// A memory that waits for review.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waiting {
    /// The fields that every item has.
    pub item: Item,
    /// Its citation.
    pub citation: Citation,
    /// Why it waits.
    pub reason: PendingReason,
    /// Its words; `None` where they are gone.
    pub text: Option<String>,
    /// Name of the actor that wrote it; `None` where that is gone.
    pub author: Option<String>,
    /// Its record; [`decode`](crate::log::decode) reads what it says.
    pub record: Record,
    /// The records that it rests on.
    pub rests_on: Vec<RecordId>,
    /// Rows that it would displace, as far as they stand: it takes its place once accepted.
    pub against: Vec<RecordId>,
    /// Memories that wait as well and give the same slot another value, ascending: accepted, each
    /// ends those before it.
    pub conflicts: Vec<RecordId>,
}

impl Serialize for Waiting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Waiting", 12)?;
        out.serialize_field("id", &self.item.id)?;
        out.serialize_field("citation", &self.citation)?;
        out.serialize_field("kind", self.reason.label())?;
        out.serialize_field("text", &self.text)?;
        out.serialize_field("origin", &self.item.origin)?;
        out.serialize_field("tier", &self.item.tier)?;
        out.serialize_field("author", &self.author)?;
        out.serialize_field("occurred_at", &self.item.occurred_at)?;
        out.serialize_field("stale", &self.item.is_stale())?;
        out.serialize_field("rests_on", &self.rests_on)?;
        out.serialize_field("against", &self.against)?;
        out.serialize_field("conflicts", &self.conflicts)?;
        out.end()
    }
}

impl Ledger {
    /// Accepts a memory that waits, compared with what means much the same where this handle
    /// compares writes so: its reviewer is asked, and no arbiter.
    fn accept_waiting(
        &self,
        caller: &Caller,
        target: RecordId,
        command: &Command,
        redacted: &BTreeMap<Rule, u64>,
    ) -> Result<Written, Error> {
        Caller::check_scope(&caller.scope)?;
        self.locked(|writer, state, moment| {
            if let Some(known) = self.already_written(caller, state, command, redacted)? {
                return Ok(known);
            }
            let door = caller.door(moment, None)?;
            let taken = self.taken(state, caller, target, &door)?;
            let bodies = match (taken, command) {
                (Some(taken), Command::Review { reason, .. }) => {
                    state.memory.decide_acceptance(target, reason.as_deref(), &taken, &door)?
                }
                (_, command) => state.memory.decide(command, &door)?,
            };
            let urgency = Urgency::Ordinary(self.options.durability);
            let appended = self.append(writer, state, moment.tick, &bodies, urgency)?;
            Ok(written(state, command, &bodies, &appended, redacted.clone()))
        })
    }

    /// Returns what a memory that waits says and is like; none of what isn't there, doesn't wait or
    /// is no such memory.
    fn taken(
        &self,
        state: &State,
        caller: &Caller,
        target: RecordId,
        door: &Door,
    ) -> Result<Option<Taken>, Error> {
        let Some((said, scope)) = self.words_of_waiting(state, target)? else { return Ok(None) };
        let there = Door { scope: scope.clone(), ..door.clone() };
        let likeness = self.likeness_of_waiting(state, caller, &said, &there)?;
        Ok(Some(Taken { said, scope, likeness }))
    }

    /// Returns what a memory that waits says, and its scope; none of what isn't there, doesn't wait
    /// or is no such memory.
    pub(crate) fn words_of_waiting(
        &self,
        state: &State,
        target: RecordId,
    ) -> Result<Option<(Remember, Scope<'static>)>, Error> {
        let waits = |item: &Item| item.id == target && item.own == OwnStatus::Pending;
        if !state.memory.item(target.seq).is_some_and(|item| waits(&item)) {
            return Ok(None);
        }
        let record = self.log.read(target.seq)?;
        let Some(body) = body_of(&record).ok().flatten() else { return Ok(None) };
        let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return Ok(None) };
        let said = Remember {
            text: row.text.to_string(),
            slot: row.slot.clone().map(Slot::into_owned),
            validity: row.validity,
            rests_on: Vec::new(),
            metadata: row.metadata.to_map(),
        };
        Ok(Some((said, body.envelope.scope.clone().into_owned())))
    }

    /// Takes back the memory that a decision made: a write that superseded or corrected, an
    /// acceptance, a plain write. What it ended goes on as if it had never been, with the
    /// salience it has and the pin that it gave away.
    ///
    /// # Errors
    /// [`Error::Rejected`]: the caller's rank is below that of who decided, of the memory's
    /// guard or of who invalidated it; what would go on is barred; and the log's.
    pub fn roll_back(
        &self,
        caller: &Caller,
        target: RecordId,
        reason: Option<String>,
    ) -> Result<Written, Error> {
        let mut redacted = BTreeMap::new();
        let reason = reason.map(|text| clean(text, &mut redacted));
        self.command(caller, &Command::RollBack { target, reason }, redacted)
    }

    fn waiting_item(
        &self,
        state: &State,
        item: Item,
        reason: PendingReason,
    ) -> Result<Waiting, Error> {
        let record = self.log.read(item.id.seq)?;
        let body = body_of(&record).ok().flatten();
        let body = body.as_ref();
        let rests_on = body.map(|body| body.envelope.linked(LinkKind::RestsOn).collect());
        let stands = |seq: Seq| {
            let item = state.memory.item(seq)?;
            (item.own == OwnStatus::Active).then_some(item.id)
        };
        let against = state.memory.weighed_by(item.id.seq).filter_map(stands).collect();
        let rests_on = rests_on.unwrap_or_default();
        Ok(Waiting {
            item,
            citation: self.cite(item.id),
            reason,
            text: body.and_then(|body| body.event.item_text().map(Into::into)),
            author: body.map(|body| body.envelope.actor.name.to_string()),
            rests_on,
            against,
            conflicts: Vec::new(),
            record,
        })
    }
}

/// The values that what waits gives to slots: by slot, then memory.
fn values(
    memory: &Memory,
    waiting: &[(Item, PendingReason)],
) -> BTreeMap<Key, BTreeMap<RecordId, Key>> {
    let mut values: BTreeMap<Key, BTreeMap<RecordId, Key>> = BTreeMap::new();
    for (item, _) in waiting {
        if let Some(assertion) = placed(memory, item.id) {
            values.entry(assertion.slot).or_default().insert(item.id, assertion.value);
        }
    }
    values
}

/// Lists the memories that give the slot of the memory `id` another value than it does.
fn conflicts(
    memory: &Memory,
    values: &BTreeMap<Key, BTreeMap<RecordId, Key>>,
    id: RecordId,
) -> Vec<RecordId> {
    let Some(assertion) = placed(memory, id) else { return Vec::new() };
    let others = values.get(&assertion.slot).into_iter().flatten();
    others.filter(|(_, value)| **value != assertion.value).map(|(id, _)| *id).collect()
}

/// Returns the assertion of the memory, where that has a slot.
fn placed(memory: &Memory, id: RecordId) -> Option<Assertion> {
    memory.assertion(id.seq).filter(|assertion| assertion.slot != Key::default())
}

/// Proposals that wait, and judgements on them.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    pub(crate) ledger: &'a Ledger,
}

impl Ledger {
    /// Proposals that wait, and judgements on them.
    #[must_use]
    pub fn review(&self) -> Review<'_> {
        Review { ledger: self }
    }
}

impl Review<'_> {
    /// Says of memories that wait whether they are taken in, refused, or go on waiting.
    ///
    /// One memory is accepted at a time. The caller's rank is at least a user's, and the
    /// caller is not the memory's author: whether somebody may review at all is for the
    /// embedding program to know, as the rank is.
    ///
    /// # Errors
    /// [`Error::Rejected`], and the log's.
    pub fn judge(
        &self,
        caller: &Caller,
        judgement: Judgement,
        targets: impl AsRef<[RecordId]>,
        reason: Option<String>,
    ) -> Result<Written, Error> {
        let targets = targets.as_ref();
        let mut redacted = BTreeMap::new();
        let reason = reason.map(|text| clean(text, &mut redacted));
        let command = Command::Review { judgement, targets: targets.to_vec(), reason };
        match (judgement, targets) {
            (Judgement::Accept, [target]) => {
                self.ledger.accept_waiting(caller, *target, &command, &redacted)
            }
            (Judgement::Accept | Judgement::Reject | Judgement::Defer, _) => {
                self.ledger.command(caller, &command, redacted)
            }
        }
    }

    /// Proposes a memory that was made of others, for review.
    ///
    /// It rests on them: it is derived, its tier is the least of theirs, and where one of
    /// them doesn't stand it can't be accepted. Where an active memory says the same, that
    /// one is said again instead.
    ///
    /// # Errors
    /// [`Error::Rejected`]: it cites nothing, or what isn't there for the caller's scope, a
    /// record yet to come and that of another ledger included; and the log's.
    pub fn propose(
        &self,
        caller: &Caller,
        kind: CandidateKind,
        what: Remember,
    ) -> Result<Written, Error> {
        let (what, redacted) = without_secrets(what);
        let reason = PendingReason::Candidate(kind);
        let caller = Caller { origin: Some(Origin::Derived), ..caller.clone() };
        self.ledger.command(
            &caller,
            &Command::Propose { what, reason, against: Vec::new() },
            redacted,
        )
    }

    /// The memories that wait for review and that the caller's scope sees, oldest first.
    ///
    /// One that an agent wrote for itself alone is seen, and reviewed, by a caller of that
    /// agent's scope: [`Caller::agent`].
    ///
    /// Cost: the number of memories that ever waited, and a read of the log for each that
    /// still does.
    ///
    /// # Errors
    /// The log's.
    pub fn waiting(&self, caller: &Caller) -> Result<Vec<Waiting>, Error> {
        self.ledger.read(|state| {
            let seen: Vec<(Item, PendingReason)> = state
                .memory
                .waiting()
                .filter(|(item, _)| Memory::sees(&caller.scope, item))
                .collect();
            let values = values(&state.memory, &seen);
            let items = seen.into_iter();
            let mut waiting: Vec<Waiting> = items
                .map(|(item, reason)| self.ledger.waiting_item(state, item, reason))
                .collect::<Result<_, Error>>()?;
            for one in &mut waiting {
                one.conflicts = conflicts(&state.memory, &values, one.item.id);
            }
            Ok(waiting)
        })
    }
}
