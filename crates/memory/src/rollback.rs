//! Rollback: the result of a decision is taken back, and what it ended goes on.

use std::ops::RangeInclusive;

use memlith_event::{
    Body, Closing, Envelope, Event, Key, Match, OwnStatus, ReviewEvent, RolledBack, Stored, Text,
};
use memlith_log::{RecordId, Seq, Timestamp};

use crate::assertion::Assertion;
use crate::authority::Authority;
use crate::closing::ClosingRow;
use crate::command::{Door, Remember};
use crate::ending::Ending;
use crate::item::Item;
use crate::memory::Memory;
use crate::moved_pin::MovedPin;
use crate::reconcile::Met;
use crate::rejection::Rejection;
use crate::review::as_its_reviewer;

impl Memory {
    /// The event that takes back the result of a decision.
    pub(crate) fn decide_rollback(
        &self,
        target: RecordId,
        reason: Option<&str>,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let item = self.target(target, door)?;
        check_result(&item, door)?;
        let opened = self.ended_by(target.seq);
        let mut closings = Vec::new();
        for closing in &opened {
            let Some(row) = self.met(closing.row, Match::Slot) else { continue };
            let stands = row.item.own == OwnStatus::Active && !row.item.is_stale();
            if stands {
                let unsaid = Remember::default();
                self.check_content(&as_its_reviewer(&row.assertion, &unsaid), &row.item, door)?;
            }
            closings.extend(self.ends_instead(&row, target.seq));
        }
        closings.sort_unstable();
        closings.dedup();
        let reason = reason.map(|text| Text::from(text.to_owned()));
        let event = RolledBack { targets: vec![target], opened, closings, reason };
        let event = Event::Review(ReviewEvent::RolledBack(event));
        Ok(vec![Body { envelope: door.envelope(Vec::new()), event }])
    }

    /// The ends that the memory at `by` sets to others, ascending.
    #[must_use]
    pub fn ended_by(&self, by: Seq) -> Vec<Closing> {
        self.endings_among((by, Seq(0))..=(by, Seq::MAX))
    }

    /// The ends that memories from `first` on set to others, by row.
    ///
    /// Cost: their number.
    #[must_use]
    pub fn ended_since(&self, first: Seq) -> Vec<Closing> {
        self.endings_among((first, Seq(0))..=(Seq::MAX, Seq::MAX))
    }

    /// The ends that others set to the memory at `row`, the earliest first.
    #[must_use]
    pub fn ends_of(&self, row: Seq) -> Vec<Closing> {
        let rows = self.closings.range((row, Seq(0))..=(row, Seq::MAX));
        let mut ends: Vec<Closing> =
            rows.map(|ClosingRow { row, by, at }| Closing { row, by, at }).collect();
        ends.sort_unstable_by_key(|end| (end.at, end.by));
        ends
    }

    fn endings_among(&self, range: RangeInclusive<(Seq, Seq)>) -> Vec<Closing> {
        let rows = self.endings.range(range);
        let closings = rows.filter_map(|ending| self.closings.get(&(ending.row, ending.by)));
        let mut ended: Vec<Closing> =
            closings.map(|ClosingRow { row, by, at }| Closing { row, by, at }).collect();
        ended.sort_unstable();
        ended
    }

    /// Lists the ends of `row` without the memory at `without`: what ends that one, and a row that
    /// has said the same since.
    fn ends_instead(&self, row: &Met, without: Seq) -> Vec<Closing> {
        let id = row.item.id.seq;
        let inherited = self.closings.range((without, Seq(0))..=(without, Seq::MAX));
        let inherited = inherited.map(|end| (end.by, end.at));
        let unsaid = Remember::default();
        let says = self.meet(as_its_reviewer(&row.assertion, &unsaid).says).into_iter();
        let again = says.filter(|met| {
            met.matched == Match::Text
                && met.item.own == OwnStatus::Active
                && met.assertion.slot == row.assertion.slot
                && self.is_open(&met.assertion, row.assertion.valid_from)
        });
        let again = again
            .map(|met| (met.item.id.seq, met.assertion.valid_from.max(row.assertion.valid_from)));
        let ends = inherited.chain(again).filter(|(by, _)| *by != id && *by != without);
        ends.map(|(by, at)| Closing { row: id, by, at }).collect()
    }

    pub(crate) fn fold_rollback(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        event: &RolledBack<'_>,
    ) {
        let rank = envelope.actor.rank.level();
        for closing in &event.opened {
            self.closings.remove(&(closing.row, closing.by));
            self.endings.remove(&(closing.by, closing.row));
            if let Some(item) = self.items.get(&closing.row) {
                self.touch(item.id, stored.seq());
            }
        }
        for closing in &event.closings {
            self.put_closing(closing);
        }
        for target in &event.targets {
            self.touch(*target, stored.seq());
            self.retract(target.seq, rank, stored.recorded_at);
        }
    }

    pub(crate) fn put_closing(&mut self, closing: &Closing) {
        let Closing { row, by, at } = *closing;
        self.closings.put(ClosingRow { row, by, at });
        self.endings.put(Ending { by, row });
    }

    fn retract(&mut self, target: Seq, rank: u8, at: Timestamp) {
        let Some(item) = self.items.get(&target).filter(is_result) else { return };
        self.change(target, |item| {
            item.before = item.own;
            item.own = OwnStatus::Retracted;
            item.invalidator = item.invalidator.max(rank);
            item.invalidated_at = at;
        });
        self.set_pin(target, |_| 0);
        let placed = self.assertions.get(&target).filter(|row| row.slot != Key::default());
        if let Some(Assertion { slot, valid_from, .. }) = placed {
            self.slots.remove(&(slot, valid_from, target));
        }
        if item.is_pinned() {
            self.give_pin_back(target);
        }
        self.cascade(target);
    }

    /// To the row that had it, or where that one was taken back too, to the one before.
    fn give_pin_back(&mut self, from: Seq) {
        let mut left = vec![from];
        while let Some(to) = left.pop() {
            let moved: Vec<MovedPin> =
                self.moved_pins.range((to, Seq(0))..=(to, Seq::MAX)).collect();
            for MovedPin { from, pinner, .. } in moved.into_iter().filter(|pin| pin.from < to) {
                let own = self.items.get(&from).map(|item| item.own);
                if own == Some(OwnStatus::Retracted) {
                    left.push(from);
                } else {
                    self.set_pin(from, |own| own.max(pinner));
                }
            }
        }
    }
}

/// Whether it is what a decision made, and can be taken back.
fn is_result(item: &Item) -> bool {
    !item.is_record() && matches!(item.own, OwnStatus::Active | OwnStatus::Invalidated)
}

/// A rollback takes the item out: it needs the rank of who decided, of the item's guard,
/// and of who invalidated it.
fn check_result(item: &Item, door: &Door) -> Result<(), Rejection> {
    let id = item.id;
    let refuse = |authority| Err(Rejection::Status { id, authority, command: "rolled back" });
    if item.is_record() {
        return Err(Rejection::IsRecord { id, command: "rolled back" });
    }
    match item.own {
        OwnStatus::Active | OwnStatus::Invalidated => {}
        OwnStatus::Pending => return refuse(Authority::Pending),
        OwnStatus::Rejected => return refuse(Authority::Rejected),
        OwnStatus::Retracted => return refuse(Authority::Retracted),
        OwnStatus::Erased => return refuse(Authority::Erased),
    }
    let needed = item.decider.max(item.guard).max(item.invalidator);
    let found = door.actor.rank;
    if found.level() < needed {
        return Err(Rejection::Rank { id, needed, found });
    }
    Ok(())
}
