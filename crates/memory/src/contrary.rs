//! Contents of a slot, and statements against it: the value that holds, and a denial of the value.
//!
//! A denial is a slot of its own: its predicate begins with "not", and each value that is
//! denied is one. So "not lives_in Pune" stands beside "lives_in Oslo", and never beside
//! "lives_in Pune".

use std::ops::RangeInclusive;

use memlith_event::{Closing, Key, Match, OwnStatus, Slot};
use memlith_log::{Seq, Timestamp};
use memlith_text::normalised;

use crate::memory::Memory;
use crate::reconcile::{Met, Newcomer};
use crate::slot_key::{slot_key, value_key};
use crate::slot_row::SlotRow;

/// Beginning of the predicate of a denial.
const DENIES: &str = "not ";

/// A slot that says the opposite of another, as long as it holds this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contrary {
    pub(crate) slot: Key,
    pub(crate) value: Key,
}

/// Lists the slots that say the opposite of `slot`, whether the property has one value at a time or
/// many.
pub(crate) fn contraries(room: Key, slot: &Slot<'_>) -> Vec<Contrary> {
    let predicate = normalised(&slot.predicate);
    let other = match predicate.strip_prefix(DENIES) {
        Some(denied) => denied.to_owned(),
        None => format!("{DENIES}{predicate}"),
    };
    let opposite = |single| Slot { predicate: other.clone().into(), single, ..slot.clone() };
    let contrary =
        |slot: Slot<'_>| Contrary { slot: slot_key(room, &slot), value: value_key(room, &slot) };
    [true, false].map(|single| contrary(opposite(single))).to_vec()
}

impl Memory {
    /// The live row of the newcomer's slot that holds at its valid_from.
    pub(crate) fn held(&self, newcomer: &Newcomer<'_>) -> Option<Met> {
        self.holds(newcomer.slot?, None, newcomer)
    }

    /// The live rows that say the opposite of the newcomer at its valid_from.
    pub(crate) fn opposed(&self, newcomer: &Newcomer<'_>) -> Vec<Met> {
        let opposed = newcomer.contraries.iter();
        opposed.filter_map(|one| self.holds(one.slot, Some(one.value), newcomer)).collect()
    }

    /// Whether a row of the newcomer's slot holds, or one that says the opposite.
    pub(crate) fn meets_its_slot(&self, newcomer: &Newcomer<'_>) -> bool {
        self.held(newcomer).is_some() || !self.opposed(newcomer).is_empty()
    }

    /// The live row that holds in `slot` at the newcomer's valid_from, if it is of the value.
    fn holds(&self, slot: Key, value: Option<Key>, newcomer: &Newcomer<'_>) -> Option<Met> {
        let rows: Vec<Seq> =
            self.slots.range(up_to(slot, newcomer.valid_from)).map(|row| row.seq).collect();
        let held =
            rows.into_iter().rev().filter_map(|seq| self.met(seq, Match::Slot)).find(|met| {
                met.item.own == OwnStatus::Active
                    && !met.item.is_stale()
                    && self.is_open(&met.assertion, newcomer.valid_from)
            });
        held.filter(|met| value.is_none_or(|value| met.assertion.value == value))
    }

    /// The ends that the row at `seq` sets: to what it displaces, and to itself where a
    /// later row of its slot, or one that says the opposite, stands already.
    pub(crate) fn closings_of(
        &self,
        newcomer: &Newcomer<'_>,
        displaced: &[Met],
        seq: Seq,
    ) -> Vec<Closing> {
        let end = |met: &Met| Closing { row: met.item.id.seq, by: seq, at: newcomer.valid_from };
        let mut closings: Vec<Closing> = displaced.iter().map(end).collect();
        if let Some(slot) = newcomer.slot {
            closings.extend(self.ended_before(slot, None, newcomer, displaced, seq));
            for one in &newcomer.contraries {
                let value = Some(one.value);
                closings.extend(self.ended_before(one.slot, value, newcomer, displaced, seq));
            }
            let opposite = newcomer.contraries.iter().filter_map(|one| {
                self.begins_after(one.slot, Some(one.value), newcomer.valid_from)
            });
            let next = self.begins_after(slot, None, newcomer.valid_from);
            let next = next.into_iter().chain(opposite).min_by_key(|row| (row.valid_from, row.seq));
            closings.extend(next.map(|next| Closing {
                row: seq,
                by: next.seq,
                at: next.valid_from,
            }));
        }
        closings.sort_unstable();
        closings
    }

    /// A row that doesn't stand keeps its place: should it stand again, it ended here.
    fn ended_before(
        &self,
        slot: Key,
        value: Option<Key>,
        newcomer: &Newcomer<'_>,
        displaced: &[Met],
        seq: Seq,
    ) -> Option<Closing> {
        let places = self.slots.range(up_to(slot, newcomer.valid_from));
        let places: Vec<SlotRow> = places.filter(|row| self.says(row, value)).collect();
        let open = |row: &&SlotRow| {
            let assertion = self.assertions.get(&row.seq);
            assertion.is_some_and(|row| self.is_open(&row, newcomer.valid_from))
        };
        // One that was accepted late may stand before an older one of the same instant.
        let before = places.iter().rev().find(open).or(places.last());
        let ends = before.filter(|row| displaced.iter().all(|met| met.item.id.seq != row.seq));
        ends.map(|row| Closing { row: row.seq, by: seq, at: newcomer.valid_from })
    }

    /// The first row of the slot, of this value where one is named, that begins after.
    fn begins_after(&self, slot: Key, value: Option<Key>, after: Timestamp) -> Option<SlotRow> {
        let later = Timestamp(after.0.saturating_add(1));
        let mut rows =
            self.slots.range((slot, later, Seq(0))..=(slot, Timestamp(i64::MAX), Seq::MAX));
        rows.find(|row| self.says(row, value))
    }

    /// Whether the row is of the value, where one is named.
    fn says(&self, row: &SlotRow, value: Option<Key>) -> bool {
        value
            .is_none_or(|value| self.assertions.get(&row.seq).is_some_and(|row| row.value == value))
    }
}

/// The places of a slot that begin at or before `instant`.
fn up_to(slot: Key, instant: Timestamp) -> RangeInclusive<(Key, Timestamp, Seq)> {
    (slot, Timestamp(i64::MIN), Seq(0))..=(slot, instant, Seq::MAX)
}
