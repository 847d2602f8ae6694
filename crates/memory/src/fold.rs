//! Folding of each event into the state. No rule stands here that could refuse: an event that makes
//! no sense where it stands changes nothing.

use memlith_event::{
    Actor, Body, Candidate, Closing, CompactionEvent, Confirmed, Content, Decided, Envelope, Event,
    Invalidated, Key, Kind, LinkKind, MemoryEvent, Named, Origin, Outcome, OutcomeEvent, OwnStatus,
    ProcedureEvent, Promoted, Rank, ReconcileEvent, Remembered, Stored, Tier,
};
use memlith_log::{RecordId, Seq};

use crate::assertion::Assertion;
use crate::dispute::{Challenge, Dispute};
use crate::item::{Item, ItemFlags};
use crate::known_key::KnownKey;
use crate::memory::Memory;
use crate::moved_pin::MovedPin;
use crate::slot_key::{slot_key, text_key, value_key};
use crate::slot_row::SlotRow;
use crate::touch::{Repeat, Touch};
use crate::wording::Wording;

impl Memory {
    pub(crate) fn fold(&mut self, stored: &Stored<'_>) {
        match &stored.content {
            Content::Event(body) => self.fold_event(stored, body),
            Content::Erased(kind) => self.fold_erased(stored, *kind),
            Content::Other => {}
        }
    }

    fn fold_event(&mut self, stored: &Stored<'_>, body: &Body<'_>) {
        let named = self.names.of(&body.envelope);
        if let Some(idempotency) = body.envelope.idempotency_in(named.cell) {
            self.keys.push(KnownKey { idempotency, id: stored.id });
        }
        match &body.event {
            // What a job made of records goes with them.
            Event::Job(_) => {
                for id in body.envelope.linked(LinkKind::RestsOn) {
                    self.touch(id, stored.seq());
                }
            }
            Event::Session(_) | Event::Delivery(_) => {}
            Event::Turn(_) | Event::Foreign(_) => {
                self.put_item(stored, &body.envelope, &named, ItemFlags::RECORD, OwnStatus::Active);
            }
            Event::Memory(event) => self.fold_memory(stored, &body.envelope, &named, event),
            Event::Outcome(OutcomeEvent::Reported(reported)) => {
                self.fold_reported(stored, &body.envelope, reported);
            }
            Event::Review(event) => self.fold_review(stored, &body.envelope, event),
            Event::Policy(event) => self.fold_policy(stored, event),
            Event::Tombstone(event) => self.fold_tombstone(event),
            Event::Compaction(CompactionEvent::Summarised(summary)) => {
                self.fold_summarised(stored, &body.envelope, &named, summary);
            }
            Event::Procedure(ProcedureEvent::Mined(mined)) => {
                self.fold_mined(stored, &body.envelope, &named, mined);
            }
            Event::Reconcile(ReconcileEvent::Decided(decided)) => {
                self.fold_decided(stored, &body.envelope, decided);
            }
        }
    }

    /// An erased item keeps its place, so that what rests on it knows; its cell is
    /// gone with its body, so no query sees it.
    fn fold_erased(&mut self, stored: &Stored<'_>, kind: Kind) {
        if !kind.is_item() {
            return;
        }
        self.items.put(Item {
            id: stored.id,
            flags: match kind.number {
                number if number == Kind::SUMMARISED.number => ItemFlags::SUMMARY,
                _ => ItemFlags::default().with(ItemFlags::RECORD, !kind.is_memory()),
            },
            own: OwnStatus::Erased,
            before: OwnStatus::Erased,
            origin: Origin::Web,
            tier: Tier(0),
            guard: 0,
            invalidator: 0,
            broken_by: 0,
            pinner: 0,
            decider: 0,
            cell: Key::default(),
            session: Key::default(),
            actor: Key::default(),
            recorded_at: stored.recorded_at,
            occurred_at: stored.recorded_at,
            invalidated_at: stored.recorded_at,
        });
    }

