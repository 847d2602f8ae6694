use std::fmt;

use crate::Trials;

/// A share in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Confidence(pub u32);

/// The square of the normal quantile 1.96 for 95 %, in ten-thousandths.
const Z_SQUARED: u128 = 38_416;

/// Parts of one whole that [`Z_SQUARED`] is given in.
const SCALE: u128 = 10_000;

impl Confidence {
    /// Certainty.
    pub const ONE: Confidence = Confidence(1_000_000);

    /// The lower end of the interval that holds the share of successes with 95 %.
    ///
    /// Of s successes in n trials: (2s + z^2 - z sqrt(z^2 + 4s(n - s)/n)) / (2(n + z^2)),
    /// z = 1.96, rounded down. 0 without a trial: nothing is known. Source: Wilson 1927,
    /// the score interval.
    ///
    /// ```
    /// use memlith_procedure_mining::{Confidence, Trials};
    ///
    /// let after = |succeeded, failed| Confidence::of(Trials { succeeded, failed });
    /// assert_eq!(after(10, 0).to_string(), "0.722459");
    /// assert_eq!(after(8, 2).to_string(), "0.490156");
    /// ```
    #[must_use]
    pub fn of(trials: Trials) -> Confidence {
        let wins = u128::from(trials.succeeded);
        let count = wins + u128::from(trials.failed);
        if count == 0 {
            return Confidence(0);
        }
        // Ten-thousandths, but under the root their square, times 2^40 to keep its bits.
        let spread = Z_SQUARED * SCALE + ((4 * wins * (count - wins) * SCALE * SCALE) / count);
        let root = ((Z_SQUARED * spread) << 40).isqrt();
        let centre = (2 * wins * SCALE + Z_SQUARED) << 20;
        // z times the root is in 10^-2 * 10^-4 * 2^-20; the centre in 10^-4 * 2^-20.
        let least = centre.saturating_sub(root.div_ceil(SCALE.isqrt()));
        let share = least * 1_000_000 / ((2 * (count * SCALE + Z_SQUARED)) << 20);
        Confidence(u32::try_from(share).unwrap_or(u32::MAX).min(Confidence::ONE.0))
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(succeeded: u32, failed: u32) -> u32 {
        Confidence::of(Trials { succeeded, failed }).0
    }

    #[test]
    fn it_is_the_lower_end_of_the_interval_of_wilson() {
        for (wins, fails) in (0..60).flat_map(|wins| (0..60).map(move |fails| (wins, fails))) {
            let (s, n) = (f64::from(wins), f64::from(wins + fails));
            let z = 1.96_f64;
            let root = (z * z + 4.0 * s * (n - s) / n.max(1.0)).sqrt();
            let exact = (2.0 * s + z * z - z * root) / (2.0 * (n + z * z));
            let exact = if n == 0.0 { 0.0 } else { exact.max(0.0) };
            let found = f64::from(of(wins, fails)) / 1e6;
            assert!((found - exact).abs() < 2e-6, "{wins} {fails}: {found} {exact}");
        }
    }

    #[test]
    fn it_rises_with_success_and_falls_with_failure() {
        for count in [1, 2, 10, 1000, u32::MAX / 2] {
            assert!(of(count + 1, 3) > of(count, 3) || count > 100_000);
            assert!(of(count, 4) <= of(count, 3));
        }
        assert_eq!((of(0, 0), of(0, 5)), (0, 0));
        assert!(of(u32::MAX, 0) <= 1_000_000);
    }
}
