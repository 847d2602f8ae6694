//! Staleness: a memory none of whose justifications is intact.
//!
//! What breaks a justification has a rank: that of the invalidation behind it, however
//! many memories lie between. A memory whose guard is above that rank is disputed and
//! stands, so that nobody takes out through a chain what they may not take out at once.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{Key, OwnStatus};
use memlith_log::Seq;

use crate::item::Item;
use crate::justification::{Justification, Support};
use crate::memory::Memory;
use crate::quorum::Quorum;

/// Effect of a member on the justification it stands in.
enum Member {
    Intact,
    /// It doesn't stand, but by a rank below the citer's guard: the citer is disputed.
    Disputing,
    /// It doesn't stand, by this rank.
    Broken(u8),
}

impl Memory {
    /// Adds the justification that the event `given_by` gives to `memory`.
    pub(crate) fn justify(
        &mut self,
        memory: Seq,
        given_by: Seq,
        members: impl IntoIterator<Item = Seq>,
    ) {
        // A word for a summary makes none of its sources true.
        let given_later = memory != given_by;
        if given_later && self.items.get(&memory).is_some_and(|item| item.is_summary()) {
            return;
        }
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

    /// Sets what broke one memory, and the disputes its members raise; says whether it
    /// changed.
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
        let given = rows.chunk_by(|a, b| a.given_by == b.given_by);
        let broken_by = given.map(|given| self.broken_by(given, &item)).min().unwrap_or(0);
        let changed = broken_by != item.broken_by;
        if changed {
            self.change(memory, |item| item.broken_by = broken_by);
        }
        changed
    }

    /// The rank that broke one justification, 0 where it is intact for `citer`.
    pub(crate) fn broken_by(&self, given: &[Justification], citer: &Item) -> u8 {
        let leaf = |row: &&Justification| row.member == row.given_by;
        let mut members = given.iter().filter(|row| !leaf(row)).map(|row| {
            let rank = match self.member(row.member, citer) {
                Member::Broken(rank) => rank,
                Member::Intact | Member::Disputing => 0,
            };
            (row.member, rank)
        });
        let named = given.first().map(|row| (row.memory, row.given_by));
        match named.and_then(|name| self.quorums.get(&name)) {
            Some(quorum) => self.outvoted_by(members, &quorum),
            None => members.by_ref().map(|(_, rank)| rank).max().unwrap_or(0),
        }
    }

    /// The rank that broke a justification of sessions: the least such that fewer of them than
    /// it takes withstand all lower ones. A session is as broken as the worst of its records.
    fn outvoted_by(&self, members: impl Iterator<Item = (Seq, u8)>, quorum: &Quorum) -> u8 {
        let mut sessions: BTreeMap<Key, u8> = BTreeMap::new();
        for (member, rank) in members {
            let session = self.items.get(&member).map_or(Key::default(), |item| item.session);
            let worst = sessions.entry(session).or_default();
            *worst = rank.max(*worst);
        }
        let mut ranks: Vec<u8> = sessions.into_values().collect();
        ranks.sort_unstable();
        ranks.get(quorum.least() - 1).copied().unwrap_or(Item::FINAL)
    }

    fn member(&self, seq: Seq, citer: &Item) -> Member {
        let Some(member) = self.items.get(&seq) else { return Member::Broken(Item::FINAL) };
        let rank = match member.own {
            OwnStatus::Active => member.broken_by,
            // Taken back, it goes by the rank of who did that, as if invalidated.
            OwnStatus::Retracted if member.before != OwnStatus::Pending => {
                member.invalidator.max(member.broken_by)
            }
            OwnStatus::Invalidated if member.before == OwnStatus::Active => {
                member.invalidator.max(member.broken_by)
            }
            // It was never active, or never will be again.
            OwnStatus::Invalidated
            | OwnStatus::Pending
            | OwnStatus::Rejected
            | OwnStatus::Retracted
            | OwnStatus::Erased => Item::FINAL,
        };
        match rank {
            0 => Member::Intact,
            rank if rank < citer.guard && !citer.is_derived() => Member::Disputing,
            rank => Member::Broken(rank),
        }
    }
}
