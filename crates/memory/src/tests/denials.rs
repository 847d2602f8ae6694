use memlith_event::{Outcome, Rank, Slot};
use memlith_log::Timestamp;

use super::bench::{Bench, DAY, lives_in, lives_in_since, text};
use super::likeness::{likeness, near};
use crate::{Authority, Command, Judgement, Remember};

/// Denies `remember`: its slot becomes a denial, its words "Not so".
pub(super) fn denied(remember: Remember) -> Remember {
    let slot = remember.slot.map(|slot| {
        let predicate = format!("not {}", slot.predicate).into();
        Slot { predicate, single: false, ..slot }
    });
    Remember { slot, text: format!("Not so: {}", remember.text), ..remember }
}

fn likes(what: &str) -> Remember {
    let (entity, predicate, value) = ("ana".into(), "likes".into(), what.to_owned().into());
    let slot = Some(Slot { entity, predicate, value, single: false });
    Remember { slot, ..text(&format!("Ana likes {what}")) }
}

#[test]
fn a_value_and_its_denial_end_each_other() {
    for said in [lives_in("Pune"), likes("tea")] {
        let mut bench = Bench::new();
        let (first, _) = bench.remember(Rank::User, said.clone()).unwrap();
        let (no, outcome) = bench.remember(Rank::User, denied(said.clone())).unwrap();
        assert_eq!(outcome, Outcome::Superseded(vec![first]));
        let again = Remember { text: "By no means".into(), ..denied(said.clone()) };
        assert_eq!(bench.remember(Rank::User, again).unwrap().1, Outcome::Restated(no));
        let (second, outcome) = bench.remember(Rank::User, said).unwrap();
        assert_eq!(outcome, Outcome::Superseded(vec![no]));
        let shown = [first, no, second].map(|id| bench.authority(id));
        assert_eq!(shown, [Authority::Superseded, Authority::Superseded, Authority::Active]);
    }
}

#[test]
fn a_denial_of_another_value_ends_nothing() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (no, outcome) = bench.remember(Rank::User, denied(lives_in("Oslo"))).unwrap();
    assert_eq!(outcome, Outcome::Added);
    let (rome, outcome) = bench.remember(Rank::User, lives_in("Rome")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![pune]), "the denial stays");
    let (_, outcome) = bench.remember(Rank::User, lives_in("Oslo")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![no, rome]));
}

#[test]
fn a_denial_from_below_waits_and_is_taken_in_by_a_person() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (no, outcome) = bench.remember(Rank::Assistant, denied(lives_in("Pune"))).unwrap();
    assert_eq!(outcome, Outcome::Proposed(vec![pune]));
    assert_eq!([pune, no].map(|id| bench.authority(id)), [Authority::Active, Authority::Pending]);
    let targets = vec![no];
    let accept = Command::Review { judgement: Judgement::Accept, targets, reason: None };
    bench.run(Rank::User, &accept).unwrap();
    let shown = [pune, no].map(|id| bench.authority(id));
    assert_eq!(shown, [Authority::Superseded, Authority::Active]);
}

#[test]
fn what_is_back_dated_ends_where_the_opposite_begins() {
    let at = |bench: &Bench, id: memlith_log::RecordId, day: i64| {
        bench.memory.authority(id.seq, Timestamp(day * DAY)).unwrap()
    };
    for (late, early) in [
        (lives_in_since("Pune", 50 * DAY), denied(lives_in_since("Pune", 10 * DAY))),
        (denied(lives_in_since("Pune", 50 * DAY)), lives_in_since("Pune", 10 * DAY)),
    ] {
        let mut bench = Bench::new();
        let (late, _) = bench.remember(Rank::User, late).unwrap();
        let (other, _) = bench.remember(Rank::User, lives_in_since("Oslo", 60 * DAY)).unwrap();
        let (early, outcome) = bench.remember(Rank::User, early).unwrap();
        assert_eq!(outcome, Outcome::Added);
        for (day, expected) in [(20, early), (55, late)] {
            for id in [early, late, other] {
                let active = at(&bench, id, day) == Authority::Active;
                assert_eq!(active, id == expected, "day {day}, {id}");
            }
        }
    }
}

#[test]
fn what_a_denial_meets_is_not_left_to_likeness() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (tea, _) = bench.remember(Rank::User, text("tea")).unwrap();
    let weighed = likeness(&[near(tea, 9_900_000)]);
    let (_, decided) = bench.write(Rank::User, denied(lives_in("Pune")), &weighed).unwrap();
    assert_eq!((decided.outcome, decided.weighing), (Outcome::Superseded(vec![pune]), None));
}
