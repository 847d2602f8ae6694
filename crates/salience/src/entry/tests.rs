use proptest::prelude::*;

use super::*;

const DAY_US: i64 = Timestamp::DAY_US;

/// A script of (change, day) from a birth on day 0, and the salience shown on a day.
fn check(script: &[(Change, i64)], day: i64, shown: &str) {
    let entry = script.iter().fold(Entry::born(Timestamp(0)), |entry, (change, day)| {
        entry.after(*change, None, Timestamp(day * DAY_US)).entry
    });
    assert_eq!(entry.level.shown(Timestamp(day * DAY_US)).to_string(), shown, "{script:?}");
}

/// The checks of the memory model, section 3, and the worked examples of Zaxy that hold.
#[test]
fn worked_values() {
    use Change::*;
    check(&[], 0, "1.0");
    check(&[], 30, "0.5");
    check(&[(Surfaced, 0)], 0, "1.05");
    check(&[(Surfaced, 0)], 30, "0.525");
    check(&[(Surfaced, 0); 2], 0, "1.1025");
    check(&[(Surfaced, 0); 2], 30, "0.55125");
    check(&[(Surfaced, 0); 52], 0, "2.0");
    check(&[(Surfaced, 0); 100], 0, "2.0");
    let mut echoed = vec![(Surfaced, 0); 52];
    echoed.push((ConfirmedOutside, 0));
    check(&echoed, 0, "3.0");
    check(&[(ConfirmedOutside, 0)], 0, "1.5");
    check(&[(ConfirmedOutside, 0)], 30, "0.75");
    check(&[(ConfirmedOutside, 0)], 60, "0.375");
    check(&[(ConfirmedOutside, 30)], 30, "0.75");
    check(&[(Invalidated, 0)], 0, "0.2");
    check(&[(ConfirmedOutside, 0), (Invalidated, 0)], 0, "0.3");
    check(&[(Invalidated, 20), (ReconfirmedOutside, 21)], 21, "1.0");
    check(&[(Invalidated, 0), (ReconfirmedInside, 1)], 30, "0.5");
    check(&[(Promoted, 0); 10], 0, "10.0");
    check(&[(Promoted, 0)], 0, "2.0");
    check(&[(Promoted, 90)], 90, "1.0");
    check(&[(Restated, 90)], 90, "1.5");
    check(&[(ConfirmedOutside, 120)], 120, "0.3");
    check(&[(ConfirmedInside, 0)], 0, "1.5");
    check(&[(ConfirmedInside, 0); 3], 0, "2.0");
    check(&[(Doubted, 0)], 0, "0.8");
    check(&[(Accepted, 45)], 45, "1.0");
    check(&[], 3_000, "0.01");
}

#[test]
fn what_is_clipped_or_reanchored_says_so() {
    let born = Entry::born(Timestamp(0));
    let at = |day: i64| Timestamp(day * DAY_US);
    let flags = |moved: Moved| (moved.clipped, moved.reanchored);
    assert_eq!(flags(born.after(Change::Surfaced, None, at(0))), (false, false));
    assert_eq!(flags(born.after(Change::ConfirmedOutside, None, at(30))), (false, false));
    assert_eq!(flags(born.after(Change::ConfirmedOutside, None, at(90))), (false, true));
    assert_eq!(flags(born.after(Change::Promoted, None, at(30))), (false, false));
    assert_eq!(flags(born.after(Change::Promoted, None, at(31))), (false, true));
    assert_eq!(flags(born.after(Change::Accepted, None, at(0))), (false, false));
    assert_eq!(
        flags(born.after(Change::Promoted, Some(Weight(10_000_000)), at(0))),
        (false, false)
    );
    let doubled = (0..100).fold(born, |entry, _| entry.after(Change::Surfaced, None, at(0)).entry);
    assert_eq!(flags(doubled.after(Change::Surfaced, None, at(0))), (true, false));
    assert_eq!(doubled.after(Change::Surfaced, None, at(0)).entry, doubled);
    let top = born.after(Change::Promoted, Some(Weight(10_000_000)), at(0)).entry;
    assert_eq!(flags(top.after(Change::ConfirmedOutside, None, at(0))), (true, false));
}