    fn fold_memory(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        named: &Named,
        event: &MemoryEvent<'_>,
    ) {
        let actor = &envelope.actor;
        match event {
            MemoryEvent::Remembered(content) => {
                self.fold_remembered(stored, envelope, named, content);
            }
            MemoryEvent::Surfaced(surfaced) => {
                for target in &surfaced.targets {
                    self.touch(*target, stored.seq());
                }
            }
            MemoryEvent::Confirmed(content) => self.fold_confirmed(stored, actor, content),
            MemoryEvent::Promoted(Promoted { targets, .. }) => {
                for target in targets {
                    self.touch(*target, stored.seq());
                    self.raise_guard(target.seq, actor);
                    self.clear_disputes(target.seq);
                }
            }
            MemoryEvent::Pinned(target) => {
                self.touch(*target, stored.seq());
                self.set_pin(target.seq, |pinner| pinner.max(actor.rank.level()));
            }
            MemoryEvent::Elsewhere(said) => {
                self.fold_elsewhere(stored.id, (envelope, named.cell), said);
            }
            MemoryEvent::Unpinned(target) => {
                self.touch(*target, stored.seq());
                self.set_pin(target.seq, |_| 0);
            }
            MemoryEvent::Invalidated(content) => self.fold_invalidated(stored, actor, content),
            MemoryEvent::Reconfirmed(content) => {
                for target in &content.targets {
                    self.touch(*target, stored.seq());
                    self.reopen(target.seq);
                }
            }
            // A vector repeats what the item says, so that it goes with it.
            MemoryEvent::Embedded(embedded) => {
                let target = embedded.target;
                self.touch(target, stored.seq());
                self.repeats.push(Repeat { item: target.seq, event: stored.seq() });
            }
        }
    }

    fn fold_remembered(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        named: &Named,
        content: &Remembered<'_>,
    ) {
        let own = if content.pending.is_some() { OwnStatus::Pending } else { OwnStatus::Active };
        let room = named.room;
        let (text, none) = (text_key(room, &content.text, &envelope.actor.name), Key::default());
        let slot = content.slot.as_ref().map_or(none, |slot| slot_key(room, slot));
        let value = content.slot.as_ref().map_or(none, |slot| value_key(room, slot));
        let seq = stored.seq();
        let assertion = Assertion {
            seq,
            text,
            slot,
            value,
            valid_from: content.validity.from.unwrap_or(envelope.occurred_at),
            valid_until: content.validity.until.unwrap_or(Assertion::OPEN),
            restated: 0,
        };
        self.assertions.put(assertion);
        self.wordings.put(Wording { says: text, seq });
        if slot != none {
            self.wordings.put(Wording { says: value, seq });
        }
        if let Some(reason) = content.pending {
            self.put_proposal(seq, reason, envelope);
        } else if slot != none {
            self.slots.put(SlotRow { slot, valid_from: assertion.valid_from, seq });
        }
        self.put_item(stored, envelope, named, ItemFlags::default(), own);
        self.justify(seq, seq, envelope.linked(LinkKind::RestsOn).map(|id| id.seq));
        for displaced in envelope.linked(LinkKind::Supersedes) {
            self.touch(displaced, seq);
            self.move_pin(displaced.seq, seq, &envelope.actor);
        }
        for corrected in envelope.linked(LinkKind::Corrects) {
            self.touch(corrected, seq);
        }
        self.settle(seq);
    }

    fn fold_confirmed(&mut self, stored: &Stored<'_>, actor: &Actor<'_>, content: &Confirmed) {
        for target in &content.targets {
            self.touch(*target, stored.seq());
            self.hear(stored.seq(), target.seq, (actor, None), content.verified);
        }
    }

    fn fold_invalidated(
        &mut self,
        stored: &Stored<'_>,
        actor: &Actor<'_>,
        content: &Invalidated<'_>,
    ) {
        let rank = actor.rank.level();
        for target in &content.targets {
            self.touch(*target, stored.seq());
            self.change(target.seq, |item| match item.own {
                OwnStatus::Pending | OwnStatus::Active => {
                    item.before = item.own;
                    item.own = OwnStatus::Invalidated;
                    item.invalidator = rank;
                    item.invalidated_at = stored.recorded_at;
                }
                OwnStatus::Invalidated if rank > item.invalidator => {
                    item.invalidator = rank;
                    item.invalidated_at = stored.recorded_at;
                }
                OwnStatus::Invalidated
                | OwnStatus::Rejected
                | OwnStatus::Retracted
                | OwnStatus::Erased => {}
            });
            self.withdraw_challenges(target.seq);
            self.cascade(target.seq);
        }
    }

