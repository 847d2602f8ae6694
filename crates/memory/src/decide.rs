//! The door before the log: a command becomes events, or is refused.

use memlith_event::{
    Body, Confirmed, Decided, Event, Invalidated, MemoryEvent, Outcome, OwnStatus, Promoted, Rank,
    ReconcileEvent, Reconfirmed, Scope, Text, Weight,
};
use memlith_log::RecordId;

use crate::authority::Authority;
use crate::command::{Change, Command, Door};
use crate::item::{Item, ItemFlags};
use crate::memory::Memory;
use crate::reconcile::Standing;
use crate::rejection::Rejection;

impl Memory {
    /// The events of `command`, in the order they are to be appended as one batch.
    ///
    /// Pure: the same state, command and door give the same events. A command with
    /// several targets is judged by the state before it; one illegal target refuses it.
    ///
    /// # Errors
    /// [`Rejection`] says why the state refuses; nothing has been written.
    pub fn decide(&self, command: &Command, door: &Door) -> Result<Vec<Body<'static>>, Rejection> {
        match command {
            Command::Remember(remember) => self.reconcile(remember, Standing::Free, door),
            Command::Correct { target, with } => {
                let item = self.latest(self.target(*target, door)?, door);
                check_same_room(&item, door)?;
                self.check_correctable(&item, door)?;
                self.reconcile(with, Standing::Corrects(&item), door)
            }
            Command::Change { change, targets } => self.decide_change(change, targets, door),
            Command::Propose { what, reason, against } => {
                let items: Result<Vec<Item>, Rejection> =
                    against.iter().map(|id| self.target(*id, door)).collect();
                let items = items?;
                items.iter().try_for_each(|item| check_same_room(item, door))?;
                self.reconcile(what, Standing::Proposed(*reason, &items), door)
            }
            Command::Embed(vectors) => self.decide_embedding(vectors, door),
            Command::Report(report) => self.decide_report(report, door),
            Command::Review { judgement, targets, reason } => {
                self.decide_review(*judgement, targets, reason.as_deref(), door)
            }
            Command::Summarise(summarise) => self.decide_summary(summarise, door),
            Command::Mine(proposed) => self.decide_procedure(proposed, door),
            Command::RollBack { target, reason } => {
                self.decide_rollback(*target, reason.as_deref(), door)
            }
            Command::Choose(policy) => self.decide_policy(policy, door),
            Command::Dispute { targets, reason } => {
                let items = self.targets(targets, door)?;
                let door = &about(&items, door);
                let change = Change::Invalidate { weight: None, reason: None };
                self.check_all(&items, &change, door)?;
                let ids = items.iter().map(|item| item.id).collect();
                Ok(vec![disputed(ids, reason.as_deref(), door)])
            }
        }
    }

    /// The items to erase with `targets`: they themselves, what rests on them directly
    /// or indirectly, and the decisions that repeat their words; ascending. Targets that
    /// are erased already are passed over.
    ///
    /// # Errors
    /// A target that isn't there, or an actor who isn't the owner.
    pub fn decide_erasure(
        &self,
        targets: &[RecordId],
        door: &Door,
    ) -> Result<Vec<memlith_log::Seq>, Rejection> {
        let mut waiting = Vec::new();
        for id in unique(targets)? {
            // Its cell is gone with its body, so that no scope sees it.
            let item = self.items.get(&id.seq).filter(|item| item.id == id);
            let gone = item.is_some_and(|item| item.own == OwnStatus::Erased);
            if !gone {
                self.target(id, door)?;
                waiting.push(id.seq);
            }
            if door.actor.rank < Rank::Owner {
                let needed = Rank::Owner.level();
                return Err(Rejection::Rank { id, needed, found: door.actor.rank });
            }
        }
        Ok(self.reached_by_erasure(waiting))
    }

    /// Decides whether the owner may erase records, whichever scopes they are of; all that
    /// goes with them, ascending.
    ///
    /// # Errors
    /// An actor who isn't the owner.
    pub fn decide_erasure_of(
        &self,
        records: impl IntoIterator<Item = memlith_log::Seq>,
        door: &Door,
    ) -> Result<Vec<memlith_log::Seq>, Rejection> {
        if door.actor.rank < Rank::Owner {
            return Err(Rejection::EverywhereRank { found: door.actor.rank });
        }
        Ok(self.reached_by_erasure(records.into_iter().collect()))
    }

    /// Records, what rests on them, and the decisions that repeat their words.
    fn reached_by_erasure(&self, mut waiting: Vec<memlith_log::Seq>) -> Vec<memlith_log::Seq> {
        let mut reached = std::collections::BTreeSet::new();
        while let Some(seq) = waiting.pop() {
            if reached.insert(seq) {
                waiting.extend(self.resting_on(seq));
            }
        }
        let own: Vec<_> = reached.iter().copied().collect();
        reached.extend(own.iter().flat_map(|seq| self.repetitions(*seq)));
        reached.into_iter().collect()
    }

    /// Finds the last correction of `item`, and is `item` without one: whoever corrects an old
    /// wording means what stands for it. What merely ended is corrected in the past.
    fn latest(&self, item: Item, door: &Door) -> Item {
        let mut latest = item;
        loop {
            let from = self.assertions.get(&latest.id.seq).map(|row| row.valid_from);
            let closed = self.closed(latest.id.seq).filter(|(_, at)| Some(*at) == from);
            let by =
                closed.filter(|(_, at)| *at <= door.now).and_then(|(by, _)| self.items.get(&by));
            // A successor comes later, so the way ends. What was erased is nobody's meaning.
            let is_next =
                |next: &Item| next.id.seq > latest.id.seq && next.own != OwnStatus::Erased;
            match by.filter(is_next) {
                Some(next) => latest = next,
                None => return latest,
            }
        }
    }

    fn decide_change(
        &self,
        change: &Change,
        targets: &[RecordId],
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let items = self.targets(targets, door)?;
        let door = &about(&items, door);
        check_weight(change)?;
        let ids: Vec<RecordId> = items.iter().map(|item| item.id).collect();
        if let Change::Invalidate { reason, .. } = change
            && items.iter().any(|item| door.actor.rank.level() < item.guard)
        {
            self.check_all(&items, change, door)?;
            return Ok(vec![disputed(ids, reason.as_deref(), door)]);
        }
        self.check_all(&items, change, door)?;
        let event =
            |event| Body { envelope: door.envelope(Vec::new()), event: Event::Memory(event) };
        let and_settled = |event: Body<'static>| {
            let person = door.actor.rank >= Rank::User;
            let settled = if person { self.settlements(&items, door) } else { Vec::new() };
            std::iter::once(event).chain(settled).collect()
        };
        Ok(match change {
            Change::Confirm { weight, verified } => {
                let confirmed = Confirmed { targets: ids, weight: *weight, verified: *verified };
                and_settled(event(MemoryEvent::Confirmed(confirmed)))
            }
            Change::Promote { weight } => {
                let promoted = Promoted { targets: ids, weight: *weight };
                and_settled(event(MemoryEvent::Promoted(promoted)))
            }
            Change::Pin => ids.into_iter().map(|id| event(MemoryEvent::Pinned(id))).collect(),
            Change::Unpin => ids.into_iter().map(|id| event(MemoryEvent::Unpinned(id))).collect(),
            Change::Invalidate { weight, reason } => {
                let reason = reason.clone().map(Text::from);
                let invalidated = Invalidated { targets: ids, weight: *weight, reason };
                vec![event(MemoryEvent::Invalidated(invalidated))]
            }
            Change::Reconfirm { reason } => {
                let reason = reason.clone().map(Text::from);
                vec![event(MemoryEvent::Reconfirmed(Reconfirmed { targets: ids, reason }))]
            }
        })
    }

    pub(crate) fn check_all(
        &self,
        items: &[Item],
        change: &Change,
        door: &Door,
    ) -> Result<(), Rejection> {
        items.iter().try_for_each(|item| self.check_change(item, change, door))
    }

    fn check_change(&self, item: &Item, change: &Change, door: &Door) -> Result<(), Rejection> {
        let authority = self.authority(item.id.seq, door.now).unwrap_or(Authority::Erased);
        let refuse = |command| Err(Rejection::Status { id: item.id, authority, command });
        let rank = door.actor.rank;
        let at_least = |needed: u8| {
            let refused = Rejection::Rank { id: item.id, needed, found: rank };
            if rank.level() < needed { Err(refused) } else { Ok(()) }
        };
        match change {
            Change::Confirm { verified, .. } => {
                let outside = rank >= Rank::User || *verified;
                // A summary stands by its sources alone.
                let revives = authority == Authority::Stale && outside && !item.is_summary();
                let may = authority.is_shown() || revives;
                if may { Ok(()) } else { refuse("confirmed") }
            }
            Change::Promote { .. } if !authority.is_shown() => refuse("promoted"),
            Change::Pin if authority != Authority::Active => refuse("pinned"),
            Change::Pin if item.is_record() => {
                Err(Rejection::IsRecord { id: item.id, command: "pinned" })
            }
            Change::Pin if item.is_summary() => {
                Err(Rejection::IsSummary { id: item.id, command: "pinned" })
            }
            Change::Unpin if !item.is_pinned() => refuse("unpinned"),
            Change::Promote { .. } | Change::Pin => at_least(Rank::User.level()),
            Change::Unpin => at_least(item.pinner.max(Rank::User.level())),
            Change::Invalidate { .. } => match item.own {
                OwnStatus::Pending | OwnStatus::Active => Ok(()),
                OwnStatus::Invalidated if rank.level() > item.invalidator => Ok(()),
                OwnStatus::Invalidated
                | OwnStatus::Rejected
                | OwnStatus::Retracted
                | OwnStatus::Erased => refuse("invalidated"),
            },
            Change::Reconfirm { .. } if item.own != OwnStatus::Invalidated => refuse("reconfirmed"),
            Change::Reconfirm { .. } => at_least(item.invalidator),
        }
    }

    fn check_correctable(&self, item: &Item, door: &Door) -> Result<(), Rejection> {
        if item.is_record() {
            return Err(Rejection::IsRecord { id: item.id, command: "corrected" });
        }
        if item.is_summary() {
            return Err(Rejection::IsSummary { id: item.id, command: "corrected" });
        }
        let authority = self.authority(item.id.seq, door.now).unwrap_or(Authority::Erased);
        match authority {
            Authority::Active
            | Authority::Stale
            | Authority::Contested
            | Authority::Outdated
            | Authority::Superseded => Ok(()),
            Authority::Erased
            | Authority::Invalidated
            | Authority::Rejected
            | Authority::Retracted
            | Authority::Pending
            | Authority::Expired
            | Authority::Future => {
                Err(Rejection::Status { id: item.id, authority, command: "corrected" })
            }
        }
    }

    /// The targets as items, ascending.
    pub(crate) fn targets(&self, ids: &[RecordId], door: &Door) -> Result<Vec<Item>, Rejection> {
        unique(ids)?.into_iter().map(|id| self.target(id, door)).collect()
    }

    /// The item called `id`, if the actor's scope sees it.
    pub(crate) fn target(&self, id: RecordId, door: &Door) -> Result<Item, Rejection> {
        self.seen(id, &door.scope)
    }

    /// The item called `id`, if `scope` sees it.
    pub(crate) fn seen(&self, id: RecordId, scope: &Scope<'_>) -> Result<Item, Rejection> {
        let item = self.items.get(&id.seq).filter(|item| item.id == id);
        item.filter(|item| Memory::sees(scope, item)).ok_or(Rejection::NotFound { id })
    }
}

