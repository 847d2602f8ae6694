use memlith_event::{Outcome, Rank};
use memlith_log::Timestamp;

use super::bench::{Bench, DAY, lives_in, lives_in_since};
use crate::{Authority, Remember};

fn at(bench: &Bench, id: memlith_log::RecordId, day: i64) -> Authority {
    bench.memory.authority(id.seq, Timestamp(day * DAY)).unwrap()
}

#[test]
fn another_value_supersedes_from_its_own_beginning() {
    let mut bench = Bench::new();
    let (pune, outcome) = bench.remember(Rank::User, lives_in_since("Pune", 10 * DAY)).unwrap();
    assert_eq!(outcome, Outcome::Added);
    let (bangalore, outcome) =
        bench.remember(Rank::User, lives_in_since("Bangalore", 50 * DAY)).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![pune]));
    for (day, first, second) in [
        (9, Authority::Future, Authority::Future),
        (10, Authority::Active, Authority::Future),
        (49, Authority::Active, Authority::Future),
        (50, Authority::Superseded, Authority::Active),
    ] {
        assert_eq!(
            (at(&bench, pune, day), at(&bench, bangalore, day)),
            (first, second),
            "day {day}"
        );
    }
    assert_eq!(bench.memory.closed(pune.seq), Some((bangalore.seq, Timestamp(50 * DAY))));
    assert_eq!(bench.memory.authority(pune.seq, Timestamp(50 * DAY - 1)), Some(Authority::Active));
}

#[test]
fn the_same_value_in_other_words_is_a_restatement() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let again = Remember { text: "Ana's home is Pune".into(), ..lives_in("pune") };
    assert_eq!(bench.remember(Rank::Assistant, again).unwrap(), (pune, Outcome::Restated(pune)));
    assert_eq!(bench.memory.assertion(pune.seq).unwrap().restated, 1);
}

#[test]
fn there_and_back_leaves_one_live_row() {
    let mut bench = Bench::new();
    let (first, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (second, _) = bench.remember(Rank::User, lives_in("Bangalore")).unwrap();
    let (third, outcome) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![second]));
    let shown = [first, second, third].map(|id| bench.authority(id));
    assert_eq!(shown, [Authority::Superseded, Authority::Superseded, Authority::Active]);
}

#[test]
fn a_back_dated_row_is_history() {
    let mut bench = Bench::new();
    let (late, _) = bench.remember(Rank::User, lives_in_since("Bangalore", 50 * DAY)).unwrap();
    let (early, outcome) = bench.remember(Rank::User, lives_in_since("Pune", 10 * DAY)).unwrap();
    assert_eq!(outcome, Outcome::Added);
    let (middle, outcome) = bench.remember(Rank::User, lives_in_since("Delhi", 30 * DAY)).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![early]));
    for (day, expected) in [(20, early), (40, middle), (60, late)] {
        for id in [early, middle, late] {
            let active = at(&bench, id, day) == Authority::Active;
            assert_eq!(active, id == expected, "day {day}, {id}");
        }
    }
}

#[test]
fn nothing_is_revived_when_a_successor_is_invalidated() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (bangalore, _) = bench.remember(Rank::User, lives_in("Bangalore")).unwrap();
    bench.change(Rank::User, super::bench::invalidate(), bangalore).unwrap();
    assert_eq!(bench.authority(pune), Authority::Superseded);
    assert_eq!(bench.authority(bangalore), Authority::Invalidated);
}

#[test]
fn a_property_of_many_values_supersedes_nothing() {
    let mut bench = Bench::new();
    let many = |value: &str| {
        let mut remember = lives_in(value);
        remember.slot.as_mut().unwrap().single = false;
        remember
    };
    let (first, _) = bench.remember(Rank::User, many("Pune")).unwrap();
    assert_eq!(bench.remember(Rank::User, many("Delhi")).unwrap().1, Outcome::Added);
    assert_eq!(bench.authority(first), Authority::Active);
}

#[test]
fn an_erased_successor_keeps_its_boundary() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let events =
        bench.clone().run(Rank::User, &crate::Command::Remember(lives_in("Bangalore"))).unwrap();
    let [(_, decided), (row, _)] = events.try_into().unwrap();
    bench.fold(decided);
    bench.memory.fold(&memlith_event::Stored {
        id: row,
        recorded_at: bench.now,
        content: memlith_event::Content::Erased(memlith_event::Kind::REMEMBERED),
    });
    assert_eq!(bench.authority(pune), Authority::Superseded);
    assert_eq!(bench.authority(row), Authority::Erased);
}
