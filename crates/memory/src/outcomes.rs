//! Counts of outcomes of items, by what the answers were for, as a fold.
//!
//! Invariants
//! 1. A row stands for outcomes that were counted; no item without one has a row.
//! 2. `Tally` of an item and a purpose is the number of rows of `Heard` with both, by result.

use memlith_event::{Envelope, Key, OwnStatus, Purpose, Rank, Reported, Stored, TaskResult};
use memlith_log::Seq;
use memlith_state::{Fields, Row};

use crate::memory::Memory;

/// How answers for one purpose did that cited an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Outcomes that bore it out, each actor's once a session.
    pub successes: u32,
    /// Verified failures, counted in the same way.
    pub failures: u32,
}

/// The tally of an item for a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tallied {
    item: Seq,
    purpose: u8,
    tally: Tally,
}

/// An outcome that has been counted: it stands for presence alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    item: Seq,
    purpose: u8,
    /// 0 for a success, 1 for a failure.
    sort: u8,
    witness: Key,
}

const SUCCESS: u8 = 0;
const FAILURE: u8 = 1;

impl Memory {
    /// Returns the tally of the item at `seq` for `purpose`: how answers that cited it did.
    ///
    /// Of primary items alone, and never for general.
    #[must_use]
    pub fn tally(&self, seq: Seq, purpose: Purpose) -> Tally {
        self.tallies.get(&(seq, purpose.code())).map_or_else(Tally::default, |row| row.tally)
    }

    /// Counts what was reported of the item at `target`, which is as it was just before.
    ///
    /// Only what salience hears from outside counts, under the same conditions: a success of
    /// a person or a verified one; a verified failure, from no rank below the guard.
    pub(crate) fn learn(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        reported: &Reported<'_>,
        target: Seq,
    ) {
        let purpose = reported.purpose.as_ref().and_then(|name| name.parse::<Purpose>().ok());
        let Some(purpose) = purpose.filter(|purpose| *purpose != Purpose::General) else { return };
        let item = self.items.get(&target).filter(|_| target < stored.seq());
        let Some(item) = item.filter(|item| item.own == OwnStatus::Active) else { return };
        let rank = envelope.actor.rank;
        let sort = match reported.result {
            TaskResult::Success if reported.verified || rank >= Rank::User => SUCCESS,
            TaskResult::Failure if reported.verified && rank.level() >= item.guard => FAILURE,
            TaskResult::Success | TaskResult::Failure | TaskResult::Partial => return,
        };
        let heard =
            Heard { item: target, purpose: purpose.code(), sort, witness: envelope.witness() };
        if item.is_derived() || self.heard.get(&heard.key()).is_some() {
            return;
        }
        self.heard.put(heard);
        let mut tally = self.tally(target, purpose);
        let count = if sort == SUCCESS { &mut tally.successes } else { &mut tally.failures };
        *count = count.saturating_add(1);
        self.tallies.put(Tallied { item: target, purpose: purpose.code(), tally });
    }
}

impl Row for Tallied {
    type Key = (Seq, u8);
    const NAME: &'static str = "outcomes";
    const WIDTH: usize = 8 + 1 + 4 + 4;

    fn key(&self) -> (Seq, u8) {
        (self.item, self.purpose)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0.to_le_bytes());
        out.push(self.purpose);
        out.extend(self.tally.successes.to_le_bytes());
        out.extend(self.tally.failures.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Tallied {
        let (item, purpose) = (Seq(fields.u64()), fields.u8());
        let tally = Tally { successes: fields.u32(), failures: fields.u32() };
        Tallied { item, purpose, tally }
    }
}

impl Row for Heard {
    type Key = (Seq, u8, u8, Key);
    const NAME: &'static str = "outcomes_heard";
    const WIDTH: usize = 8 + 1 + 1 + Key::WIDTH;

    fn key(&self) -> (Seq, u8, u8, Key) {
        (self.item, self.purpose, self.sort, self.witness)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0.to_le_bytes());
        out.extend([self.purpose, self.sort]);
        out.extend(self.witness.0);
    }

    fn read(fields: &mut Fields<'_>) -> Heard {
        let (item, purpose, sort) = (Seq(fields.u64()), fields.u8(), fields.u8());
        Heard { item, purpose, sort, witness: Key::read(fields) }
    }
}