/// The ids, ascending: at least one, and each once.
fn unique(ids: &[RecordId]) -> Result<Vec<RecordId>, Rejection> {
    if ids.is_empty() {
        return Err(Rejection::NoTargets);
    }
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    if let Some(id) = ids.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some(*a),
        _ => None,
    }) {
        return Err(Rejection::DuplicateTarget { id });
    }
    Ok(ids)
}

/// The door for events about `items`: what others see is not changed behind their backs.
pub(crate) fn about(items: &[Item], door: &Door) -> Door {
    let mut door = door.clone();
    door.scope.session_only &= items.iter().all(is_session_only);
    door
}

/// Refuses a memory that only a session sees in the place of one that others see.
fn check_same_room(item: &Item, door: &Door) -> Result<(), Rejection> {
    if door.scope.session_only && !is_session_only(item) {
        return Err(Rejection::SessionOnly { id: item.id });
    }
    Ok(())
}

fn is_session_only(item: &Item) -> bool {
    item.flags.has(ItemFlags::SESSION_ONLY)
}

/// An invalidation by one who may not: the rows are disputed, and stand.
fn disputed(ids: Vec<RecordId>, reason: Option<&str>, door: &Door) -> Body<'static> {
    let decided = Decided {
        text: reason.unwrap_or_default().to_owned().into(),
        slot: None,
        candidates: Vec::new(),
        model: None,
        outcome: Outcome::Disputed(ids),
        closings: Vec::new(),
        settled: Vec::new(),
        weighing: None,
    };
    Body {
        envelope: door.envelope(Vec::new()),
        event: Event::Reconcile(ReconcileEvent::Decided(decided)),
    }
}

fn check_weight(change: &Change) -> Result<(), Rejection> {
    const ONE: u32 = 1_000_000;
    let refuse = |weight: Weight, command, allowed| {
        Err(Rejection::Weight { millionths: weight.0, command, allowed })
    };
    let (weight, command, lowers) = match change {
        Change::Confirm { weight, .. } => (weight, "confirm", false),
        Change::Promote { weight } => (weight, "promote", false),
        Change::Invalidate { weight, .. } => (weight, "invalidate", true),
        Change::Pin | Change::Unpin | Change::Reconfirm { .. } => return Ok(()),
    };
    match weight {
        Some(weight) if Weight::new(weight.0).is_none() => {
            refuse(*weight, command, "a weight is above 0 and at most 10")
        }
        Some(weight) if !lowers && weight.0 < ONE => refuse(*weight, command, "it takes 1 or more"),
        Some(_) | None => Ok(()),
    }
}
