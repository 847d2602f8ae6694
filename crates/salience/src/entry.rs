//! Invariants
//!
//! 1. `gained` is 0 to [`Log2::ONE`]: what the loop itself may add between two pieces of
//!    evidence from outside is one doubling, so surfacing delays forgetting by at most
//!    one half-life.
//! 2. `penalty` is what the invalidation in force took, exactly: taking it back leaves
//!    the level as if there had been none. It is 0 while the item is active.

use memlith_event::Weight;
use memlith_log::Timestamp;

use crate::{Change, Log2};

/// The salience of one item, free of the time at which it is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// k: `level - Log2::at(now)` is the logarithm of the salience at `now`.
    pub level: Log2,
    /// g: what surfacing and the assistant added since the last evidence from outside.
    pub gained: Log2,
    /// Log2 of the factor that the invalidation in force took; zero or below.
    pub penalty: Log2,
}

/// Result of a change of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Moved {
    /// The entry after it.
    pub entry: Entry,
    /// Whether the budget or the ceiling left less than the whole strength.
    pub clipped: bool,
    /// Whether the level was lifted to one that time alone decides.
    pub reanchored: bool,
}

/// No salience is raised above 10.
pub(crate) const CEILING: Log2 = Log2::of_millionths(10_000_000);

/// A confirmation from outside lifts to at least 0.3: above attenuation (0.15) for a
/// half-life, however old the item is.
const CONFIRMED_FLOOR: Log2 = Log2::of_millionths(300_000);

impl Entry {
    /// The entry of an item that nothing has touched: salience 1 at its own time.
    #[must_use]
    pub fn born(at: Timestamp) -> Entry {
        Entry { level: Log2::at(at), gained: Log2::ZERO, penalty: Log2::ZERO }
    }

    /// The entry after `change` at `at`, which is never before the item's own time.
    ///
    /// `stated` replaces the table's strength; on the wrong side of 1 it counts as 1.
    ///
    /// Source: `docs/model.md`, "Salience", the table of changes, row by row.
    #[must_use]
    pub fn after(self, change: Change, stated: Option<Weight>, at: Timestamp) -> Moved {
        let mut moving =
            Moving { entry: self, at: Log2::at(at), clipped: false, reanchored: false };
        let strength = change.log2(stated);
        match change {
            Change::Surfaced | Change::ConfirmedInside => moving.gain_within_budget(strength),
            Change::ConfirmedOutside => moving.confirm(strength),
            Change::Restated => {
                moving.lift_to(moving.at);
                moving.confirm(strength);
            }
            Change::Promoted => {
                moving.gain(strength);
                moving.lift_to(moving.at);
            }
            Change::Invalidated => moving.penalise(strength),
            Change::ReconfirmedOutside => {
                moving.lift_penalty();
                moving.lift_to(moving.at);
            }
            Change::ReconfirmedInside => moving.lift_penalty(),
            Change::Doubted => {
                moving.weaken(strength);
            }
            Change::Accepted => moving.lift_to(moving.at),
        }
        if change.is_outside() {
            moving.entry.gained = Log2::ZERO;
        }
        let Moving { entry, clipped, reanchored, .. } = moving;
        debug_assert!((Log2::ZERO..=Log2::ONE).contains(&entry.gained), "invariant 1");
        Moved { entry, clipped, reanchored }
    }
}

struct Moving {
    entry: Entry,
    at: Log2,
    clipped: bool,
    reanchored: bool,
}

impl Moving {
    fn gain_within_budget(&mut self, strength: Log2) {
        let left = Log2::ONE.minus(self.entry.gained);
        let added = self.gain(strength.min(left));
        self.clipped |= added < strength;
        self.entry.gained = self.entry.gained.plus(added);
    }

    fn confirm(&mut self, strength: Log2) {
        self.gain(strength);
        self.lift_to(self.at.plus(CONFIRMED_FLOOR));
    }

    /// Adds `strength`, or what is left below the ceiling; returns what it added.
    fn gain(&mut self, strength: Log2) -> Log2 {
        let room = self.at.plus(CEILING).minus(self.entry.level).max(Log2::ZERO);
        let added = strength.min(room);
        self.clipped |= added < strength;
        self.entry.level = self.entry.level.plus(added);
        added
    }

    fn lift_to(&mut self, level: Log2) {
        self.reanchored |= self.entry.level < level;
        self.entry.level = self.entry.level.max(level);
    }

    /// Adds `strength`, which is zero or below; returns what it added: at the end of the
    /// scale that is less.
    fn weaken(&mut self, strength: Log2) -> Log2 {
        let level = self.entry.level.plus(strength);
        let added = level.minus(self.entry.level);
        self.clipped |= added > strength;
        self.entry.level = level;
        added
    }

    fn penalise(&mut self, strength: Log2) {
        let taken = self.weaken(strength);
        self.entry.penalty = self.entry.penalty.plus(taken);
    }

    fn lift_penalty(&mut self) {
        self.entry.level = self.entry.level.minus(self.entry.penalty);
        self.entry.penalty = Log2::ZERO;
    }
}

#[cfg(test)]
mod tests;
