use memlith_salience::Log2;

/// The weight of an item that is as salient as any of its span.
pub(crate) const WEIGHT_ONE: u64 = 1 << 32;

/// Bits of the fraction of a level that a weight sees: it is right to a hundred-thousandth.
const FRACTION_BITS: usize = 16;

/// `2^63 * 2^(-2^-j)` for j from 1 on, each the square root of the one before.
const ROOTS: [u64; FRACTION_BITS] = roots();

/// How much an item at `level` counts beside one at `greatest`: 1 to [`WEIGHT_ONE`].
///
/// `2^32 * 2^((level - greatest) / ONE)`, rounded down, and at least 1. As everything decays
/// at one rate the quotient of two saliences is the same at every instant, so there is no
/// `now`. Never falls where the level rises.
///
/// Source: binary powers from repeated square roots (Knuth, TAOCP 1, 1.2.2, exercise 28).
pub(crate) fn weight(level: Log2, greatest: Log2) -> u64 {
    let below = u64::try_from(greatest.minus(level).0).unwrap_or(0);
    let halvings = u32::try_from(below >> Log2::FRACTION_BITS).unwrap_or(u32::MAX);
    if halvings >= 32 {
        return 1;
    }
    let fraction = below >> (Log2::FRACTION_BITS as usize - FRACTION_BITS);
    let mut mantissa: u64 = 1 << 63;
    for (bit, root) in (0..FRACTION_BITS).rev().zip(ROOTS) {
        if fraction >> bit & 1 == 1 {
            mantissa = scaled(mantissa, root);
        }
    }
    (mantissa >> (31 + halvings)).max(1)
}

/// `of` times `by / 2^63`, rounded down.
fn scaled(of: u64, by: u64) -> u64 {
    u64::try_from((u128::from(of) * u128::from(by)) >> 63).unwrap_or(u64::MAX)
}

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "worked out by the compiler alone; a root of less than 2^126 has 63 bits"
)]
const fn roots() -> [u64; FRACTION_BITS] {
    let mut roots = [0; FRACTION_BITS];
    let (mut last, mut at) = (1_u64 << 62, 0);
    while at < FRACTION_BITS {
        last = ((last as u128) << 63).isqrt() as u64;
        roots[at] = last;
        at += 1;
    }
    roots
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_half_life_is_a_half() {
        let greatest = Log2(7 * Log2::ONE.0 + 12_345);
        for halvings in 0..32 {
            let level = Log2(greatest.0 - i64::from(halvings) * Log2::ONE.0);
            assert_eq!(weight(level, greatest), WEIGHT_ONE >> halvings);
        }
        assert_eq!(weight(Log2(i64::MIN), Log2(i64::MAX)), 1);
        assert_eq!(weight(Log2(i64::MAX), Log2(i64::MIN)), WEIGHT_ONE);
    }

    #[test]
    fn surfacing_counts_as_the_fold_counts_it() {
        // 1 / 1.05, from the table's own logarithm.
        let found = weight(Log2::ZERO, Log2::of_millionths(1_050_000));
        let exact = WEIGHT_ONE * 100 / 105;
        assert!(found.abs_diff(exact) < exact / 50_000, "{found} {exact}");
    }

    proptest! {
        #[test]
        fn more_salience_never_weighs_less(one in any::<i64>(), other in any::<i64>(), near in 0..1_i64 << 45) {
            let (low, high) = (Log2(one.min(other)), Log2(one.max(other)));
            prop_assert!(weight(low, high) <= weight(high, high));
            let close = Log2(high.0.saturating_sub(near));
            let closer = Log2(high.0.saturating_sub(near / 2));
            prop_assert!(weight(close, high) <= weight(closer, high));
            prop_assert!((1..=WEIGHT_ONE).contains(&weight(close, high)));
        }
    }
}
