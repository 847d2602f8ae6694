/// How little chance explains what was counted: minus the binary logarithm of a bound on
/// the probability, in 65,536ths of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bits(pub u64);

/// A number of sessions or windows that chance makes expected, in 2^-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Expected(pub(crate) u64);

/// Fractional bits of logarithms.
const POINT: u32 = 32;

impl Bits {
    /// Fractional bits of the number.
    const POINT: u32 = 16;

    /// Evidence of this number of whole bits.
    #[must_use]
    pub fn whole(bits: u32) -> Bits {
        Bits(u64::from(bits) << Bits::POINT)
    }

    /// The bits before the point.
    #[must_use]
    pub fn floor(self) -> u64 {
        self.0 >> Bits::POINT
    }

    /// The binary logarithm of a number, rounded up; that of 0 as of 1.
    pub(crate) fn of_choices(count: u64) -> Bits {
        let log = log2(u128::from(count.max(1))) >> (POINT - Bits::POINT);
        Bits(u64::try_from(log + 1).unwrap_or(u64::MAX))
    }

    pub(crate) fn plus(self, other: Bits) -> Bits {
        Bits(self.0.saturating_add(other.0))
    }

    pub(crate) fn times(self, count: usize) -> Bits {
        Bits(self.0.saturating_mul(count as u64))
    }
}

impl Expected {
    pub(crate) const ONE: Expected = Expected(1 << 32);

    /// `part` of `whole`, rounded up, at most 1; 1 of none.
    pub(crate) fn ratio(part: u64, whole: u64) -> Expected {
        if part >= whole {
            return Expected::ONE;
        }
        let wide = (u128::from(part) << 32).div_ceil(u128::from(whole));
        Expected(u64::try_from(wide).unwrap_or(u64::MAX))
    }

    pub(crate) fn plus(self, other: Expected) -> Expected {
        Expected(self.0.saturating_add(other.0))
    }
}

/// How little chance explains `found` of `trials` independent ones, whatever the
/// probability of each, where they sum up to `expected`.
///
/// P(X >= x) <= ((m - e) / (m - x))^(m - x) * (e / x)^x for x > e. Source: Hoeffding 1963,
/// theorem 1; that the trials may differ in probability is its remark on Bernoulli
/// variables. 0 bits where no more was found than expected. The result is off by less
/// than `trials` * 2^-30 bits.
pub(crate) fn evidence(found: u64, expected: Expected, trials: u64) -> Bits {
    let trials = trials.max(found);
    let expected = u128::from(expected.0.max(1));
    let (found, trials) = (u128::from(found), u128::from(trials));
    if found << 32 <= expected || found == 0 {
        return Bits(0);
    }
    let rise = log2(found << 32) - log2(expected);
    let mut bits = rise * signed(found);
    let (missed, unexpected) = (trials - found, (trials << 32) - expected);
    if missed > 0 {
        bits -= (log2(unexpected) - log2(missed << 32)) * signed(missed);
    }
    Bits(u64::try_from(bits >> (POINT - Bits::POINT)).unwrap_or(0))
}

/// The binary logarithm of `value` in 2^-32, rounded down; that of 0 as of 1.
///
/// Source: repeated squaring of the mantissa (Knuth, The Art of Computer Programming,
/// volume 1, 1.2.2, exercise 25).
fn log2(value: u128) -> i128 {
    let whole = value.max(1).ilog2();
    // The mantissa as 1.63 in the lower half, so that its square fits.
    let mut mantissa =
        if whole > 63 { value >> (whole - 63) } else { value.max(1) << (63 - whole) };
    let mut log = i128::from(whole);
    for _ in 0..POINT {
        mantissa = (mantissa * mantissa) >> 63;
        log <<= 1;
        if mantissa >> 64 != 0 {
            mantissa >>= 1;
            log += 1;
        }
    }
    log
}

fn signed(value: u128) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_library() {
        for value in [1_u128, 2, 3, 10, 1000, 123_456_789, (1 << 70) + 12345] {
            #[expect(clippy::disallowed_methods, reason = "an oracle for the integer one")]
            let expected = (value as f64).log2();
            let found = log2(value) as f64 / 2.0_f64.powi_of(32);
            assert!((found - expected).abs() < 1e-8, "{value}: {found} {expected}");
        }
    }

    trait PowiOf {
        fn powi_of(self, power: u32) -> f64;
    }

    impl PowiOf for f64 {
        fn powi_of(self, power: u32) -> f64 {
            (0..power).fold(1.0, |value, _| value * self)
        }
    }

    /// The tail itself, added up, of equal trials.
    fn tail(found: u64, chance: f64, trials: u64) -> f64 {
        let mut term = (0..trials).fold(1.0, |term, _| term * (1.0 - chance));
        let mut sum = 0.0;
        for hits in 0..=trials {
            if hits >= found {
                sum += term;
            }
            let (hits, trials) = (hits as f64, trials as f64);
            term *= (trials - hits) / (hits + 1.0) * chance / (1.0 - chance);
        }
        sum
    }

    #[test]
    fn the_bound_is_above_the_tail_and_near_it() {
        for (found, percent, trials) in
            [(5, 1, 100), (30, 10, 100), (99, 50, 100), (100, 90, 100), (12, 10, 100), (2, 1, 3)]
        {
            let expected = Expected::ratio(percent, 100).0 * trials;
            let bits = evidence(found, Expected(expected), trials);
            #[expect(clippy::disallowed_methods, reason = "an oracle for the integer one")]
            let exact = -tail(found, percent as f64 / 100.0, trials).log2();
            let bits = bits.0 as f64 / 65_536.0;
            assert!(bits <= exact + 1e-3, "{found} of {trials}: {bits} > {exact}");
            assert!(bits >= exact - 6.0, "{found} of {trials}: {bits} << {exact}");
        }
    }

    #[test]
    fn nothing_is_said_by_what_was_expected() {
        assert_eq!(evidence(0, Expected(0), 10), Bits(0));
        assert_eq!(evidence(5, Expected(5 << 32), 10), Bits(0));
        assert_eq!(evidence(4, Expected(5 << 32), 10), Bits(0));
        assert_eq!(evidence(10, Expected(10 << 32), 10), Bits(0));
        assert!(evidence(u64::from(u32::MAX), Expected(0), 5) > Bits::whole(1_000_000));
    }
}
