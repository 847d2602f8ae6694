//! Review of what waits: accepted, rejected, deferred; as a command and as a fold.

use memlith_event::{
    Actor, Body, Closing, Decided, Envelope, Event, Key, Link, LinkKind, Match, Outcome, OwnStatus,
    PendingReason, Rank, ReconcileEvent, ReviewEvent, Reviewed, Scope, Stored, Text, Tier,
};
use memlith_log::{RecordId, Seq};

use crate::assertion::Assertion;
use crate::authority::Authority;
use crate::command::{Door, Remember};
use crate::contrary::contraries;
use crate::decide::about;
use crate::item::{Item, ItemFlags};
use crate::likeness::Likeness;
use crate::memory::Memory;
use crate::proposal::Proposal;
use crate::reconcile::{Met, Newcomer, Says, blank, same_slot};
use crate::rejection::Rejection;
use crate::slot_row::SlotRow;
use crate::weighed::Weighed;

/// A memory that waits, as far as the state doesn't hold it.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// The assertion that it says.
    pub said: Remember,
    /// Where it says so.
    pub scope: Scope<'static>,
    /// The likeness of that assertion, where it was compared.
    pub likeness: Option<Likeness>,
}

/// Verdict of a reviewer on memories that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is taken in, and takes its place.
    Accept,
    /// It is refused, for good.
    Reject,
    /// It goes on waiting.
    Defer,
}

impl Judgement {
    /// As what the memory comes out of it.
    #[must_use]
    pub fn participle(self) -> &'static str {
        match self {
            Judgement::Accept => "accepted",
            Judgement::Reject => "rejected",
            Judgement::Defer => "deferred",
        }
    }
}