    fn fold_decided(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        decided: &Decided<'_>,
    ) {
        let (seq, actor) = (stored.seq(), &envelope.actor);
        for closing in &decided.closings {
            self.put_closing(closing);
        }
        for settled in &decided.settled {
            self.touch(*settled, seq);
            self.change(settled.seq, |item| {
                if item.own == OwnStatus::Pending {
                    item.own = OwnStatus::Retracted;
                }
            });
            self.withdraw_challenges(settled.seq);
            self.cascade(settled.seq);
        }
        // As a proposal, the row follows in the same batch.
        for with in decided.contests() {
            self.touch(*with, seq);
            self.put_contest(seq.next(), with.seq);
        }
        match &decided.outcome {
            Outcome::Added | Outcome::Superseded(_) | Outcome::Corrected(_) => {}
            Outcome::Restated(id) => {
                self.touch(*id, seq);
                self.count_restatement(id.seq, seq);
                if !decided.text.is_empty() && decided.weighing.is_some() {
                    self.put_wording(id.seq, envelope, &decided.text);
                }
                self.hear(seq, id.seq, (actor, envelope.tier_cap), false);
            }
            Outcome::Skipped => self.fold_skipped(&decided.candidates, seq),
            Outcome::Settled(id) => self.fold_settled(*id, &decided.closings, seq, actor),
            Outcome::Revived(id) => {
                self.touch(*id, seq);
                self.count_restatement(id.seq, seq);
                let members: Vec<Seq> =
                    envelope.linked(LinkKind::RestsOn).map(|id| id.seq).collect();
                if members.is_empty() {
                    self.justify(id.seq, seq, [seq]);
                } else {
                    self.justify(id.seq, seq, members);
                }
                self.settle(id.seq);
                self.hear(seq, id.seq, (actor, envelope.tier_cap), false);
            }
            Outcome::Reopened(id) => {
                self.touch(*id, seq);
                self.count_restatement(id.seq, seq);
            }
            // The challenger is the pending row that follows in the same batch.
            Outcome::Proposed(ids) => self.dispute(ids, seq.next(), seq),
            Outcome::Disputed(ids) => self.dispute(ids, seq, seq),
        }
    }

    /// Nothing was made of a write: its words stand in the decision, and go with what was near.
    fn fold_skipped(&mut self, candidates: &[Candidate], seq: Seq) {
        for candidate in candidates {
            self.touch(candidate.id, seq);
            self.repeats.push(Repeat { item: candidate.id.seq, event: seq });
        }
    }

    /// A person's word ended the other sides of a contest.
    fn fold_settled(&mut self, id: RecordId, closings: &[Closing], seq: Seq, actor: &Actor<'_>) {
        self.touch(id, seq);
        for closing in closings {
            if let Some(item) = self.items.get(&closing.row) {
                self.touch(item.id, seq);
            }
            self.move_pin(closing.row, id.seq, actor);
        }
    }

    pub(crate) fn put_item(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        named: &Named,
        flags: ItemFlags,
        own: OwnStatus,
    ) {
        let summary = flags.has(ItemFlags::SUMMARY);
        let derived = summary || envelope.origin == Origin::Derived;
        let tier = if derived {
            self.least_tier(envelope.linked(LinkKind::RestsOn), envelope.tier_cap)
        } else {
            envelope.tier()
        };
        let flags = flags
            .with(ItemFlags::DERIVED, derived)
            .with(ItemFlags::SESSION_ONLY, envelope.scope.session_only);
        self.items.put(Item {
            id: stored.id,
            flags,
            own,
            before: own,
            origin: envelope.origin,
            tier,
            guard: if summary { tier.0 } else { first_guard(tier, &envelope.actor, own) },
            invalidator: 0,
            broken_by: 0,
            pinner: 0,
            decider: if own == OwnStatus::Active { envelope.actor.rank.level() } else { 0 },
            cell: named.cell,
            session: named.session.unwrap_or_default(),
            actor: named.actor,
            recorded_at: stored.recorded_at,
            occurred_at: envelope.occurred_at,
            invalidated_at: stored.recorded_at,
        });
        self.touch(stored.id, stored.seq());
    }

    /// The tier of a derived item: the least of its sources' and of the importer's cap,
    /// and the lowest of all where it names no source.
    pub(crate) fn least_tier(
        &self,
        sources: impl Iterator<Item = RecordId>,
        cap: Option<u8>,
    ) -> Tier {
        let tiers = sources.map(|id| self.items.get(&id.seq).map_or(Tier(0), |item| item.tier));
        let least = tiers.min().unwrap_or(Tier(0));
        least.min(cap.map_or(Tier::USER, Tier)).max(Tier(1))
    }

