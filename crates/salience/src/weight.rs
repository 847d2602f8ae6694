use memlith_event::Weight;

/// How surprising an outcome was: the distance of what happened from what was expected.
///
/// 0 to 1,000,000 millionths. An outcome is 1 for success, 0.5 for a partial one, 0 for
/// failure; the expectation is the confidence stated before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredictionError(u32);

const MILLION: i64 = 1_000_000;

/// The weights that prediction error can make: 0.01 to 10.
const WEIGHT_RANGE: (i64, i64) = (10_000, 10 * MILLION);

impl PredictionError {
    /// The error of `millionths`, or `None` above 1,000,000.
    #[must_use]
    pub fn new(millionths: u32) -> Option<PredictionError> {
        (millionths <= 1_000_000).then_some(PredictionError(millionths))
    }

    /// The distance between two probabilities in millionths, each at most 1,000,000.
    #[must_use]
    pub fn between(expected: u32, actual: u32) -> Option<PredictionError> {
        let both = expected.max(actual) <= 1_000_000;
        both.then(|| PredictionError(expected.abs_diff(actual)))
    }

    /// The strength `base` when the outcome was this surprising: the full strength's
    /// double at 1, `base` itself at 0.5, no effect at 0.
    ///
    /// `base + (base - 1)(2 error - 1)`, rounded half to even to millionths, within 0.01
    /// to 10.
    ///
    /// Source: Zaxy's prediction-error reinforcement (`docs/model.md`, "Salience").
    #[must_use]
    pub fn scales(self, base: Weight) -> Weight {
        let base = i64::from(base.0);
        let surplus = (base - MILLION) * (2 * i64::from(self.0) - MILLION);
        let (whole, rest) = (surplus.div_euclid(MILLION), surplus.rem_euclid(MILLION));
        let floor = base + whole;
        let up = 2 * rest > MILLION || (2 * rest == MILLION && floor % 2 != 0);
        let weight = (floor + i64::from(up)).clamp(WEIGHT_RANGE.0, WEIGHT_RANGE.1);
        Weight(u32::try_from(weight).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Change;

    /// The table of Zaxy 3.2.0, run: errors 0, 0.1, 0.5, 0.9, 1.
    #[test]
    fn surprise_scales_the_table() {
        let errors = [0, 100_000, 500_000, 900_000, 1_000_000];
        for (change, expected) in [
            (Change::Surfaced, [1_000_000, 1_010_000, 1_050_000, 1_090_000, 1_100_000]),
            (Change::ConfirmedOutside, [1_000_000, 1_100_000, 1_500_000, 1_900_000, 2_000_000]),
            (Change::Promoted, [1_000_000, 1_200_000, 2_000_000, 2_800_000, 3_000_000]),
            (Change::Invalidated, [1_000_000, 840_000, 200_000, 10_000, 10_000]),
        ] {
            for (error, expected) in errors.into_iter().zip(expected) {
                let error = PredictionError::new(error).unwrap();
                let weight = error.scales(change.strength().unwrap());
                assert_eq!(weight, Weight(expected), "{change:?} {error:?}");
                assert!(change.admits(weight));
            }
        }
        assert!(PredictionError::new(1_000_001).is_none());
        assert!(PredictionError::between(0, 1_000_001).is_none());
        assert_eq!(PredictionError::between(700_000, 500_000), PredictionError::new(200_000));
    }

    #[test]
    fn half_a_millionth_goes_to_the_even_one() {
        // 1.000001 and 1.000003 at 0.75: 1.0000015 and 1.0000045.
        let error = PredictionError(750_000);
        assert_eq!(error.scales(Weight(1_000_001)), Weight(1_000_002));
        assert_eq!(error.scales(Weight(1_000_003)), Weight(1_000_004));
        // 0.999999 at 0.75: 0.9999985.
        assert_eq!(error.scales(Weight(999_999)), Weight(999_998));
    }

    proptest! {
        #[test]
        fn the_nearest_millionth(base in 1u32..=10_000_000, error in 0u32..=1_000_000) {
            let (wide, million) = (i128::from(base), 1_000_000_i128);
            let exact = wide * million + (wide - million) * (2 * i128::from(error) - million);
            let weight = i128::from(PredictionError(error).scales(Weight(base)).0);
            let within = exact.clamp(10_000 * million, 10_000_000 * million);
            let distance = (weight * million - within).abs();
            prop_assert!(2 * distance <= million);
            prop_assert!(2 * distance < million || weight % 2 == 0);
        }
    }
}