impl Memory {
    /// The memories that wait for review, and why, ascending.
    ///
    /// Cost: the number of memories that ever waited.
    pub fn waiting(&self) -> impl Iterator<Item = (Item, PendingReason)> + '_ {
        let item = |proposal: Proposal| Some((self.items.get(&proposal.seq)?, proposal.reason));
        self.proposals.rows().filter_map(item).filter(|(item, _)| item.own == OwnStatus::Pending)
    }

    /// Lists the rows that the memory at `seq` would displace, ascending, where it entered as
    /// pending.
    pub fn weighed_by(&self, seq: Seq) -> impl Iterator<Item = Seq> + '_ {
        self.weighed.range((seq, Seq(0))..=(seq, Seq::MAX)).map(|row| row.memory)
    }

    /// The events of a review.
    pub(crate) fn decide_review(
        &self,
        judgement: Judgement,
        targets: &[RecordId],
        reason: Option<&str>,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let items = self.targets(targets, door)?;
        let door = &about(&items, door);
        items.iter().try_for_each(|item| check_reviewable(item, judgement, door))?;
        let targets = items.iter().map(|item| item.id).collect();
        let reviewed = Reviewed { targets, reason: reason.map(|text| Text::from(text.to_owned())) };
        let event = match judgement {
            Judgement::Accept => {
                let [item] = items.as_slice() else { return Err(Rejection::SeveralTargets) };
                return self.accept(item, reviewed, &Taken::default(), door);
            }
            Judgement::Reject => ReviewEvent::Rejected(reviewed),
            Judgement::Defer => ReviewEvent::Deferred(reviewed),
        };
        Ok(vec![Body { envelope: door.envelope(Vec::new()), event: Event::Review(event) }])
    }

    /// As [`Memory::decide`] of an acceptance, with what the memory says and what that is like: it
    /// takes the place of what it is near enough to, and stands beside what it contradicts.
    /// Nobody is asked but the reviewer.
    ///
    /// # Errors
    /// Those of `decide`.
    pub fn decide_acceptance(
        &self,
        target: RecordId,
        reason: Option<&str>,
        taken: &Taken,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let item = self.target(target, door)?;
        let door = &about(std::slice::from_ref(&item), door);
        check_reviewable(&item, Judgement::Accept, door)?;
        let reason = reason.map(|text| Text::from(text.to_owned()));
        let reviewed = Reviewed { targets: vec![target], reason };
        self.accept(&item, reviewed, taken, door)
    }

    /// Reconciles a proposal anew, as if its reviewer wrote it: the decision, and the
    /// acceptance that it admits.
    fn accept(
        &self,
        item: &Item,
        reviewed: Reviewed<'static>,
        taken: &Taken,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let missing = Rejection::NotFound { id: item.id };
        let assertion = self.assertions.get(&item.id.seq).ok_or(missing)?;
        let room = taken.scope.room();
        let slot = taken.said.slot.iter();
        let newcomer = Newcomer {
            contraries: slot.flat_map(|slot| contraries(room, slot)).collect(),
            ..as_its_reviewer(&assertion, &taken.said)
        };
        self.check_content(&newcomer, item, door)?;
        self.check_unsaid(&newcomer, item)?;
        let mut displaced = self.displaced_by(&newcomer, item);
        let likeness = taken.likeness.as_ref().filter(|_| !self.meets_its_slot(&newcomer));
        let there = Door { scope: taken.scope.clone(), ..door.clone() };
        let like = likeness.map(|likeness| self.like(&newcomer, likeness, &there));
        let like = like.unwrap_or_default();
        for id in like.instead {
            let is_new = displaced.iter().all(|known| known.item.id != id);
            displaced.extend(self.met(id.seq, Match::Likeness).filter(|_| is_new));
        }
        displaced.sort_unstable_by_key(|met| met.item.id);
        let rank = door.actor.rank;
        if let Some(met) = displaced.iter().find(|met| rank.level() < met.item.guard) {
            let needed = met.item.guard;
            return Err(Rejection::Rank { id: met.item.id, needed, found: rank });
        }
        let ids: Vec<RecordId> = displaced.iter().map(|met| met.item.id).collect();
        let mut decided =
            Decided { settled: self.settled_by(&newcomer, door), ..blank(&displaced) };
        decided.weighing = like.weighing;
        decided.model = likeness.map(|likeness| likeness.model.clone().into());
        decided.settled.retain(|id| *id != item.id);
        decided.closings = self.closings_of(&newcomer, &displaced, item.id.seq);
        decided.closings.extend(self.lapses(&newcomer, item.id.seq));
        decided.closings.extend(like.later.map(|end| Closing { row: item.id.seq, ..end }));
        decided.closings.sort_unstable();
        decided.closings.dedup();
        if !ids.is_empty() {
            decided.outcome = Outcome::Superseded(ids.clone());
        }
        let link = |kind| move |target| Link { kind, target };
        let beside = like.beside.into_iter().filter(|id| !ids.contains(id));
        let beside = beside.map(link(LinkKind::Considered));
        let links = ids.clone().into_iter().map(link(LinkKind::Supersedes)).chain(beside).collect();
        let mut unkeyed = door.envelope(Vec::new());
        unkeyed.key = None;
        let event = Event::Review(ReviewEvent::Accepted(reviewed));
        Ok(vec![
            Body { envelope: unkeyed, event: Event::Reconcile(ReconcileEvent::Decided(decided)) },
            Body { envelope: door.envelope(links), event },
        ])
    }

    /// The content rule: what was taken out comes back only by the hand of one who could
    /// have taken it out, and later.
    pub(crate) fn check_content(
        &self,
        newcomer: &Newcomer<'_>,
        item: &Item,
        door: &Door,
    ) -> Result<(), Rejection> {
        let bars = |met: &Met| {
            let taken = &met.item;
            let later = door.occurred_at > taken.invalidated_at;
            let may = door.actor.rank.level() >= taken.invalidator && later;
            taken.id != item.id && taken.bars() && !may
        };
        match self.meet(newcomer.says).into_iter().find(bars) {
            Some(met) => Err(Rejection::barred_by(&met.item)),
            None => Ok(()),
        }
    }

    /// Nothing that stands says the same with as much behind it: then there would be nothing
    /// to take in.
    fn check_unsaid(&self, newcomer: &Newcomer<'_>, item: &Item) -> Result<(), Rejection> {
        let as_much = |met: &Met| met.item.guard >= item.guard;
        let same_text = |met: &Met| {
            // What it was proposed to take the place of says the same, with less behind it.
            self.weighed_by(item.id.seq).all(|seq| seq != met.item.id.seq) && as_much(met)
        };
        let same_value =
            |met: &Met| Some(met.assertion.value) == newcomer.says.value && as_much(met);
        let said = self.saying_it(newcomer, item).into_iter().find(same_text);
        match said.or_else(|| self.held(newcomer).filter(same_value)) {
            Some(met) => Err(Rejection::SaidAlready { id: item.id, by: met.item.id }),
            None => Ok(()),
        }
    }

    /// The other rows that stand and say it.
    fn saying_it(&self, newcomer: &Newcomer<'_>, item: &Item) -> Vec<Met> {
        let mut said = self.meet(newcomer.says);
        said.retain(|met| {
            met.matched == Match::Text
                && met.item.own == OwnStatus::Active
                && !met.item.is_stale()
                && met.item.id != item.id
                && same_slot(met, newcomer)
                && self.is_open(&met.assertion, newcomer.valid_from)
        });
        said
    }

    /// Lists what holds in its place, what says the same with less behind it, and what it was
    /// proposed against, as far as that stands.
    fn displaced_by(&self, newcomer: &Newcomer<'_>, item: &Item) -> Vec<Met> {
        let mut displaced: Vec<Met> = self.held(newcomer).into_iter().collect();
        for met in self.saying_it(newcomer, item) {
            let is_new = displaced.iter().all(|known| known.item.id != met.item.id);
            displaced.extend(Some(met).filter(|met| met.item.guard < item.guard && is_new));
        }
        for met in self.opposed(newcomer) {
            let is_new = displaced.iter().all(|known| known.item.id != met.item.id);
            displaced.extend(Some(met).filter(|_| is_new));
        }
        for seq in self.weighed_by(item.id.seq) {
            let stands = |met: &Met| {
                met.item.own == OwnStatus::Active
                    && met.assertion.valid_from <= newcomer.valid_from
                    && displaced.iter().all(|known| known.item.id != met.item.id)
            };
            displaced.extend(self.met(seq, Match::Slot).filter(stands));
        }
        displaced.sort_unstable_by_key(|met| met.item.id);
        displaced
    }

    /// The ends of invalidated rows that say the same: reconfirmed, they would say it beside
    /// the one that is accepted.
    fn lapses(&self, newcomer: &Newcomer<'_>, by: Seq) -> Vec<Closing> {
        let lapses = |met: &Met| {
            met.item.own == OwnStatus::Invalidated
                && met.item.before == OwnStatus::Active
                && self.is_open(&met.assertion, newcomer.valid_from)
        };
        let said = self.meet(newcomer.says).into_iter().filter(lapses);
        said.map(|met| Closing { row: met.item.id.seq, by, at: newcomer.valid_from }).collect()
    }

    /// Takes note of a memory that waits, and of what it would displace.
    pub(crate) fn put_proposal(
        &mut self,
        seq: Seq,
        reason: PendingReason,
        envelope: &Envelope<'_>,
    ) {
        self.proposals.put(Proposal { seq, reason });
        for considered in envelope.linked(LinkKind::Considered) {
            self.weighed.put(Weighed { by: seq, memory: considered.seq });
        }
    }

    pub(crate) fn fold_review(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        event: &ReviewEvent<'_>,
    ) {
        if let ReviewEvent::RolledBack(event) = event {
            return self.fold_rollback(stored, envelope, event);
        }
        let actor = &envelope.actor;
        for target in event.targets() {
            self.touch(*target, stored.seq());
            match event {
                ReviewEvent::Accepted(_) => {
                    self.take_in(target.seq, actor);
                    for displaced in envelope.linked(LinkKind::Supersedes) {
                        self.move_pin(displaced.seq, target.seq, actor);
                    }
                    for with in envelope.linked(LinkKind::Considered) {
                        self.touch(with, stored.seq());
                        self.put_contest(target.seq, with.seq);
                    }
                }
                ReviewEvent::Rejected(_) => self.turn_down(stored, target.seq, actor),
                ReviewEvent::Deferred(_) | ReviewEvent::RolledBack(_) => {}
            }
        }
        for displaced in envelope.linked(LinkKind::Supersedes) {
            self.touch(displaced, stored.seq());
        }
    }

    fn take_in(&mut self, target: Seq, actor: &Actor<'_>) {
        let Some(item) = self.items.get(&target) else { return };
        if item.own != OwnStatus::Pending {
            return;
        }
        self.change(target, |item| {
            item.own = OwnStatus::Active;
            item.flags = item.flags.with(ItemFlags::ACCEPTED, true);
            item.decider = actor.rank.level();
        });
        self.raise_guard(target, actor);
        let placed = self.assertions.get(&target).filter(|row| row.slot != Key::default());
        if let Some(Assertion { slot, valid_from, .. }) = placed {
            self.slots.put(SlotRow { slot, valid_from, seq: target });
        }
        self.withdraw_challenges(target);
        // Its guard has changed, and so what a source breaks of it.
        self.settle(target);
        self.cascade(target);
    }

    fn turn_down(&mut self, stored: &Stored<'_>, target: Seq, actor: &Actor<'_>) {
        let Some(item) = self.items.get(&target) else { return };
        if item.own != OwnStatus::Pending {
            return;
        }
        self.change(target, |item| {
            item.before = item.own;
            item.own = OwnStatus::Rejected;
            item.invalidator = actor.rank.level();
            item.invalidated_at = stored.recorded_at;
        });
        self.withdraw_challenges(target);
        self.cascade(target);
    }
}

