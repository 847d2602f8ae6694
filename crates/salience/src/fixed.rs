use memlith_log::Timestamp;

/// A base-2 logarithm in fixed point: 44 fractional bits, so `1 << 44` is a doubling.
///
/// Weights, decay and the level of an item are all of this one unit; that is what
/// makes decay a subtraction, and the order of items independent of time. Sums and
/// differences saturate: an instant beyond the year 45,000 has no level of its own.
///
/// Source: `docs/model.md`, "Salience"; forward decay is Cormode et al., ICDE 2009.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Log2(pub i64);

/// The time in which salience halves: 30 days, in microseconds.
///
/// Source: Zaxy's half-life (`docs/model.md`, "Salience").
pub const HALF_LIFE_US: i64 = 30 * Timestamp::DAY_US;

/// The number of fractional bits of a mantissa while its logarithm is taken.
const MANTISSA_BITS: i32 = 62;

/// A weight of one, in millionths.
const MILLION: u128 = 1_000_000;

impl Log2 {
    /// The number of fractional bits.
    pub const FRACTION_BITS: u32 = 44;

    /// The logarithm of 1.
    pub const ZERO: Log2 = Log2(0);

    /// The logarithm of 2: one half-life.
    pub const ONE: Log2 = Log2(1 << Log2::FRACTION_BITS);

    /// The logarithm of a weight in millionths, rounded down.
    ///
    /// A weight outside 1 to 10,000,000 counts as the nearest within.
    ///
    /// The mantissa, 62 fractional bits and truncated, is squared once for every bit of
    /// the result; truncation can leave the last bit one too low, and that is the
    /// definition: everyone who follows it gets the same bits.
    #[must_use]
    pub const fn of_millionths(millionths: u32) -> Log2 {
        let weight = match millionths {
            0 => 1,
            1..=10_000_000 => millionths as u128,
            _ => 10_000_000,
        };
        let mut exponent: i32 = 3;
        while weight << 20 < MILLION << (exponent + 20) {
            exponent -= 1;
        }
        Log2::of_mantissa(exponent, (weight << (MANTISSA_BITS - exponent)) / MILLION)
    }

    /// The logarithm of a positive finite float, given as its bits, rounded down.
    ///
    /// Only for a policy that has to count in floats: the logarithm is taken in integers.
    #[must_use]
    pub(crate) const fn of_bits(bits: u64) -> Log2 {
        const FRACTION: i32 = 52;
        const BIAS: i32 = 1_023;
        let exponent = ((bits >> FRACTION) & 0x7ff) as i32 - BIAS;
        let mantissa = 1 << FRACTION | bits & ((1 << FRACTION) - 1);
        Log2::of_mantissa(exponent, (mantissa as u128) << (MANTISSA_BITS - FRACTION))
    }

    /// The logarithm of `mantissa * 2^exponent`, the mantissa at least 1 and below 2 with 62
    /// fractional bits.
    const fn of_mantissa(exponent: i32, mut mantissa: u128) -> Log2 {
        let mut result = exponent as i64;
        let mut bit = 0;
        while bit < Log2::FRACTION_BITS {
            mantissa = (mantissa * mantissa) >> MANTISSA_BITS;
            result <<= 1;
            if mantissa >> (MANTISSA_BITS + 1) == 1 {
                mantissa >>= 1;
                result |= 1;
            }
            bit += 1;
        }
        Log2(result)
    }

    /// D(t): the level of a salience of 1 at `at`; one half-life adds [`Log2::ONE`].
    ///
    /// Decay between two instants is always the difference of their levels, so it
    /// never depends on the steps in which time was read.
    #[must_use]
    pub fn at(at: Timestamp) -> Log2 {
        let product = i128::from(at.0) << Log2::FRACTION_BITS;
        let level = product.div_euclid(i128::from(HALF_LIFE_US));
        let bound = if level < 0 { i64::MIN } else { i64::MAX };
        Log2(i64::try_from(level).unwrap_or(bound))
    }

    /// The logarithm of the product.
    #[must_use]
    pub const fn plus(self, other: Log2) -> Log2 {
        Log2(self.0.saturating_add(other.0))
    }

    /// The logarithm of the quotient.
    #[must_use]
    pub const fn minus(self, other: Log2) -> Log2 {
        Log2(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests;