    /// Takes note of a confirmation or a restatement.
    ///
    /// Evidence from outside (a user or above, or a verified outcome) raises the guard
    /// and is a justification of its own; a person's word also ends a dispute.
    ///
    /// A restatement of what was trusted less raises it to that at most: otherwise words that
    /// were only lifted out of turns could not end what such words say.
    pub(crate) fn hear(
        &mut self,
        event: Seq,
        target: Seq,
        (actor, tier_cap): (&Actor<'_>, Option<u8>),
        verified: bool,
    ) {
        let person = actor.rank >= Rank::User;
        if !person && !verified {
            return;
        }
        self.raise_guard_to(target, guard_of(actor, tier_cap));
        if self
            .justifications
            .range((target, Seq(0), Seq(0))..=(target, Seq::MAX, Seq::MAX))
            .next()
            .is_some()
        {
            self.justify(target, event, [event]);
        }
        if person {
            self.clear_disputes(target);
        }
        self.settle(target);
    }

    pub(crate) fn raise_guard(&mut self, target: Seq, actor: &Actor<'_>) {
        self.raise_guard_to(target, guard_of(actor, None));
    }

    fn raise_guard_to(&mut self, target: Seq, guard: u8) {
        self.change(target, |item| {
            if item.own != OwnStatus::Erased && !item.is_summary() {
                item.guard = item.guard.max(guard);
            }
        });
    }

    fn count_restatement(&mut self, target: Seq, event: Seq) {
        self.repeats.push(Repeat { item: target, event });
        if let Some(mut assertion) = self.assertions.get(&target) {
            assertion.restated = assertion.restated.saturating_add(1);
            self.assertions.put(assertion);
        }
    }

    /// Other words for what the row says, from one who might have written it: said again,
    /// they are its own, also once it is declared wrong.
    fn put_wording(&mut self, target: Seq, envelope: &Envelope<'_>, text: &str) {
        let guard = self.items.get(&target).map_or(u8::MAX, |item| item.guard);
        if envelope.actor.rank.level() >= guard {
            let says = text_key(envelope.scope.room(), text, &envelope.actor.name);
            self.wordings.put(Wording { says, seq: target });
        }
    }

    fn reopen(&mut self, target: Seq) {
        self.change(target, |item| {
            if item.own == OwnStatus::Invalidated {
                item.own = item.before;
                item.invalidator = 0;
            }
        });
        self.cascade(target);
    }

    /// A superseding row takes the pin over only from one of no higher rank.
    pub(crate) fn move_pin(&mut self, from: Seq, to: Seq, actor: &Actor<'_>) {
        let pinner = self.items.get(&from).map_or(0, |item| item.pinner);
        let active = self.items.get(&to).is_some_and(|item| item.own == OwnStatus::Active);
        if pinner > 0 && active && actor.rank.level() >= pinner {
            self.moved_pins.put(MovedPin { to, from, pinner });
            self.set_pin(from, |_| 0);
            self.set_pin(to, |own| own.max(pinner));
        }
    }

    fn dispute(&mut self, disputed: &[RecordId], by: Seq, event: Seq) {
        for id in disputed {
            self.touch(*id, event);
            self.put_dispute(id.seq, by);
        }
    }

    pub(crate) fn put_dispute(&mut self, memory: Seq, by: Seq) {
        self.disputes.put(Dispute { memory, by });
        self.challenges.put(Challenge { by, memory });
    }

    pub(crate) fn remove_dispute(&mut self, memory: Seq, by: Seq) {
        self.disputes.remove(&(memory, by));
        self.challenges.remove(&(by, memory));
    }

    fn clear_disputes(&mut self, memory: Seq) {
        for by in self.disputed_by(memory).collect::<Vec<_>>() {
            self.remove_dispute(memory, by);
        }
    }

    /// A proposal that is gone disputes nothing any more.
    pub(crate) fn withdraw_challenges(&mut self, by: Seq) {
        let challenged: Vec<Seq> =
            self.challenges.range((by, Seq(0))..=(by, Seq::MAX)).map(|row| row.memory).collect();
        for memory in challenged {
            self.remove_dispute(memory, by);
        }
    }

    pub(crate) fn touch(&mut self, target: RecordId, event: Seq) {
        if target.seq <= event && self.items.get(&target.seq).is_some() {
            self.touches.push(Touch { item: target.seq, event });
        }
    }

    pub(crate) fn change(&mut self, seq: Seq, change: impl FnOnce(&mut Item)) {
        if let Some(mut item) = self.items.get(&seq) {
            change(&mut item);
            self.items.put(item);
        }
    }
}

/// The guard of a new row: its tier, but for what the owner wrote.
fn first_guard(tier: Tier, actor: &Actor<'_>, own: OwnStatus) -> u8 {
    if actor.rank == Rank::Owner && own == OwnStatus::Active { actor.rank.level() } else { tier.0 }
}

/// The guard that evidence gives: the actor's rank, at most a user's, but for the owner's; of
/// those up to a user at most the cap on their tier.
fn guard_of(actor: &Actor<'_>, tier_cap: Option<u8>) -> u8 {
    match actor.rank {
        Rank::Owner => Rank::Owner.level(),
        Rank::Reviewer => Rank::User.level(),
        Rank::User => Rank::User.level().min(tier_cap.unwrap_or(u8::MAX)),
        Rank::Engine | Rank::Web | Rank::Tool | Rank::Assistant => actor.rank.level(),
    }
}
