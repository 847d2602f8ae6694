//! Staleness: a memory none of whose justifications is intact.

use std::collections::BTreeSet;

use memlith_event::OwnStatus;
use memlith_log::Seq;

use crate::item::{Item, ItemFlags};
use crate::justification::{Justification, Support};
use crate::memory::Memory;

/// What a member does to the justification it stands in.
enum Member {
    Intact,
    /// Invalidated, but by a rank below the citer's guard: the citer is disputed.
    Disputing,
    Broken,
}

impl Memory {
    /// Adds the justification that the event `given_by` gives to `memory`.
    pub(crate) fn justify(
        &mut self,
        memory: Seq,
        given_by: Seq,
        members: impl IntoIterator<Item = Seq>,
    ) {
        for member in members {
            self.justifications.put(Justification { memory, given_by, member });
            self.supports.put(Support { member, memory });
        }
    }

    /// Recomputes `memory`, and all that rests on it if that changed.
    pub(crate) fn settle(&mut self, memory: Seq) {
        if self.recompute(memory) {
            self.cascade(memory);
        }
    }

    /// Recomputes everything that rests on `changed`, in ascending order: members come
    /// before what they support, so one pass reaches the least fixpoint.
    pub(crate) fn cascade(&mut self, changed: Seq) {
        let mut waiting: BTreeSet<Seq> = self.resting_on(changed).collect();
        while let Some(memory) = waiting.pop_first() {
            if self.recompute(memory) {
                waiting.extend(self.resting_on(memory));
            }
        }
    }

    /// Sets the stale flag of one memory and the disputes its members raise; says
    /// whether the flag changed.
    fn recompute(&mut self, memory: Seq) -> bool {
        let Some(item) = self.items.get(&memory) else { return false };
        let range = (memory, Seq(0), Seq(0))..=(memory, Seq::MAX, Seq::MAX);
        let rows: Vec<Justification> = self.justifications.range(range).collect();
        for row in &rows {
            let disputes = row.member != row.given_by
                && matches!(self.member(row.member, &item), Member::Disputing);
            if disputes {
                self.put_dispute(memory, row.member);
            } else if self.disputes.get(&(memory, row.member)).is_some() {
                self.remove_dispute(memory, row.member);
            }
        }
        let stale = !rows.is_empty()
            && !rows
                .chunk_by(|a, b| a.given_by == b.given_by)
                .any(|given| self.is_intact(given, &item));
        let changed = stale != item.is_stale();
        if changed {
            self.change(memory, |item| item.flags = item.flags.with(ItemFlags::STALE, stale));
        }
        changed
    }

    /// Whether every member of one justification is intact for `citer`.
    pub(crate) fn is_intact(&self, given: &[Justification], citer: &Item) -> bool {
        given.iter().all(|row| {
            row.member == row.given_by || !matches!(self.member(row.member, citer), Member::Broken)
        })
    }

    fn member(&self, seq: Seq, citer: &Item) -> Member {
        let Some(member) = self.items.get(&seq) else { return Member::Broken };
        match member.own {
            OwnStatus::Active if member.is_stale() => Member::Broken,
            OwnStatus::Active => Member::Intact,
            OwnStatus::Invalidated if citer.is_derived() || member.invalidator >= citer.guard => {
                Member::Broken
            }
            // A pending row that was invalidated was never active.
            OwnStatus::Invalidated if member.before != OwnStatus::Active => Member::Broken,
            OwnStatus::Invalidated => Member::Disputing,
            OwnStatus::Pending | OwnStatus::Rejected | OwnStatus::Retracted | OwnStatus::Erased => {
                Member::Broken
            }
        }
    }
}
