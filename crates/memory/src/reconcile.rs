//! Reconciliation on write: every assertion is compared with what exists, under the
//! write lock, and the outcome is recorded before the row it admits.
//!
//! In this order: the content rule, exact text, slot, likeness of meaning where that was
//! found. A replay decides nothing again.

use std::collections::BTreeMap;

use memlith_event::{
    Body, Candidate, Decided, Event, Key, Link, LinkKind, Match, MemoryEvent, Metadata, Origin,
    Outcome, OwnStatus, PendingReason, ReconcileEvent, Reconfirmed, Remembered, Scope, Tier,
    Validity, is_unseen,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_text::normalised;

use crate::assertion::Assertion;
use crate::command::{Door, Remember};
use crate::contrary::{Contrary, contraries};
use crate::item::Item;
use crate::likeness::Likeness;
use crate::memory::Memory;
use crate::rejection::Rejection;
use crate::slot_key::{slot_key, text_key, value_key};

/// As what an assertion comes in.
#[derive(Clone, Copy)]
pub(crate) enum Standing<'a> {
    /// As what the state makes of it.
    Free,
    /// In the place of an item that was wrong from its start.
    Corrects(&'a Item),
    /// As what says that these items are no longer so.
    Replaces(&'a [Item]),
    /// As something else than these rows say, though in one normal form: their values differ.
    Apart(&'a [RecordId]),
    /// As a proposal, for this reason and against these items, whatever the state says.
    Proposed(PendingReason, &'a [Item]),
}

/// An assertion on its way in.
pub(crate) struct Newcomer<'a> {
    pub(crate) remember: &'a Remember,
    pub(crate) corrects: Option<&'a Item>,
    /// Rows that it isn't, though it is worded as they are but for the letters of a value.
    pub(crate) apart: &'a [RecordId],
    /// Rows that it would displace besides those it meets.
    pub(crate) against: &'a [Item],
    pub(crate) says: Says,
    pub(crate) slot: Option<Key>,
    /// Slots that say the opposite of its slot.
    pub(crate) contraries: Vec<Contrary>,
    pub(crate) valid_from: Timestamp,
    pub(crate) tier: Tier,
    /// Keys of the assertion in everybody's room, where it is written in a session's own.
    pub(crate) aloud: Option<Says>,
    /// Why it would wait for review even if nothing stood against it.
    pub(crate) pending: Option<PendingReason>,
}

/// Keys of the words and the value of an assertion, in one room.
#[derive(Clone, Copy)]
pub(crate) struct Says {
    pub(crate) text: Key,
    pub(crate) value: Option<Key>,
}

/// A row that a newcomer meets.
pub(crate) struct Met {
    pub(crate) item: Item,
    pub(crate) assertion: Assertion,
    pub(crate) matched: Match,
}

impl Memory {
    /// Decides what becomes of a write: a decision, and the row where it makes one.
    pub(crate) fn reconcile(
        &self,
        remember: &Remember,
        standing: Standing<'_>,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        self.reconcile_with(remember, standing, None, door)
    }

    /// Decides a write as [`Memory::reconcile`] does, with its likeness where that was found.
    pub(crate) fn reconcile_with(
        &self,
        remember: &Remember,
        standing: Standing<'_>,
        likeness: Option<&Likeness>,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let newcomer = self.newcomer(remember, standing, door)?;
        let barred = self.barred(&newcomer, door)?;
        if let (Some(barred), Standing::Free) = (barred, standing) {
            return Ok(reopened(&newcomer, &barred, door));
        }
        if let Some(answer) = self.answer_same_text(&newcomer, door) {
            return Ok(answer);
        }
        if let Some(answer) = self.answer_same_value(&newcomer, door) {
            return Ok(answer);
        }
        match likeness {
            Some(likeness) if !self.meets_its_slot(&newcomer) => {
                Ok(self.answer_by_likeness(&newcomer, likeness, door))
            }
            Some(_) | None => Ok(self.admit(&newcomer, door)),
        }
    }

    pub(crate) fn newcomer<'a>(
        &self,
        remember: &'a Remember,
        standing: Standing<'a>,
        door: &Door,
    ) -> Result<Newcomer<'a>, Rejection> {
        let apart: &[RecordId] = match standing {
            Standing::Apart(ids) => ids,
            Standing::Free
            | Standing::Corrects(_)
            | Standing::Replaces(_)
            | Standing::Proposed(..) => &[],
        };
        let (corrects, proposed, against): (_, _, &[Item]) = match standing {
            Standing::Free | Standing::Apart(_) => (None, None, &[]),
            Standing::Corrects(item) => (Some(item), None, &[]),
            Standing::Replaces(items) => (None, None, items),
            Standing::Proposed(reason, against) => (None, Some(reason), against),
        };
        if is_unseen(&normalised(&remember.text)) {
            return Err(Rejection::EmptyText);
        }
        if door.origin == Origin::Derived && remember.rests_on.is_empty() {
            return Err(Rejection::Unfounded);
        }
        let found = remember.rests_on.len();
        if found > Remember::SOURCES_MAX {
            return Err(Rejection::TooManySources { found, most: Remember::SOURCES_MAX });
        }
        check_metadata(&remember.metadata)?;
        let sources = door.sources.as_ref().unwrap_or(&door.scope);
        for id in &remember.rests_on {
            self.seen(*id, sources)?;
        }
        let inherited = corrects.and_then(|item| self.assertions.get(&item.id.seq));
        let from = inherited.map(|row| row.valid_from).or(remember.validity.from);
        let valid_from = from.unwrap_or(door.occurred_at);
        if let Some(until) = remember.validity.until.filter(|until| *until <= valid_from) {
            return Err(Rejection::EmptyValidity { from: valid_from, until });
        }
        let tier = if door.origin == Origin::Derived {
            self.least_tier(remember.rests_on.iter().copied(), door.tier_cap)
        } else {
            Tier::of(door.origin, door.tier_cap, door.actor.rank)
        };
        let (cell, room) = (door.scope.cell(), door.scope.room());
        Ok(Newcomer {
            remember,
            corrects,
            apart,
            against,
            says: Says::of(remember, room, door),
            aloud: (room != cell).then(|| Says::of(remember, cell, door)),
            slot: remember.slot.as_ref().map(|slot| slot_key(room, slot)),
            contraries: remember.slot.iter().flat_map(|slot| contraries(room, slot)).collect(),
            valid_from,
            tier,
            pending: proposed.or_else(|| self.waits(tier)),
        })
    }

    /// The content rule: the same assertion was declared wrong. Gives the row that one
    /// of sufficient rank may thereby reopen.
    fn barred(&self, newcomer: &Newcomer<'_>, door: &Door) -> Result<Option<Item>, Rejection> {
        let mut reopens = None;
        // What was declared wrong for everybody is not said to a session alone either.
        let aloud = newcomer.aloud.map(|says| self.meet(says)).unwrap_or_default();
        let own = self.meet(newcomer.says).into_iter().map(|met| (met, true));
        for (met, same_room) in own.chain(aloud.into_iter().map(|met| (met, false))) {
            let item = met.item;
            if !item.bars() {
                continue;
            }
            // A proposal that was turned down doesn't bar one of higher standing.
            if item.before == OwnStatus::Pending && newcomer.tier > item.tier {
                continue;
            }
            if !outranks(newcomer.tier, door, item.invalidator)
                || door.occurred_at <= item.invalidated_at
            {
                return Err(Rejection::barred_by(&item));
            }
            let reopens_it = same_room && item.before == OwnStatus::Active;
            if reopens_it && self.is_open(&met.assertion, newcomer.valid_from) {
                reopens = Some(item);
            }
        }
        Ok(reopens)
    }

    /// The rows that say this, in words or as a slot's value.
    pub(crate) fn meet(&self, says: Says) -> Vec<Met> {
        let mut met: Vec<Met> = Vec::new();
        for (key, matched) in [(Some(says.text), Match::Text), (says.value, Match::SlotValue)] {
            let Some(key) = key else { continue };
            for wording in self.wordings.range((key, Seq(0))..=(key, Seq::MAX)) {
                if met.iter().all(|known| known.item.id.seq != wording.seq) {
                    met.extend(self.met(wording.seq, matched));
                }
            }
        }
        met
    }

    /// The rows that say `text` in the room that `scope` writes to, up to case, white space and
    /// a full stop, whatever became of them; ascending. Where it is in the first person, those of
    /// `speaker`.
    pub fn saying(
        &self,
        scope: &Scope<'_>,
        text: &str,
        speaker: &str,
    ) -> impl Iterator<Item = Seq> {
        let key = text_key(scope.room(), text, speaker);
        self.wordings.range((key, Seq(0))..=(key, Seq::MAX)).map(|wording| wording.seq)
    }

    pub(crate) fn met(&self, seq: Seq, matched: Match) -> Option<Met> {
        let (item, assertion) = (self.items.get(&seq)?, self.assertions.get(&seq)?);
        Some(Met { item, assertion, matched })
    }

    /// Step 1: the same words. Restates the row, or revives it where it was stale; says
    /// a pending row again only where the newcomer would be pending too.
    fn answer_same_text(&self, newcomer: &Newcomer<'_>, door: &Door) -> Option<Vec<Body<'static>>> {
        if newcomer.corrects.is_some() {
            return None;
        }
        // What it replaces says something else, in letters or signs.
        let is_replaced = |id| newcomer.against.iter().any(|item| item.id == id);
        let is_apart = |id| newcomer.apart.contains(&id) || is_replaced(id);
        let is_said = |met: &Met| met.matched == Match::Text && !is_apart(met.item.id);
        let same = self.meet(newcomer.says).into_iter().filter(is_said);
        let open = same.filter(|met| self.is_open(&met.assertion, newcomer.valid_from));
        let mut pending = None;
        for met in open {
            match met.item.own {
                OwnStatus::Active if same_slot(&met, newcomer) && may_justify(&met, newcomer) => {
                    return Some(vec![restated(newcomer, &met, door)]);
                }
                OwnStatus::Pending if newcomer.pending.is_some() => pending = Some(met),
                OwnStatus::Active
                | OwnStatus::Pending
                | OwnStatus::Rejected
                | OwnStatus::Invalidated
                | OwnStatus::Retracted
                | OwnStatus::Erased => {}
            }
        }
        pending.map(|met| vec![restated(newcomer, &met, door)])
    }

    /// Step 2, first half: the same value in the same slot.
    fn answer_same_value(
        &self,
        newcomer: &Newcomer<'_>,
        door: &Door,
    ) -> Option<Vec<Body<'static>>> {
        let held = self.held(newcomer)?;
        if newcomer.apart.contains(&held.item.id) {
            return None;
        }
        if newcomer.corrects.is_some() || Some(held.assertion.value) != newcomer.says.value {
            return None;
        }
        let met = Met { matched: Match::SlotValue, ..held };
        Some(vec![restated(newcomer, &met, door)])
    }

    /// Whether the row has not ended at `instant`.
    pub(crate) fn is_open(&self, assertion: &Assertion, instant: Timestamp) -> bool {
        let closed = self.closed(assertion.seq).is_some_and(|(_, at)| at <= instant);
        !closed && assertion.valid_until > instant
    }

    /// Makes the row: it takes the place of what held there, if its writer may.
    fn admit(&self, newcomer: &Newcomer<'_>, door: &Door) -> Vec<Body<'static>> {
        let mut displaced: Vec<Met> = self.held(newcomer).into_iter().collect();
        displaced.extend(self.opposed(newcomer));
        for item in newcomer.corrects.into_iter().chain(newcomer.against) {
            if displaced.iter().all(|met| met.item.id != item.id) {
                displaced.extend(self.met(item.id.seq, Match::Slot));
            }
        }
        displaced.sort_unstable_by_key(|met| met.item.id);
        let overruled = !displaced.iter().all(|met| outranks(newcomer.tier, door, met.item.guard));
        let pending = newcomer.pending.or(overruled.then_some(PendingReason::TrustRule));
        let mut decided = blank(&displaced);
        let ids: Vec<RecordId> = displaced.iter().map(|met| met.item.id).collect();
        decided.outcome = match (pending, newcomer.corrects) {
            (Some(_), _) if !ids.is_empty() => Outcome::Proposed(ids.clone()),
            (None, Some(corrected)) => Outcome::Corrected(corrected.id),
            (None, None) if !ids.is_empty() => Outcome::Superseded(ids.clone()),
            (Some(_) | None, _) => Outcome::Added,
        };
        if pending.is_none() {
            decided.closings = self.closings_of(newcomer, &displaced, door.next.next());
            decided.settled = self.settled_by(newcomer, door);
        }
        let row = row(newcomer, &ids, pending, door);
        let mut envelope = door.envelope(Vec::new());
        envelope.key = None;
        vec![Body { envelope, event: Event::Reconcile(ReconcileEvent::Decided(decided)) }, row]
    }

    /// The pending rows that say the same, no more, and are guarded no more than the write
    /// reaches: it makes them moot. What somebody above proposed goes on waiting.
    pub(crate) fn settled_by(&self, newcomer: &Newcomer<'_>, door: &Door) -> Vec<RecordId> {
        let moot = |met: &Met| {
            let slot = met.assertion.slot;
            met.item.own == OwnStatus::Pending
                && met.matched == Match::Text
                && (slot == Key::default() || newcomer.slot == Some(slot))
                && outranks(newcomer.tier, door, met.item.guard)
        };
        let met = self.meet(newcomer.says);
        let mut ids: Vec<RecordId> =
            met.iter().filter(|met| moot(met)).map(|met| met.item.id).collect();
        ids.sort_unstable();
        ids
    }

    /// The events that repeated the words of the item at `seq` without a row of their own.
    pub(crate) fn repetitions(&self, seq: Seq) -> Vec<Seq> {
        self.repeats.list(&seq).into_iter().map(|row| row.event).collect()
    }
}

impl Says {
    fn of(remember: &Remember, room: Key, door: &Door) -> Says {
        let value = remember.slot.as_ref().map(|slot| value_key(room, slot));
        Says { text: text_key(room, &remember.text, &door.actor.name), value }
    }
}

/// The trust rule: both the actor's rank and the newcomer's tier reach `guard`. No tier
/// is above a user's, so a guard above it binds the rank alone.
pub(crate) fn outranks(tier: Tier, door: &Door, guard: u8) -> bool {
    door.actor.rank.level() >= guard && tier.0 >= guard.min(Tier::USER.0)
}

/// Whether the newcomer's sources may support the row: members come before what they
/// support, or justifications could go round in a circle.
fn may_justify(met: &Met, newcomer: &Newcomer<'_>) -> bool {
    !met.item.is_stale() || newcomer.remember.rests_on.iter().all(|id| id.seq < met.item.id.seq)
}

pub(crate) fn same_slot(met: &Met, newcomer: &Newcomer<'_>) -> bool {
    newcomer.slot.is_none_or(|slot| slot == met.assertion.slot)
}

pub(crate) fn blank(met: &[Met]) -> Decided<'static> {
    Decided {
        text: "".into(),
        slot: None,
        candidates: met
            .iter()
            .map(|met| Candidate { id: met.item.id, matched: met.matched })
            .collect(),
        model: None,
        outcome: Outcome::Added,
        closings: Vec::new(),
        settled: Vec::new(),
        weighing: None,
    }
}

/// No new row: the words stand in the decision.
fn repeated(newcomer: &Newcomer<'_>, met: &[Met], outcome: Outcome, door: &Door) -> Body<'static> {
    let decided = Decided {
        text: newcomer.remember.text.clone().into(),
        slot: newcomer.remember.slot.clone(),
        outcome,
        ..blank(met)
    };
    Body {
        envelope: door.envelope(newcomer.remember.links()),
        event: Event::Reconcile(ReconcileEvent::Decided(decided)),
    }
}

fn restated(newcomer: &Newcomer<'_>, met: &Met, door: &Door) -> Body<'static> {
    let id = met.item.id;
    let outcome = if met.item.is_stale() { Outcome::Revived(id) } else { Outcome::Restated(id) };
    repeated(newcomer, std::slice::from_ref(met), outcome, door)
}

fn check_metadata(metadata: &BTreeMap<String, String>) -> Result<(), Rejection> {
    let pairs = metadata.len();
    let bytes = metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
    let is_named = metadata.keys().all(|key| !key.is_empty());
    if pairs > Metadata::PAIRS_MAX || bytes > Metadata::BYTES_MAX || !is_named {
        return Err(Rejection::Metadata { pairs, bytes });
    }
    Ok(())
}

/// The decision, and the reconfirmation that it amounts to.
fn reopened(newcomer: &Newcomer<'_>, item: &Item, door: &Door) -> Vec<Body<'static>> {
    let decision = repeated(newcomer, &[], Outcome::Reopened(item.id), door);
    let mut envelope = door.envelope(Vec::new());
    envelope.key = None;
    let reconfirmed = Reconfirmed { targets: vec![item.id], reason: None };
    vec![decision, Body { envelope, event: Event::Memory(MemoryEvent::Reconfirmed(reconfirmed)) }]
}

pub(crate) fn row(
    newcomer: &Newcomer<'_>,
    displaced: &[RecordId],
    pending: Option<PendingReason>,
    door: &Door,
) -> Body<'static> {
    let remember = newcomer.remember;
    let mut links = remember.links();
    let kind = if pending.is_some() { LinkKind::Considered } else { LinkKind::Supersedes };
    links.extend(displaced.iter().map(|target| Link { kind, target: *target }));
    if let (Some(corrected), None) = (newcomer.corrects, pending) {
        links.push(Link { kind: LinkKind::Corrects, target: corrected.id });
    }
    let validity = Validity { from: Some(newcomer.valid_from), until: remember.validity.until };
    let remembered = Remembered {
        text: remember.text.clone().into(),
        slot: remember.slot.clone(),
        validity,
        pending,
        metadata: (&remember.metadata).into(),
    };
    Body {
        envelope: door.envelope(links),
        event: Event::Memory(MemoryEvent::Remembered(remembered)),
    }
}
