use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;

/// The goldens of the memory model.
#[test]
fn logarithms_of_the_model() {
    for (millionths, golden) in [
        (1_050_000, 1_238_302_151_806),
        (1_500_000, 10_290_769_141_693),
        (200_000, -40_847_791_027_015),
        (800_000, -5_663_418_938_183),
        (300_000, -30_557_021_885_322),
        (150_000, -48_149_207_929_738),
        (10_000_000, 58_439_977_071_430),
        (1_000_000, 0),
        (2_000_000, 1 << 44),
        (500_000, -(1 << 44)),
        (15_625, -(6 << 44)),
        // One mantissa bit less would end in ...383.
        (34_437, -85_496_207_304_382),
        // The true floor ends in ...177: truncation is part of the definition.
        (359_815, -25_942_717_616_178),
    ] {
        assert_eq!(Log2::of_millionths(millionths), Log2(golden), "{millionths}");
    }
    assert_eq!(Log2::of_millionths(0), Log2::of_millionths(1));
    assert_eq!(Log2::of_millionths(u32::MAX), Log2::of_millionths(10_000_000));
}

/// The bits that squaring produces with a mantissa of `precision` fractional bits.
fn squared(millionths: u32, precision: i32) -> BigInt {
    let (weight, million) = (BigInt::from(millionths), BigInt::from(1_000_000));
    let one = BigInt::from(1) << precision;
    let at_least = |whole: &i32| &weight << 20 >= &million << (20 + whole);
    let whole = (-20..=3).rev().find(at_least).unwrap();
    let mut mantissa = (&weight << (precision - whole)) / &million;
    let mut bits = BigInt::from(whole);
    for _ in 0..44 {
        mantissa = (&mantissa * &mantissa) >> precision;
        let over = mantissa >= &one * 2_u8;
        bits = bits * 2 + u8::from(over);
        if over {
            mantissa >>= 1;
        }
    }
    bits
}

#[test]
fn every_weight_has_its_logarithm_in_order() {
    let mut previous = Log2::of_millionths(1);
    for millionths in 2..=10_000_000 {
        let level = Log2::of_millionths(millionths);
        assert!(previous < level, "{millionths}");
        previous = level;
    }
}

fn floor_of_decay(micros: i64) -> BigInt {
    let (product, half_life) = (BigInt::from(micros) << 44, BigInt::from(2_592_000_000_000_i64));
    let (quotient, rest) = (&product / &half_life, &product % &half_life);
    if rest < BigInt::from(0) { quotient - 1 } else { quotient }
}

proptest! {
    #[test]
    fn logarithms_are_the_definition_and_within_one_of_the_truth(millionths in 1u32..=10_000_000) {
        let level = BigInt::from(Log2::of_millionths(millionths).0);
        prop_assert_eq!(&level, &squared(millionths, 62));
        let short = squared(millionths, 256) - level;
        prop_assert!(short == BigInt::from(0) || short == BigInt::from(1), "{short}");
    }

    #[test]
    fn levels_of_time_are_floors_and_saturate(micros in any::<i64>(), small in -(1_i64 << 45)..1 << 45) {
        for micros in [micros, micros >> 8, small] {
            let (min, max) = (BigInt::from(i64::MIN), BigInt::from(i64::MAX));
            let expected = floor_of_decay(micros).clamp(min, max);
            prop_assert_eq!(BigInt::from(Log2::at(Timestamp(micros)).0), expected);
        }
    }

    #[test]
    fn time_is_monotone(first in any::<i64>(), second in any::<i64>()) {
        let (low, high) = (first.min(second), first.max(second));
        prop_assert!(Log2::at(Timestamp(low)) <= Log2::at(Timestamp(high)));
    }
}

#[test]
fn the_ends_of_time() {
    assert_eq!(Log2::at(Timestamp(i64::MAX)), Log2(i64::MAX));
    assert_eq!(Log2::at(Timestamp(i64::MIN)), Log2(i64::MIN));
    assert_eq!(Log2::at(Timestamp(HALF_LIFE_US)), Log2::ONE);
    assert_eq!(Log2::at(Timestamp(-HALF_LIFE_US)), Log2(-Log2::ONE.0));
    assert_eq!(Log2::at(Timestamp(-1)), Log2(-7));
    assert_eq!(Log2(i64::MAX).plus(Log2(1)), Log2(i64::MAX));
    assert_eq!(Log2(i64::MIN).minus(Log2(1)), Log2(i64::MIN));
}
