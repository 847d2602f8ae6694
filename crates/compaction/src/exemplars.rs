//! Choosing what is quoted: greedy maximum coverage.
//!
//! Every round takes the item whose excerpt adds most worth, the earliest of equal ones
//! (Nemhauser, Wolsey and Fisher 1978: at least 1 - 1/e of what any choice of as many could
//! add). A heap holds gains that may be out of date and never too small, so the first that
//! is found up to date is the greatest (Minoux 1978).
//!
//! Gains are kept exact by inverted lists: a term that is covered is taken from the gains of
//! all whose excerpts show it, and that happens once for a term. So all updates together
//! are the number of terms shown, no item is put back more often than its gain changed, and
//! a choice costs n log n in the terms shown, whatever the texts are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use memlith_log::Seq;
use memlith_salience::Log2;

use crate::Work;
use crate::coverage::Coverage;
use crate::lists::{number, place};

/// An item is represented that is quoted, or of whose terms, weighed by their rarity, at
/// least so many hundredths are.
pub const COVERED_PERCENT: u32 = 80;

/// Of the salience of the top tenth at least so many hundredths are represented.
pub const PRESERVED_PERCENT: u32 = 95;

/// A tenth, a started one counting, is the top decile.
pub(crate) const DECILE: usize = 10;

/// Divisor of the worth of an average item: an excerpt that adds less isn't quoted.
pub(crate) const AVERAGE_PARTS: u64 = 8;

type Entry = (u64, Reverse<u32>);

struct Choosing<'a> {
    coverage: &'a Coverage,
    covered: Vec<bool>,
    items: Vec<Choice>,
    chosen: Vec<u32>,
    /// The weight of the items that call to be represented and aren't yet.
    missing: u64,
    work: &'a mut Work,
}

/// The state of an item while others are chosen.
#[derive(Clone, Copy, Default)]
struct Choice {
    /// The worth that its excerpt would add.
    gain: u64,
    /// The rarities of its terms that are covered.
    covered: u64,
    calls: bool,
    represented: bool,
    chosen: bool,
}

/// How many items may be quoted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For the span's own sake.
    pub(crate) own: usize,
    /// With those that are quoted because they are salient among all spans.
    pub(crate) all: usize,
}

/// The items to quote, in the order of choice.
///
/// First those that the top decile by salience calls for: of its items that aren't
/// represented the one that adds most, until [`PRESERVED_PERCENT`] of its weight is. Then
/// the same of those that are `called` for: the items of the span that are in the top decile
/// of all spans. Then whatever adds most.
pub(crate) fn choose(
    coverage: &Coverage,
    (top, called): (&[u32], &[u32]),
    limits: Limits,
    work: &mut Work,
) -> Vec<u32> {
    let mut choosing = Choosing::new(coverage, work);
    choosing.represent(top, limits.own);
    choosing.represent(called, limits.all);
    choosing.spread(limits.own);
    choosing.chosen
}

/// Whether an item is represented of whose terms so much of their rarities is covered.
pub(crate) fn is_covered(covered: u64, all: u64) -> bool {
    covered * 100 >= all * u64::from(COVERED_PERCENT)
}

/// The top decile of items at these levels, by their static order.
pub(crate) fn top_decile(levels: &[(Log2, Seq)]) -> Vec<u32> {
    let mut order: Vec<u32> = (0_u32..).zip(levels).map(|(item, _)| item).collect();
    let key = |item: &u32| levels.get(place(*item)).map(|(level, seq)| level.order(*seq));
    order.sort_by_key(key);
    order.truncate(levels.len().div_ceil(DECILE));
    order
}

