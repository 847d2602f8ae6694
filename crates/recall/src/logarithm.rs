/// The binary logarithm of `x` in 65,536ths, rounded down; 0 for 0.
///
/// One bit of the result for every squaring of the mantissa, in integers alone, so it
/// is the same number on every machine (the same method as salience's).
pub(crate) fn log2_q16(x: u64) -> i64 {
    let Some(whole) = x.checked_ilog2() else { return 0 };
    // The mantissa, in [1, 2), with 63 fractional bits.
    let mut mantissa = u128::from(x << (63 - whole));
    let mut result = i64::from(whole);
    for _ in 0..16 {
        mantissa = (mantissa * mantissa) >> 63;
        result <<= 1;
        if mantissa >> 64 != 0 {
            mantissa >>= 1;
            result |= 1;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the platform's logarithm is the reference")]
    #[expect(clippy::cast_precision_loss, reason = "the reference is a float")]
    fn agrees_with_the_real_logarithm() {
        let spread = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) + (1 << bit) / 3]);
        for x in (1..2_000).chain(spread) {
            let difference = log2_q16(x) as f64 - (x as f64).log2() * 65_536.0;
            assert!((-1.01..=0.01).contains(&difference), "{x}: {difference}");
        }
        assert_eq!((log2_q16(0), log2_q16(1), log2_q16(2)), (0, 0, 1 << 16));
    }
}
