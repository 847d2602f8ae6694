use memlith_event::{Outcome, Rank};
use memlith_log::Timestamp;

use super::bench::{Bench, DAY, lives_in_since, text};
use crate::{Authority, Rejection};

#[test]
fn a_correction_takes_the_place_in_the_past_too() {
    let mut bench = Bench::new();
    let (wrong, _) = bench.remember(Rank::User, lives_in_since("Pune", 10 * DAY)).unwrap();
    let (next, _) = bench.remember(Rank::User, lives_in_since("Goa", 50 * DAY)).unwrap();
    let (right, outcome) =
        bench.correct(Rank::User, wrong, lives_in_since("Puno", 70 * DAY)).unwrap();
    assert_eq!(outcome, Outcome::Corrected(wrong));
    let at = |day: i64| {
        [wrong, right, next].map(|id| bench.memory.authority(id.seq, Timestamp(day * DAY)).unwrap())
    };
    assert_eq!(at(20), [Authority::Superseded, Authority::Active, Authority::Future]);
    assert_eq!(at(60), [Authority::Superseded, Authority::Superseded, Authority::Active]);
}

#[test]
fn a_correction_from_below_is_a_proposal() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("a")).unwrap();
    let (proposal, outcome) = bench.correct(Rank::Assistant, fact, text("b")).unwrap();
    assert_eq!(outcome, Outcome::Proposed(vec![fact]));
    assert_eq!(
        [fact, proposal].map(|id| bench.authority(id)),
        [Authority::Active, Authority::Pending]
    );
}

#[test]
fn an_invalidated_memory_is_not_corrected() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("a")).unwrap();
    bench.change(Rank::User, super::bench::invalidate(), fact).unwrap();
    assert!(matches!(bench.correct(Rank::User, fact, text("b")), Err(Rejection::Status { .. })));
}