impl<'a> Choosing<'a> {
    fn new(coverage: &'a Coverage, work: &'a mut Work) -> Choosing<'a> {
        let worth = |term: &u32| coverage.worth.get(place(*term)).copied().unwrap_or_default();
        let items: Vec<Choice> = (0_u32..)
            .zip(&coverage.weights)
            .map(|(item, _)| {
                let gain = coverage.shown.of(item).iter().map(worth).sum();
                Choice { gain, ..Choice::default() }
            })
            .collect();
        let covered = vec![false; coverage.worth.len()];
        Choosing { coverage, covered, items, chosen: Vec::new(), missing: 0, work }
    }

    /// Quotes of these items until enough of their weight is represented.
    fn represent(&mut self, these: &[u32], limit: usize) {
        let all = self.call(these);
        let mut heap: BinaryHeap<Entry> = these.iter().map(|item| self.entry(*item)).collect();
        let done = |missing: u64| missing * 100 <= all * u64::from(100 - PRESERVED_PERCENT);
        while self.chosen.len() < limit && !done(self.missing) {
            let Some((_, item)) = self.greatest(&mut heap, |choice| !choice.represented) else {
                return;
            };
            self.take(item);
        }
    }

    /// Makes these the items that call to be represented; gives their weight.
    fn call(&mut self, these: &[u32]) -> u64 {
        self.items.iter_mut().for_each(|choice| choice.calls = false);
        self.missing = 0;
        let mut all = 0;
        for item in these {
            let weight = self.coverage.weights.get(place(*item)).copied().unwrap_or_default();
            if let Some(choice) = self.items.get_mut(place(*item)) {
                choice.calls = true;
                all += weight;
                self.missing += if choice.represented { 0 } else { weight };
            }
        }
        all
    }

    fn spread(&mut self, limit: usize) {
        let items = number(self.items.len());
        let total: u64 = self.coverage.worth.iter().sum();
        let mut heap: BinaryHeap<Entry> = (0..items).map(|item| self.entry(item)).collect();
        while self.chosen.len() < limit {
            let Some((gain, item)) = self.greatest(&mut heap, |choice| !choice.chosen) else {
                return;
            };
            let parts = u128::from(gain) * u128::from(items) * u128::from(AVERAGE_PARTS);
            if gain == 0 || parts < u128::from(total) {
                return;
            }
            self.take(item);
        }
    }

    fn entry(&mut self, item: u32) -> Entry {
        self.work.heap += 1;
        (self.items.get(place(item)).map_or(0, |choice| choice.gain), Reverse(item))
    }

    /// Takes the item of the greatest gain from the heap, of those that may be taken.
    fn greatest(
        &mut self,
        heap: &mut BinaryHeap<Entry>,
        may: impl Fn(&Choice) -> bool,
    ) -> Option<(u64, u32)> {
        loop {
            let (gain, Reverse(item)) = heap.pop()?;
            let now = *self.items.get(place(item))?;
            if !may(&now) {
                continue;
            }
            if now.gain == gain {
                return Some((gain, item));
            }
            heap.push(self.entry(item));
        }
    }

    /// Quotes the item: covers what its excerpt shows.
    fn take(&mut self, item: u32) {
        let coverage = self.coverage;
        self.chosen.push(item);
        if let Some(choice) = self.items.get_mut(place(item)) {
            choice.chosen = true;
        }
        self.represented(item);
        for term in coverage.shown.of(item) {
            let number = place(*term);
            let Some(covered) = self.covered.get_mut(number).filter(|covered| !**covered) else {
                continue;
            };
            *covered = true;
            let worth = coverage.worth.get(number).copied().unwrap_or_default();
            for other in coverage.showing.of(*term) {
                self.work.postings += 1;
                if let Some(choice) = self.items.get_mut(place(*other)) {
                    choice.gain -= worth;
                }
            }
            let rarity = coverage.rarity.get(number).copied().unwrap_or_default();
            for other in coverage.having.of(*term) {
                self.work.postings += 1;
                self.hold(*other, u64::from(rarity));
            }
        }
    }

    /// Counts a term of the item as covered.
    fn hold(&mut self, item: u32, rarity: u64) {
        let Some(choice) = self.items.get_mut(place(item)) else { return };
        choice.covered += rarity;
        let all = self.coverage.rarities.get(place(item)).copied().unwrap_or_default();
        if is_covered(choice.covered, all) {
            self.represented(item);
        }
    }

    fn represented(&mut self, item: u32) {
        let Some(choice) = self.items.get_mut(place(item)) else { return };
        if choice.calls && !choice.represented {
            self.missing -= self.coverage.weights.get(place(item)).copied().unwrap_or_default();
        }
        choice.represented = true;
    }
}

#[cfg(test)]
mod tests;