/// A memory as its reviewer's own write.
pub(crate) fn as_its_reviewer<'a>(assertion: &Assertion, unsaid: &'a Remember) -> Newcomer<'a> {
    let placed = assertion.slot != Key::default();
    Newcomer {
        apart: &[],
        remember: unsaid,
        corrects: None,
        against: &[],
        says: Says { text: assertion.text, value: placed.then_some(assertion.value) },
        aloud: None,
        slot: placed.then_some(assertion.slot),
        contraries: Vec::new(),
        valid_from: assertion.valid_from,
        tier: Tier::USER,
        pending: None,
    }
}

fn check_reviewable(item: &Item, judgement: Judgement, door: &Door) -> Result<(), Rejection> {
    let rank = door.actor.rank;
    let refuse = |authority| {
        Err(Rejection::Status { id: item.id, authority, command: judgement.participle() })
    };
    match item.own {
        OwnStatus::Pending => {}
        OwnStatus::Active => return refuse(Authority::Active),
        OwnStatus::Rejected => return refuse(Authority::Rejected),
        OwnStatus::Invalidated => return refuse(Authority::Invalidated),
        OwnStatus::Retracted => return refuse(Authority::Retracted),
        OwnStatus::Erased => return refuse(Authority::Erased),
    }
    if rank < Rank::User {
        let needed = Rank::User.level();
        return Err(Rejection::Rank { id: item.id, needed, found: rank });
    }
    if item.actor == door.actor.key() {
        return Err(Rejection::OwnProposal { id: item.id });
    }
    if judgement == Judgement::Accept && item.is_stale() {
        return refuse(Authority::Stale);
    }
    Ok(())
}
