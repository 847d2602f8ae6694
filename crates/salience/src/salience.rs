//! Invariants
//!
//! 1. An item has an entry only after something moved it; until then its level is that
//!    of its own time. An import of a million records costs nothing here.
//! 2. One memory, actor and session gives each sort of evidence once. Only evidence that
//!    was heard is counted: what came while the item was not active is not used up.

use memlith_event::{Content, Facts, ItemFacts, Key, Projection, Stored};
use memlith_log::{Seq, Timestamp};
use memlith_state::{Table, Tabular};

use crate::touched::{Counted, Touched};
use crate::{Change, Claim, Entry, Log2, Moved, Unmoved};

/// How strongly each item competes: a fold of the log, read at any instant.
///
/// Two tables: the entries of touched items, and the evidence that has been counted.
///
/// Cost: an event is O(log n) for each item that it names; a read is O(log n).
#[derive(Clone, Debug, Default)]
pub struct Salience {
    touched: Table<Touched>,
    counted: Table<Counted>,
}

impl Salience {
    /// The entry of the item at `seq`, which was born at `born` (its own `occurred_at`).
    #[must_use]
    pub fn entry(&self, seq: Seq, born: Timestamp) -> Entry {
        self.touched.get(&seq).map_or_else(|| Entry::born(born), |row| row.entry)
    }

    /// Says that these items are asked for soon, so that a disk brings those that lie apart at
    /// once. A hint: it changes no answer.
    pub fn will_need(&self, seqs: &[Seq]) {
        self.touched.will_need(seqs);
    }

    /// The level k of the item at `seq`, which was born at `born`.
    ///
    /// Its salience at any instant, its place in the static order and its weight in
    /// ranking are methods of the level.
    #[must_use]
    pub fn level(&self, seq: Seq, born: Timestamp) -> Log2 {
        self.entry(seq, born).level
    }

    /// Applies `claim` to each of its items that exists.
    fn apply_claim(&mut self, claim: &Claim, facts: &dyn Facts) {
        for target in &claim.targets {
            if let Some(item) = facts.item(*target) {
                // A claim that moves nothing is no fault of the log.
                let _: Result<_, Unmoved> = self.settle(claim, *target, &item);
            }
        }
    }

    /// Applies `claim` to one of its items and says what it did.
    ///
    /// # Errors
    /// [`Unmoved`]: the claim changes no salience of this item.
    pub(crate) fn settle(
        &mut self,
        claim: &Claim,
        target: Seq,
        item: &ItemFacts,
    ) -> Result<(Change, Moved), Unmoved> {
        let change = claim.judged(item)?;
        if let Some(sort) = change.counted() {
            let evidence = Counted::new(target, sort, claim.witness);
            if self.counted.get(&(evidence.item, evidence.sort, evidence.witness)).is_some() {
                return Err(Unmoved::Repeated);
            }
            self.counted.put(evidence);
        }
        let before = self.entry(target, item.occurred_at);
        let at = claim.occurred_at.max(item.occurred_at);
        let moved = before.after(change, claim.weight, at);
        if moved.entry != before {
            self.touched.put(Touched { item: target, entry: moved.entry });
        }
        Ok((change, moved))
    }

    /// How many pieces of evidence from outside were counted for the item at `seq`.
    #[must_use]
    pub fn evidence_count(&self, seq: Seq) -> usize {
        self.counted.range((seq, 0, Key([0; 16]))..=(seq, u8::MAX, Key::MAX)).count()
    }
}

impl Projection for Salience {
    fn apply(&mut self, stored: &Stored<'_>, facts: &dyn Facts) {
        let Content::Event(body) = &stored.content else { return };
        if let Some(claim) = Claim::of(body) {
            self.apply_claim(&claim, facts);
        }
    }

    fn tables(&self) -> Vec<&dyn Tabular> {
        vec![&self.touched, &self.counted]
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        vec![&mut self.touched, &mut self.counted]
    }
}

#[cfg(test)]
pub(crate) mod tests;
