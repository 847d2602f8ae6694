//! Invariants
//!
//! 1. An item has an entry only after something moved it; until then its level is that
//!    of its own time. An import of a million records costs nothing here.
//! 2. One memory, actor and session gives each sort of evidence once. Only evidence that
//!    was heard is counted: what came while the item was not active is not used up.

use memlith_event::{Content, Facts, ItemFacts, Key, Projection, SaliencePolicy, Stored, Weight};
use memlith_log::{Seq, Timestamp};
use memlith_state::{Table, Tabular};

use crate::mirror::{self, Mirror};
use crate::touched::{Counted, Touched};
use crate::{Change, Claim, Entry, Log2, Moved, Unmoved};

/// How strongly each item competes: a fold of the log, read at any instant.
///
/// Three tables: the entries of touched items, the evidence that has been counted, and, under
/// the policy `compat-zaxy` and instead of them, its factors.
///
/// A fold is under one policy from its first event to its last. It reads no choice of policy:
/// whoever folds knows the one that is in force at the end, and begins again under another
/// where that changes.
///
/// Cost: an event is O(log n) for each item that it names; a read is O(log n).
#[derive(Clone, Debug, Default)]
pub struct Salience {
    policy: SaliencePolicy,
    touched: Table<Touched>,
    counted: Table<Counted>,
    mirrors: Table<Mirror>,
}

impl Salience {
    /// The fold of nothing under `policy`.
    #[must_use]
    pub fn under(policy: SaliencePolicy) -> Salience {
        Salience { policy, ..Salience::default() }
    }

    /// The policy that the fold is under.
    #[must_use]
    pub fn policy(&self) -> SaliencePolicy {
        self.policy
    }

    /// Says under which policy the tables were folded that are put in here.
    pub fn set_policy(&mut self, policy: SaliencePolicy) {
        self.policy = policy;
    }

    /// The entry of the item at `seq`, which was born at `born` (its own `occurred_at`).
    #[must_use]
    pub fn entry(&self, seq: Seq, born: Timestamp) -> Entry {
        self.touched.get(&seq).map_or_else(|| Entry::born(born), |row| row.entry)
    }

    /// Says that these items are asked for soon, so that a disk brings those that lie apart at
    /// once. A hint: it changes no answer.
    pub fn will_need(&self, seqs: &[Seq]) {
        self.touched.will_need(seqs);
        self.mirrors.will_need(seqs);
    }

    /// The level k, to be read at `now`, of the item at `seq`, which was born at `born`.
    ///
    /// Its salience, its place in the order and its weight in ranking are methods of the
    /// level. Under `compat-zaxy` alone does it depend on `now`: what nothing touched doesn't
    /// decay there.
    #[must_use]
    pub fn level(&self, seq: Seq, born: Timestamp, now: Timestamp) -> Log2 {
        if self.policy != SaliencePolicy::CompatZaxy {
            return self.entry(seq, born).level;
        }
        let untouched = Log2::at(now);
        self.mirrors
            .get(&seq)
            .map_or(untouched, |item| item.factor().plus(item.decay(now)).plus(untouched))
    }

    /// The factor of the item at `seq` under `compat-zaxy`, and its decay at `now`.
    pub(crate) fn mirrored(&self, seq: Seq, now: Timestamp) -> (Log2, Log2) {
        let mirror = self.mirrors.get(&seq);
        mirror.map_or((Log2::ZERO, Log2::ZERO), |item| (item.factor(), item.decay(now)))
    }

    /// Applies `claim` to each of its items that exists.
    fn apply_claim(&mut self, claim: &Claim, facts: &dyn Facts) {
        for target in &claim.targets {
            let Some(item) = facts.item(*target) else { continue };
            // A claim that moves nothing is no fault of the log.
            if self.policy == SaliencePolicy::CompatZaxy {
                let _: Result<_, Unmoved> = self.mirror(claim, *target, &item);
            } else {
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
        if change == Change::Surfaced && self.policy == SaliencePolicy::AttestedOnly {
            return Err(Unmoved::Policy);
        }
        if let Some(sort) = change.counted() {
            let evidence = Counted::new(target, sort, claim.witness);
            if self.counted.get(&(evidence.item, evidence.sort, evidence.witness)).is_some() {
                return Err(Unmoved::Repeated);
            }
            self.counted.put(evidence);
        }
        let before = self.entry(target, item.occurred_at);
        let at = claim.occurred_at.max(item.occurred_at);
        let moved = before.after(change, claim.strength(change), at);
        if moved.entry != before {
            self.touched.put(Touched { item: target, entry: moved.entry });
        }
        Ok((change, moved))
    }

    /// Applies `claim` to one of its items as Zaxy would, and says with which strength and
    /// whether that was clipped.
    ///
    /// # Errors
    /// [`Unmoved::Policy`]: Zaxy knows no such claim.
    pub(crate) fn mirror(
        &mut self,
        claim: &Claim,
        target: Seq,
        item: &ItemFacts,
    ) -> Result<(Change, Weight, bool), Unmoved> {
        let change = mirror::row_of(claim.act)?;
        let table = change.strength().ok_or(Unmoved::Policy)?;
        let weight = claim.strength(change).unwrap_or(table);
        let before = self.mirrors.get(&target);
        let before = before.unwrap_or_else(|| Mirror::born(target, item.occurred_at));
        let (after, clipped) = before.after(weight, claim.occurred_at);
        self.mirrors.put(after);
        Ok((change, weight, clipped))
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
        vec![&self.touched, &self.counted, &self.mirrors]
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        vec![&mut self.touched, &mut self.counted, &mut self.mirrors]
    }
}

#[cfg(test)]
pub(crate) mod tests;
