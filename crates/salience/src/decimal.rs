use std::fmt;

use crate::Log2;

/// A positive decimal number, for people: `digits * 10^exponent`.
///
/// Text form: at least one digit on either side of the point ("1.05", "2.0"), with an
/// exponent below 10^-6 and from 10^38 on ("3.81469726562e-7"): always a JSON number.
/// Two equal numbers are equal values: `digits` never ends in a zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decimal {
    digits: u128,
    exponent: i32,
}

/// An exact product has no more digits than this, before or after the point.
const EXACT_DIGITS_MAX: u32 = 38;

/// The significant digits of a number that was rounded.
const ROUNDED_DIGITS: u32 = 12;

/// The magnitude in doublings at which [`Decimal::exp2`] saturates: 2^128 is 3.4e38.
const EXP2_MAX: i64 = 128;

/// The binary places of the scaled mantissa; its top four of 128 bits leave room for a
/// factor of ten.
const SCALED_BITS: i32 = 120;

impl Decimal {
    /// The number 1.
    pub const ONE: Decimal = Decimal { digits: 1, exponent: 0 };

    /// `millionths / 1,000,000`, exactly.
    #[must_use]
    pub fn of_millionths(millionths: u32) -> Decimal {
        Decimal::normalised(u128::from(millionths), -6)
    }

    /// 2 to the power of `log2`, rounded to 12 significant digits, half to even.
    ///
    /// Powers beyond 2^128 and 2^-128 read as those. The fraction of the exponent is
    /// taken by one square root a bit, 63 fractional bits, rounded down.
    ///
    /// Cost: about two microseconds.
    #[must_use]
    pub fn exp2(log2: Log2) -> Decimal {
        let bound = EXP2_MAX << Log2::FRACTION_BITS;
        let log2 = log2.0.clamp(-bound, bound);
        let whole = i32::try_from(log2 >> Log2::FRACTION_BITS).unwrap_or_default();
        let fraction = log2 & (Log2::ONE.0 - 1);

        let mut root: u128 = 1 << 63;
        for bit in 0..Log2::FRACTION_BITS {
            root = (root << (63 + ((fraction >> bit) & 1))).isqrt();
        }
        rounded(root << (SCALED_BITS - 63), whole - SCALED_BITS)
    }

    /// The product, or `None` where it has more than 38 digits before or after the point.
    #[must_use]
    pub fn times(self, other: Decimal) -> Option<Decimal> {
        let digits = self.digits.checked_mul(other.digits)?;
        let product = Decimal::normalised(digits, self.exponent.checked_add(other.exponent)?);
        let (len, exponent) = (product.len(), product.exponent);
        let fits = len <= EXACT_DIGITS_MAX
            && exponent.unsigned_abs() <= EXACT_DIGITS_MAX
            && len.saturating_add_signed(exponent) <= EXACT_DIGITS_MAX;
        fits.then_some(product)
    }

    fn normalised(mut digits: u128, mut exponent: i32) -> Decimal {
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Decimal { digits, exponent: if digits == 0 { 0 } else { exponent } }
    }

    fn len(self) -> u32 {
        self.digits.checked_ilog10().unwrap_or(0) + 1
    }
}

/// `mantissa * 2^binary` with 12 significant digits, half to even; `mantissa` is in
/// `2^120 .. 2^121`.
///
/// Scaling by ten is exact for powers of two within 2^-128, which alone can lie half way
/// between two results; of all others it drops less than 2^-110 of the value.
fn rounded(mut mantissa: u128, mut binary: i32) -> Decimal {
    let (low, high) = (10_u128.pow(ROUNDED_DIGITS - 1), 10_u128.pow(ROUNDED_DIGITS));
    let mut exponent = 0;
    loop {
        let whole = if binary < 0 { shifted(mantissa, binary) } else { high };
        if whole >= high {
            mantissa /= 10;
            exponent += 1;
        } else if whole < low {
            mantissa *= 10;
            exponent -= 1;
        } else {
            let shift = binary.unsigned_abs();
            let (rest, half) = (mantissa & ((1 << shift) - 1), 1 << (shift - 1));
            let up = rest > half || (rest == half && whole % 2 == 1);
            return Decimal::normalised(whole + u128::from(up), exponent);
        }
        while mantissa >> SCALED_BITS == 0 {
            mantissa <<= 1;
            binary -= 1;
        }
        while mantissa >> (SCALED_BITS + 4) != 0 {
            mantissa >>= 1;
            binary += 1;
        }
    }
}

fn shifted(mantissa: u128, binary: i32) -> u128 {
    mantissa.checked_shr(binary.unsigned_abs()).unwrap_or(0)
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.digits.to_string();
        // The digits before the point; below 1 the zeros after it, negative.
        let before = i32::try_from(self.len()).unwrap_or_default() + self.exponent;
        let split = |at: usize| text.split_at_checked(at).unwrap_or((&text, ""));
        let or_zero = |digits: &str| if digits.is_empty() { "0".into() } else { digits.to_owned() };
        match before {
            -5..=0 => {
                let zeros = usize::try_from(-before).unwrap_or_default();
                write!(f, "0.{}{text}", "0".repeat(zeros))
            }
            1..=38 => {
                let (whole, rest) = split(usize::try_from(before).unwrap_or_default());
                let zeros = usize::try_from(self.exponent).unwrap_or_default();
                write!(f, "{whole}{}.{}", "0".repeat(zeros), or_zero(rest))
            }
            ..-5 | 39.. => {
                let (first, rest) = split(1);
                write!(f, "{first}.{}e{}", or_zero(rest), before - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests;
