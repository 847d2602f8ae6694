use std::cmp::Reverse;

use memlith_log::{Seq, Timestamp};

use crate::{Decimal, Log2};

/// The place of an item in the static order: level descending, then sequence ascending.
///
/// Time is no part of it: everything decays at one rate, so the order of two items only
/// changes with an event.
pub type Order = (Reverse<Log2>, Seq);

/// The factor by which salience scales relevance, in fixed point: 30 fractional bits.
///
/// `1 + 0.015 * clamp(log2 S, log2 0.15, log2 10)`, rounded down: 0.9589 to 1.0498,
/// that is 1,029,659,907 to 1,127,245,220.
///
/// Source: `docs/model.md`, "Salience", "In ranking": a bounded multiplier, because an
/// additive bonus brings in what is off the topic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Multiplier(u32);

/// Salience is shown within 0.01 and 10.
const SHOWN_MIN: Log2 = Log2::of_millionths(10_000);
const SHOWN_MAX: Log2 = Log2::of_millionths(10_000_000);

/// Below this salience an item leaves output that has no query.
const ATTENUATION: Log2 = Log2::of_millionths(150_000);

impl Log2 {
    /// The key by which this level sorts: `(level descending, sequence ascending)`.
    #[must_use]
    pub fn order(self, seq: Seq) -> Order {
        (Reverse(self), seq)
    }

    /// The salience at `now` of an item at this level: 0.01 to 10, 12 significant digits.
    ///
    /// For people alone: nothing is computed from it.
    #[must_use]
    pub fn shown(self, now: Timestamp) -> Decimal {
        Decimal::exp2(self.read(now))
    }

    /// The logarithm of the salience that is shown.
    pub(crate) fn read(self, now: Timestamp) -> Log2 {
        self.minus(Log2::at(now)).clamp(SHOWN_MIN, SHOWN_MAX)
    }

    /// The factor in ranking at `now` of an item at this level.
    #[must_use]
    pub fn multiplier(self, now: Timestamp) -> Multiplier {
        let log2 = self.minus(Log2::at(now)).clamp(ATTENUATION, SHOWN_MAX);
        // 200 m = 200 + 3 log2 S, with 44 fractional bits until the division.
        let scaled = (200 << Log2::FRACTION_BITS) + 3 * i128::from(log2.0);
        let scale = 200 << (Log2::FRACTION_BITS - Multiplier::FRACTION_BITS);
        Multiplier(u32::try_from(scaled.div_euclid(scale)).unwrap_or(u32::MAX))
    }

    /// Whether an item at this level is attenuated at `now`: its salience is below 0.15.
    ///
    /// Whether that matters (records, pins, accepted items, queries) is the reader's.
    #[must_use]
    pub fn attenuated(self, now: Timestamp) -> bool {
        self.minus(Log2::at(now)) < ATTENUATION
    }
}

impl Multiplier {
    /// The number of fractional bits.
    pub const FRACTION_BITS: u32 = 30;

    /// The factor 1: of an item at salience 1.
    pub const ONE: Multiplier = Multiplier(1 << Multiplier::FRACTION_BITS);

    /// The factor times 2^30.
    #[must_use]
    pub fn raw(self) -> u32 {
        self.0
    }

    /// `relevance` times the factor, rounded down; saturates.
    #[must_use]
    pub fn scales(self, relevance: i64) -> i64 {
        let product = (i128::from(relevance) * i128::from(self.0)) >> Multiplier::FRACTION_BITS;
        i64::try_from(product).unwrap_or(if relevance < 0 { i64::MIN } else { i64::MAX })
    }
}

#[cfg(test)]
mod tests;