#[test]
fn a_stated_strength_replaces_the_table_and_stays_on_its_side_of_one() {
    let born = Entry::born(Timestamp(0));
    for (change, stated, shown) in [
        (Change::ConfirmedOutside, 1_100_000, "1.1"),
        (Change::ConfirmedOutside, 900_000, "1.0"),
        (Change::ConfirmedInside, 900_000, "1.0"),
        (Change::ConfirmedInside, 3_000_000, "2.0"),
        (Change::Promoted, 3_000_000, "3.0"),
        (Change::Promoted, 0, "1.0"),
        (Change::Invalidated, 840_000, "0.84"),
        (Change::Invalidated, 2_000_000, "1.0"),
        (Change::Invalidated, 0, "0.01"),
        (Change::Doubted, 500_000, "0.5"),
        (Change::Doubted, u32::MAX, "1.0"),
    ] {
        let moved = born.after(change, Some(Weight(stated)), Timestamp(0));
        assert_eq!(moved.entry.level.shown(Timestamp(0)).to_string(), shown, "{change:?} {stated}");
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop::sample::select(Change::ALL.to_vec())
}

proptest! {
    /// Gains commute, but for caps and re-anchoring.
    #[test]
    fn gains_commute(first in change(), second in change(), day in 0_i64..200, later in 0_i64..200) {
        let born = Entry::born(Timestamp(0));
        let apply = |order: [(Change, i64); 2]| {
            let mut free = true;
            let entry = order.iter().fold(born, |entry, (change, day)| {
                let moved = entry.after(*change, None, Timestamp(day * DAY_US));
                free &= !moved.clipped && !moved.reanchored;
                moved.entry
            });
            (entry.level, free)
        };
        let (one, other) = ([(first, day), (second, later)], [(second, later), (first, day)]);
        let ((one, one_free), (other, other_free)) = (apply(one), apply(other));
        // Taking an invalidation back is no gain: it needs one before it.
        let takes_back = |change| matches!(change, Change::ReconfirmedInside | Change::ReconfirmedOutside);
        if one_free && other_free && !takes_back(first) && !takes_back(second) {
            prop_assert_eq!(one, other);
        }
    }

    /// Any entry, any time, any weight: no overflow, the invariants hold, and what the
    /// loop adds stays within the budget.
    #[test]
    fn the_ends_of_the_scale(
        born in any::<i64>(),
        steps in prop::collection::vec((change(), prop::option::of(any::<u32>()), any::<i64>()), 0..40),
    ) {
        let mut entry = Entry::born(Timestamp(born));
        let mut outside = entry.level;
        let mut invalidated = false;
        for (change, stated, at) in steps {
            let reconfirms = matches!(change, Change::ReconfirmedInside | Change::ReconfirmedOutside);
            if invalidated != reconfirms {
                continue;
            }
            invalidated = change == Change::Invalidated;
            let before = entry;
            entry = entry.after(change, stated.map(Weight), Timestamp(at.max(born))).entry;
            prop_assert!((Log2::ZERO..=Log2::ONE).contains(&entry.gained));
            prop_assert!(entry.penalty <= Log2::ZERO);
            prop_assert!(invalidated || entry.penalty == Log2::ZERO);
            if change.is_outside() {
                outside = entry.level;
            }
            prop_assert!(entry.level <= outside.plus(Log2::ONE), "{:?} from {:?}", change, before);
            let (now, later) = (Timestamp(at), Timestamp(at.saturating_add(DAY_US)));
            prop_assert!(entry.level.multiplier(later) <= entry.level.multiplier(now));
        }
    }
}
