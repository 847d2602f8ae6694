use memlith_event::{
    Arbitration, Body, Cosine, Decided, Difference, Event, Near, Outcome, Rank, ReconcileEvent,
    Reply, Scope, Thresholds, Validity,
};
use memlith_log::{RecordId, Timestamp};

use super::bench::{Bench, DAY, confirm, invalidate, lives_in, reconfirm, resting, text};
use crate::{Authority, Likeness, Rejection, Remember};

pub(super) fn near(id: RecordId, cosine: i32) -> Near {
    Near { id, cosine: Cosine(cosine), differs: None }
}

fn other(id: RecordId, cosine: i32) -> Near {
    Near { differs: Some(Difference::Number), ..near(id, cosine) }
}

pub(super) fn likeness(near: &[Near]) -> Likeness {
    let thresholds = Thresholds::default();
    Likeness { model: "exact".into(), thresholds, near: near.to_vec(), arbitration: None }
}

fn said(near: &[Near], reply: Reply) -> Likeness {
    let arbitration = Some(Arbitration { by: "arbiter".into(), reply });
    Likeness { arbitration, ..likeness(near) }
}

impl Bench {
    /// Writes by likeness: the decision, and the id of what was appended last.
    pub(super) fn write(
        &mut self,
        rank: Rank,
        remember: Remember,
        likeness: &Likeness,
    ) -> Result<(RecordId, Decided<'static>), Rejection> {
        let door = self.door(rank);
        let bodies = self.memory.decide_by_likeness(&remember, likeness, &door)?;
        let Event::Reconcile(ReconcileEvent::Decided(decided)) = bodies[0].event.clone() else {
            panic!("{bodies:?}")
        };
        let ids: Vec<RecordId> = bodies.into_iter().map(|body: Body<'_>| self.fold(body)).collect();
        Ok((*ids.last().unwrap(), decided))
    }

    fn plain(&mut self, what: &str) -> RecordId {
        self.remember(Rank::User, text(what)).unwrap().0
    }
}

#[test]
fn the_thresholds_part_as_they_are_written() {
    let cases = [
        (10_000_000, "restated"),
        (9_500_001, "restated"),
        (9_500_000, "restated"),
        (9_499_999, "superseded"),
        (8_750_001, "superseded"),
        (8_750_000, "superseded"),
        (8_749_999, "added"),
        (8_000_000, "added"),
        (7_999_999, "added"),
    ];
    for (cosine, expected) in cases {
        let mut bench = Bench::new();
        let first = bench.plain("prefers email");
        let weighed = likeness(&[near(first, cosine)]);
        assert_eq!(weighed.is_open(), (8_000_000..9_500_000).contains(&cosine));
        let (id, decided) = bench.write(Rank::User, text("likes email best"), &weighed).unwrap();
        let outcome = match expected {
            "restated" => Outcome::Restated(first),
            "superseded" => Outcome::Superseded(vec![first]),
            _ => Outcome::Added,
        };
        assert_eq!(decided.outcome, outcome, "{cosine}");
        let is_live =
            |id: &&RecordId| bench.memory.authority(id.seq, bench.now) == Some(Authority::Active);
        let live = [first, id].iter().filter(is_live).count();
        assert_eq!(live, if expected == "added" { 2 } else { 1 }, "{cosine}");
        let weighing = decided.weighing.unwrap();
        assert_eq!(
            (weighing.near, decided.model.as_deref()),
            (vec![near(first, cosine)], Some("exact"))
        );
    }
}

#[test]
fn one_update_supersedes_all_that_are_near_enough() {
    let mut bench = Bench::new();
    let [a, b, c] = ["a", "b", "c"].map(|what| bench.plain(what));
    let weighed = likeness(&[near(c, 8_700_000), near(a, 8_800_000), near(b, 9_400_000)]);
    let (new, decided) = bench.write(Rank::User, text("d"), &weighed).unwrap();
    assert_eq!(decided.outcome, Outcome::Superseded(vec![a, b]));
    assert_eq!([a, b].map(|id| bench.memory.closed(id.seq).unwrap().0), [new.seq; 2]);
    assert_eq!([c, new].map(|id| bench.authority(id)), [Authority::Active; 2]);
    let order: Vec<RecordId> = decided.weighing.unwrap().near.iter().map(|one| one.id).collect();
    assert_eq!(order, [b, a, c], "the nearest first");
}

#[test]
fn a_difference_vetoes_a_restatement_and_both_stand_contested() {
    let mut bench = Bench::new();
    let old = bench.plain("the API listens on port 8080");
    let weighed = likeness(&[other(old, 9_900_000)]);
    let (new, decided) =
        bench.write(Rank::User, text("the API listens on port 9090"), &weighed).unwrap();
    assert_eq!((&decided.outcome, decided.contests()), (&Outcome::Added, &[old][..]));
    assert_eq!([old, new].map(|id| bench.authority(id)), [Authority::Contested; 2]);
    let with = |id: RecordId| bench.memory.contested_with(id.seq, bench.now).collect::<Vec<_>>();
    assert_eq!([with(old), with(new)], [[new], [old]]);
}

#[test]
fn a_word_in_the_place_of_another_vetoes_a_restatement_and_nothing_else() {
    for (cosine, expected, contests) in [(9_500_000, 0, 1), (9_499_999, 1, 0), (8_749_999, 0, 0)] {
        let mut bench = Bench::new();
        let old = bench.plain("an aisle seat");
        let one = Near { differs: Some(Difference::Value), ..near(old, cosine) };
        let weighed = likeness(&[one]);
        let (_, decided) = bench.write(Rank::User, text("a window seat"), &weighed).unwrap();
        assert!(weighed.is_open(), "nobody can tell, but an arbiter");
        let superseded = matches!(&decided.outcome, Outcome::Superseded(rows) if rows == &[old]);
        assert_eq!((usize::from(superseded), decided.contests().len()), (expected, contests));
    }
}

#[test]
fn a_contest_ends_when_one_side_is_confirmed_or_taken_out() {
    let contested = || {
        let mut bench = Bench::new();
        let old = bench.plain("eight");
        let (new, _) =
            bench.write(Rank::User, text("nine"), &likeness(&[other(old, 9_000_000)])).unwrap();
        (bench, old, new)
    };
    let (mut bench, old, new) = contested();
    bench.change(Rank::Assistant, confirm(), old).unwrap();
    assert_eq!(bench.authority(new), Authority::Contested, "an assistant settles nothing");
    bench.change(Rank::User, confirm(), old).unwrap();
    assert_eq!(
        [old, new].map(|id| bench.authority(id)),
        [Authority::Active, Authority::Superseded]
    );
    let (mut bench, old, new) = contested();
    bench.change(Rank::User, invalidate(), old).unwrap();
    assert_eq!(
        [old, new].map(|id| bench.authority(id)),
        [Authority::Invalidated, Authority::Active]
    );
    bench.change(Rank::User, reconfirm(), old).unwrap();
    assert_eq!([old, new].map(|id| bench.authority(id)), [Authority::Contested; 2]);
    // What the owner wrote no user's word ends.
    let mut bench = Bench::new();
    let (old, _) = bench.remember(Rank::Owner, text("eight")).unwrap();
    let (new, _) =
        bench.write(Rank::Owner, text("nine"), &likeness(&[other(old, 9_000_000)])).unwrap();
    bench.change(Rank::User, confirm(), new).unwrap();
    assert_eq!([old, new].map(|id| bench.authority(id)), [Authority::Contested; 2]);
}

#[test]
fn a_low_rank_supersedes_and_contests_nothing_above_it() {
    for weigh in [near, other] {
        let mut bench = Bench::new();
        let old = bench.plain("prefers email");
        let weighed = likeness(&[weigh(old, 9_000_000)]);
        let (new, decided) = bench.write(Rank::Assistant, text("prefers calls"), &weighed).unwrap();
        assert_eq!(decided.outcome, Outcome::Proposed(vec![old]));
        assert_eq!(
            [old, new].map(|id| bench.authority(id)),
            [Authority::Active, Authority::Pending]
        );
        assert!(bench.memory.disputed_by(old.seq).eq([new.seq]));
        assert!(decided.contests().is_empty() && decided.closings.is_empty());
    }
    // A restatement changes nothing, whoever makes it.
    let mut bench = Bench::new();
    let old = bench.plain("prefers email");
    let (_, decided) = bench
        .write(Rank::Assistant, text("likes email"), &likeness(&[near(old, 9_600_000)]))
        .unwrap();
    assert_eq!(decided.outcome, Outcome::Restated(old));
}

#[test]
fn an_arbiter_decides_between_the_thresholds_alone() {
    let outcomes = |cosine: i32| {
        let mut all = Vec::new();
        for reply in [Reply::Add, Reply::Skip, Reply::TimedOut] {
            let mut bench = Bench::new();
            let old = bench.plain("a");
            let weighed = said(&[near(old, cosine)], reply);
            all.push(bench.write(Rank::User, text("b"), &weighed).unwrap().1.outcome);
        }
        all
    };
    let a = Bench::new().plain("a");
    assert_eq!(
        outcomes(9_000_000),
        [Outcome::Added, Outcome::Skipped, Outcome::Superseded(vec![a])]
    );
    assert_eq!(outcomes(8_100_000), [Outcome::Added, Outcome::Skipped, Outcome::Added]);
    assert_eq!(outcomes(9_600_000), [(); 3].map(|()| Outcome::Restated(a)));
    let mut bench = Bench::new();
    let [a, b, c] = ["a", "b", "c"].map(|what| bench.plain(what));
    let weighed = [near(a, 8_100_000), other(b, 9_000_000), near(c, 8_050_000)];
    let (new, decided) =
        bench.write(Rank::User, text("d"), &said(&weighed, Reply::Update(b))).unwrap();
    assert_eq!(
        decided.outcome,
        Outcome::Superseded(vec![b]),
        "a difference is the arbiter's to judge"
    );
    let again =
        said(&[near(a, 8_100_000), near(c, 8_050_000), near(new, 8_070_000)], Reply::Update(new));
    let (_, decided) = bench.write(Rank::User, text("e"), &again).unwrap();
    assert_eq!(decided.outcome, Outcome::Superseded(vec![a, new]), "and what is nearer still");
}

#[test]
fn what_was_skipped_is_erased_with_what_it_was_like() {
    let mut bench = Bench::new();
    let old = bench.plain("a");
    let weighed = said(&[near(old, 9_000_000)], Reply::Skip);
    let (event, decided) = bench.write(Rank::User, text("b"), &weighed).unwrap();
    assert_eq!(decided.text.as_str(), "b");
    let erased = bench.memory.decide_erasure(&[old], &bench.door(Rank::Owner)).unwrap();
    assert_eq!(erased, [old.seq, event.seq]);
}

#[test]
fn there_and_back_by_likeness_leaves_one_live_row_and_no_circle() {
    let mut bench = Bench::new();
    let a = bench.plain("lives in Pune");
    let (b, _) = bench
        .write(Rank::User, text("has moved to Bangalore"), &likeness(&[near(a, 9_000_000)]))
        .unwrap();
    // The dead row is offered too: it is no candidate.
    let back = likeness(&[near(a, 10_000_000), near(b, 9_000_000)]);
    let (c, decided) = bench.write(Rank::User, text("lives in Pune"), &back).unwrap();
    assert_eq!(decided.outcome, Outcome::Superseded(vec![b]));
    let chain = [a, b, c].map(|id| bench.memory.closed(id.seq).map(|(by, _)| by));
    assert_eq!(chain, [Some(b.seq), Some(c.seq), None]);
    assert_eq!(bench.authority(c), Authority::Active);
}

#[test]
fn other_scopes_and_rooms_are_never_compared() {
    let scopes = [
        Scope::tenant("u"),
        Scope { agent: Some("a".into()), ..Scope::tenant("t") },
        Scope { subject: Some("s".into()), ..Scope::tenant("t") },
        Scope { session: Some("x".into()), session_only: true, ..Scope::tenant("t") },
    ];
    for scope in scopes {
        let mut bench = Bench::new();
        let old = bench.plain("a");
        bench.scope = scope;
        let (_, decided) =
            bench.write(Rank::User, text("b"), &likeness(&[near(old, 9_900_000)])).unwrap();
        assert_eq!(decided.outcome, Outcome::Added);
        assert!(decided.weighing.unwrap().near.is_empty());
    }
}

#[test]
fn a_back_dated_write_is_history() {
    let since = |what: &str, day: i64| Remember {
        validity: Validity { from: Some(Timestamp(day * DAY)), until: None },
        ..text(what)
    };
    let mut bench = Bench::new();
    let (late, _) = bench.remember(Rank::User, since("a", 50)).unwrap();
    let (early, decided) =
        bench.write(Rank::User, since("b", 10), &likeness(&[near(late, 9_000_000)])).unwrap();
    assert_eq!(decided.outcome, Outcome::Added);
    assert_eq!(bench.memory.closed(early.seq), Some((late.seq, Timestamp(50 * DAY))));
    let at = |instant| {
        [early, late].map(|id| bench.memory.authority(id.seq, Timestamp(instant)).unwrap())
    };
    assert_eq!(at(50 * DAY - 1), [Authority::Active, Authority::Future]);
    assert_eq!(at(50 * DAY), [Authority::Superseded, Authority::Active]);
}

#[test]
fn a_slot_decides_before_likeness_does() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let weighed = likeness(&[near(pune, 9_900_000)]);
    let (delhi, decided) = bench.write(Rank::User, lives_in("Delhi"), &weighed).unwrap();
    assert_eq!(decided.outcome, Outcome::Superseded(vec![pune]));
    // One without a slot doesn't take the slot's place, but may say its words again.
    let beside = likeness(&[near(delhi, 9_000_000)]);
    let (_, decided) = bench.write(Rank::User, text("home is Delhi"), &beside).unwrap();
    assert_eq!(decided.outcome, Outcome::Added);
    let again = likeness(&[near(delhi, 9_600_000)]);
    let (_, decided) = bench.write(Rank::User, text("Ana's home is Delhi"), &again).unwrap();
    assert_eq!(decided.outcome, Outcome::Restated(delhi));
}

