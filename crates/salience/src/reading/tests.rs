use proptest::prelude::*;

use super::*;

fn value(shown: Decimal) -> f64 {
    shown.to_string().parse().unwrap()
}

#[test]
fn the_multiplier_is_bounded_and_one_at_one() {
    let (now, born) = (Timestamp(0), Log2::ZERO);
    assert_eq!(born.multiplier(now), Multiplier::ONE);
    assert_eq!(Log2(i64::MIN).multiplier(now).raw(), 1_029_659_907);
    assert_eq!(Log2(i64::MAX).multiplier(now).raw(), 1_127_245_220);
    assert_eq!(Log2::ONE.multiplier(now).raw(), 1_089_847_951);
    assert_eq!(Multiplier::ONE.scales(-5), -5);
    assert_eq!(Log2(i64::MAX).multiplier(now).scales(i64::MAX), i64::MAX);
    assert_eq!(Log2(i64::MAX).multiplier(now).scales(i64::MIN), i64::MIN);
    assert_eq!(Log2::ONE.multiplier(now).scales(1_000_000), 1_015_000 - 1);
}

#[test]
fn attenuation_begins_below_its_bound() {
    let at = |millionths| Log2::of_millionths(millionths);
    assert!(!at(150_000).attenuated(Timestamp(0)));
    assert!(at(149_999).attenuated(Timestamp(0)));
    assert!(at(150_000).attenuated(Timestamp(1)));
}

#[test]
fn the_order_is_level_then_age_in_the_log() {
    let mut items = [(Log2(1), Seq(1)), (Log2(2), Seq(9)), (Log2(2), Seq(3)), (Log2(-1), Seq(0))];
    items.sort_by_key(|(level, seq)| level.order(*seq));
    assert_eq!(items.map(|(_, seq)| seq.0), [3, 9, 1, 0]);
}

/// Levels of which many are equal.
fn level() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), Just(1_i64 << 44), -(20_i64 << 44)..20 << 44]
}

proptest! {
    /// P8: salience is finite, positive and never rises with time alone.
    #[test]
    fn nothing_rises_with_time(level in any::<i64>(), first in any::<i64>(), second in any::<i64>()) {
        let level = Log2(level);
        let (now, later) = (Timestamp(first.min(second)), Timestamp(first.max(second)));
        prop_assert!((0.01..=10.0).contains(&value(level.shown(now))));
        prop_assert!(value(level.shown(later)) <= value(level.shown(now)));
        prop_assert!(level.multiplier(later) <= level.multiplier(now));
        prop_assert!(!level.attenuated(now) || level.attenuated(later));
    }

    /// P9: the order is total, and the same at every instant.
    #[test]
    fn the_order_is_that_of_salience(
        one in level(), other in level(),
        seqs in (0u64..3, 0u64..3), days in -300_i64..300,
    ) {
        let now = Timestamp(days * Timestamp::DAY_US);
        let (one, other) = ((Log2(one), Seq(seqs.0)), (Log2(other), Seq(seqs.1)));
        let order = one.0.order(one.1).cmp(&other.0.order(other.1));
        prop_assert_eq!(order.is_eq(), one == other);
        if order.is_lt() {
            prop_assert!(value(one.0.shown(now)) >= value(other.0.shown(now)));
            prop_assert!(one.0.multiplier(now) >= other.0.multiplier(now));
        }
    }

    /// The multiplier is the formula, rounded down.
    #[test]
    fn the_multiplier_is_its_formula(level in -(4_i64 << 44)..5 << 44) {
        let raw = Log2(level).multiplier(Timestamp(0)).raw();
        #[expect(clippy::cast_precision_loss, reason = "the oracle is a float on purpose")]
        let log2 = (level as f64 / (1_u64 << 44) as f64).clamp(-2.736_965_594_166_206, std::f64::consts::LOG2_10);
        let exact = (1.0 + 0.015 * log2) * f64::from(1 << 30);
        prop_assert!((f64::from(raw) - exact.floor()).abs() <= 1.0);
    }
}
