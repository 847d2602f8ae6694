use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

#[test]
fn numbers_as_people_write_them() {
    for (digits, exponent, text) in [
        (1, 0, "1.0"),
        (105, -2, "1.05"),
        (11_025, -4, "1.1025"),
        (2, -1, "0.2"),
        (55_125, -5, "0.55125"),
        (10, 0, "10.0"),
        (1, -6, "0.000001"),
        (12, -7, "0.0000012"),
        (1, -7, "1.0e-7"),
        (381_469_726_562, -17, "0.00000381469726562"),
        (381_469_726_562, -18, "3.81469726562e-7"),
        (123, 4, "1230000.0"),
        (1, 37, "10000000000000000000000000000000000000.0"),
        (15, 37, "1.5e38"),
    ] {
        assert_eq!(Decimal::normalised(digits, exponent).to_string(), text);
        assert!(text.parse::<f64>().is_ok());
    }
    assert_eq!(Decimal::of_millionths(1_050_000).to_string(), "1.05");
    assert_eq!(Decimal::of_millionths(1).to_string(), "0.000001");
}

#[test]
fn products_are_exact_or_none() {
    let surfaced = Decimal::of_millionths(1_050_000);
    assert_eq!(surfaced.times(surfaced).unwrap().to_string(), "1.1025");
    let fifth = Decimal::of_millionths(200_000);
    assert_eq!(fifth.times(Decimal::of_millionths(5_000_000)), Some(Decimal::ONE));
    let mut product = Some(Decimal::ONE);
    let mut count = 0;
    while let Some(exact) = product {
        product = exact.times(surfaced);
        count += 1;
    }
    // 105^18 has 37 digits, 105^19 has 39.
    assert_eq!(count, 19);
    let tiny = (0..6).try_fold(Decimal::ONE, |tiny, _| tiny.times(Decimal::of_millionths(1)));
    assert_eq!(tiny.unwrap().to_string(), "1.0e-36");
    assert_eq!(tiny.unwrap().times(Decimal::of_millionths(1)), None);
    let huge = (0..37).try_fold(Decimal::ONE, |huge, _| huge.times(Decimal::normalised(10, 0)));
    assert_eq!(huge.unwrap().times(Decimal::normalised(10, 0)), None);
}

#[test]
fn powers_of_two_are_rounded_half_to_even() {
    for (half_lives, text) in [
        (0, "1.0"),
        (1, "2.0"),
        (-1, "0.5"),
        (-6, "0.015625"),
        (-17, "0.00000762939453125"),
        // 3.814697265625e-6 and 1.9073486328125e-6: the first lies half way.
        (-18, "0.00000381469726562"),
        (-19, "0.00000190734863281"),
        (40, "1099511627780.0"),
        (128, "3.40282366921e38"),
        (129, "3.40282366921e38"),
        (-128, "2.93873587706e-39"),
        (-524_288, "2.93873587706e-39"),
    ] {
        assert_eq!(Decimal::exp2(Log2(half_lives << 44)).to_string(), text, "{half_lives}");
    }
    assert_eq!(Decimal::exp2(Log2(i64::MAX)), Decimal::exp2(Log2(128 << 44)));
    assert_eq!(Decimal::exp2(Log2(i64::MIN)), Decimal::exp2(Log2(-128 << 44)));
}

/// `floor(2^(log2 / 2^44) * 2^400)`, by integer roots without bound.
fn power(log2: i64) -> BigUint {
    let (whole, fraction) = (log2 >> 44, log2 & ((1 << 44) - 1));
    // The 2^44th root of 2^fraction, by 44 square roots of 1,200 fractional bits each.
    let one = BigUint::from(1_u8) << 1_200_u32;
    let mut root = one.clone();
    for bit in 0..44 {
        if fraction >> bit & 1 == 1 {
            root <<= 1;
        }
        root = (root * &one).sqrt();
    }
    root >> (800 - whole)
}

proptest! {
    #[test]
    fn the_nearest_of_twelve_digits(log2 in -(128_i64 << 44)..128 << 44, near in -(7_i64 << 44)..4 << 44) {
        for log2 in [log2, near] {
            let shown = Decimal::exp2(Log2(log2));
            prop_assert!(shown.len() <= 12);
            let exact = power(log2);
            // Both in units of 2^-400 * 10^-60.
            let exact = exact * BigUint::from(10_u8).pow(60);
            let scale = |exponent: i32| BigUint::from(10_u8).pow(u32::try_from(60 + exponent).unwrap());
            let found = (BigUint::from(shown.digits) << 400) * scale(shown.exponent);
            let distance = if found > exact { &found - &exact } else { &exact - &found };
            // Half a unit of the twelfth digit, and 2^-60 of the value for truncation.
            let length = i32::try_from(shown.len()).unwrap();
            let unit = (BigUint::from(1_u8) << 400) * scale(shown.exponent + length - 12);
            prop_assert!(distance <= unit / 2_u8 + (exact >> 60));
        }
    }
}
