use memlith_memory::Tally;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Outcomes of an item for a purpose, and what they do to its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Learned {
    /// Outcomes that bore it out, each actor's once a session.
    pub successes: u32,
    /// Verified failures, counted in the same way.
    pub failures: u32,
}

/// The whole, in millionths.
const ONE: u32 = 1_000_000;

/// Gain or loss by one outcome, in millionths. Source: Zaxy's outcome learning.
const STEP: u32 = 60_000;

/// Successes add no more. Source: as `STEP`.
const GAIN_MAX: u32 = 200_000;

/// Failures take no more. Source: as `STEP`.
const LOSS_MAX: u32 = 180_000;

impl Learned {
    /// The factor of the score, in millionths: from 820,000 to 1,200,000.
    ///
    /// Source: `docs/model.md`, "Learning".
    #[must_use]
    pub fn factor(self) -> u32 {
        let bounded = |count: u32, most: u32| count.saturating_mul(STEP).min(most);
        ONE + bounded(self.successes, GAIN_MAX) - bounded(self.failures, LOSS_MAX)
    }

    /// `score` times the factor, rounded down.
    pub(crate) fn scales(self, score: i64) -> i64 {
        scaled(score, self.factor())
    }
}

impl Serialize for Learned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Learned", 3)?;
        out.serialize_field("successes", &self.successes)?;
        out.serialize_field("failures", &self.failures)?;
        out.serialize_field("factor", &(f64::from(self.factor()) / f64::from(ONE)))?;
        out.end()
    }
}

/// `score` times a factor in millionths, rounded down.
pub(crate) fn scaled(score: i64, factor: u32) -> i64 {
    let scaled = (i128::from(score) * i128::from(factor)).div_euclid(i128::from(ONE));
    let bound = if scaled < 0 { i64::MIN } else { i64::MAX };
    i64::try_from(scaled).unwrap_or(bound)
}

impl From<Tally> for Learned {
    fn from(tally: Tally) -> Learned {
        Learned { successes: tally.successes, failures: tally.failures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_bounded_and_one_where_nothing_was_heard() {
        for (successes, failures, factor) in [
            (0, 0, 1_000_000),
            (1, 0, 1_060_000),
            (3, 0, 1_180_000),
            (4, 0, 1_200_000),
            (u32::MAX, 0, 1_200_000),
            (0, 1, 940_000),
            (0, 3, 820_000),
            (0, u32::MAX, 820_000),
            (2, 1, 1_060_000),
            (u32::MAX, u32::MAX, 1_020_000),
        ] {
            let learned = Learned { successes, failures };
            assert_eq!(learned.factor(), factor, "{learned:?}");
        }
        let learned = Learned { successes: 1, failures: 0 };
        assert_eq!([100, 1, -1, 0].map(|score| learned.scales(score)), [106, 1, -2, 0]);
        assert_eq!(learned.scales(i64::MAX), i64::MAX);
        assert_eq!(Learned::default().scales(i64::MIN), i64::MIN);
    }
}