#[test]
fn what_was_said_in_other_words_is_barred_with_them() {
    let mut bench = Bench::new();
    let old = bench.plain("prefers email");
    bench.write(Rank::User, text("likes email best"), &likeness(&[near(old, 9_700_000)])).unwrap();
    bench.change(Rank::User, invalidate(), old).unwrap();
    let back = bench.remember(Rank::Assistant, text("Likes email best."));
    assert!(matches!(back, Err(Rejection::PreviouslyInvalidated { .. })), "{back:?}");
    // One below the row's guard gives it no other words.
    let mut bench = Bench::new();
    let old = bench.plain("prefers email");
    bench.write(Rank::Assistant, text("hates calls"), &likeness(&[near(old, 9_700_000)])).unwrap();
    bench.change(Rank::User, invalidate(), old).unwrap();
    bench.remember(Rank::User, text("hates calls")).unwrap();
}

#[test]
fn what_is_stale_or_derived_is_no_candidate() {
    let mut bench = Bench::new();
    let source = bench.plain("source");
    let (stale, _) = bench.remember(Rank::User, resting("rests", &[source])).unwrap();
    let (derived, _) = bench.remember(Rank::Engine, resting("derived", &[source])).unwrap();
    let weighed = likeness(&[near(derived, 9_900_000)]);
    let (_, decided) = bench.write(Rank::User, text("b"), &weighed).unwrap();
    assert_eq!(decided.outcome, Outcome::Added);
    bench.change(Rank::User, invalidate(), source).unwrap();
    assert_eq!(bench.authority(stale), Authority::Stale);
    let weighed = likeness(&[near(stale, 9_900_000)]);
    let (_, decided) = bench.write(Rank::User, text("c"), &weighed).unwrap();
    assert_eq!(decided.outcome, Outcome::Added);
}
