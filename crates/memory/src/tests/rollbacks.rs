use memlith_event::{Outcome, Rank};
use memlith_log::RecordId;

use super::bench::{
    Bench, DAY, confirm, invalidate, lives_in, lives_in_since, reconfirm, resting, text,
};
use crate::{Authority, Change, Command, Judgement, Rejection};

impl Bench {
    fn roll_back(&mut self, rank: Rank, target: RecordId) -> Result<(), Rejection> {
        self.run(rank, &Command::RollBack { target, reason: None }).map(|_| ())
    }

    fn stand(&self, ids: &[RecordId]) -> Vec<Authority> {
        ids.iter().map(|id| self.authority(*id)).collect()
    }
}

use Authority::{Active, Retracted, Superseded};

#[test]
fn what_a_decision_ended_goes_on_with_its_pin() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    bench.change(Rank::User, Change::Pin, pune).unwrap();
    let (delhi, _) = bench.remember(Rank::User, lives_in("Delhi")).unwrap();
    let pinned = |bench: &Bench, id: RecordId| bench.memory.item(id.seq).unwrap().is_pinned();
    assert!(pinned(&bench, delhi));
    assert!(matches!(bench.roll_back(Rank::Assistant, delhi), Err(Rejection::Rank { .. })));
    bench.roll_back(Rank::User, delhi).unwrap();
    assert_eq!(bench.stand(&[pune, delhi]), [Active, Retracted]);
    assert!(pinned(&bench, pune) && !pinned(&bench, delhi));
    assert!(matches!(bench.roll_back(Rank::Owner, delhi), Err(Rejection::Status { .. })));
    // It has no place any more, and says nothing that is barred.
    let (_, outcome) = bench.remember(Rank::User, lives_in("Delhi")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![pune]));
}

#[test]
fn what_came_after_it_ends_what_goes_on() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (delhi, _) = bench.remember(Rank::User, lives_in("Delhi")).unwrap();
    let (goa, _) = bench.remember(Rank::User, lives_in("Goa")).unwrap();
    bench.roll_back(Rank::User, delhi).unwrap();
    assert_eq!(bench.stand(&[pune, delhi, goa]), [Superseded, Retracted, Active]);
    bench.roll_back(Rank::User, goa).unwrap();
    assert_eq!(bench.stand(&[pune, delhi, goa]), [Active, Retracted, Retracted]);
}

#[test]
fn a_correction_that_was_wrong_is_taken_back_and_said_again_it_is_one_row() {
    let mut bench = Bench::new();
    let (old, _) = bench.remember(Rank::User, text("the port is 80")).unwrap();
    let (new, _) = bench.correct(Rank::User, old, text("the port is 8080")).unwrap();
    let (again, outcome) = bench.remember(Rank::User, text("the port is 80")).unwrap();
    assert_eq!(outcome, Outcome::Added);
    bench.roll_back(Rank::User, new).unwrap();
    assert_eq!(bench.stand(&[old, new, again]), [Superseded, Retracted, Active]);
}

#[test]
fn nothing_goes_on_onto_barred_content() {
    let mut bench = Bench::new();
    let since = |value: &str, days: i64| lives_in_since(value, days * DAY);
    let (pune, _) = bench.remember(Rank::Assistant, since("Pune", 1)).unwrap();
    let (delhi, _) = bench.remember(Rank::Assistant, since("Delhi", 10)).unwrap();
    let (back, _) = bench.remember(Rank::Assistant, since("Pune", 20)).unwrap();
    bench.change(Rank::User, invalidate(), back).unwrap();
    assert!(matches!(
        bench.roll_back(Rank::Assistant, delhi),
        Err(Rejection::PreviouslyInvalidated { id, .. }) if id == back
    ));
    bench.roll_back(Rank::User, delhi).unwrap();
    assert_eq!(bench.authority(pune), Superseded, "a boundary stands");
}

#[test]
fn an_invalidation_is_no_way_round_the_rank_nor_a_rollback_round_the_bar() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::Assistant, lives_in("Pune")).unwrap();
    let (delhi, _) = bench.remember(Rank::Assistant, lives_in("Delhi")).unwrap();
    bench.change(Rank::User, invalidate(), delhi).unwrap();
    assert_eq!(bench.authority(pune), Superseded, "nothing is revived by it");
    assert!(matches!(bench.roll_back(Rank::Assistant, delhi), Err(Rejection::Rank { .. })));
    bench.roll_back(Rank::User, delhi).unwrap();
    assert_eq!(bench.stand(&[pune, delhi]), [Active, Retracted]);
    assert!(matches!(
        bench.remember(Rank::Assistant, lives_in("Delhi")),
        Err(Rejection::PreviouslyInvalidated { .. })
    ));
    assert!(bench.change(Rank::Owner, reconfirm(), delhi).is_err());
}

#[test]
fn nobody_takes_out_through_a_rollback_what_they_may_not_take_out_at_once() {
    let mut bench = Bench::new();
    let (note, _) = bench.remember(Rank::Assistant, text("a note")).unwrap();
    let (decision, _) = bench.remember(Rank::Owner, resting("so we do", &[note])).unwrap();
    bench.roll_back(Rank::Assistant, note).unwrap();
    assert_eq!(bench.stand(&[note, decision]), [Retracted, Active]);
    assert_eq!(bench.memory.disputed_by(decision.seq).collect::<Vec<_>>(), [note.seq]);
    let (other, _) = bench.remember(Rank::Assistant, text("confirmed")).unwrap();
    bench.change(Rank::User, confirm(), other).unwrap();
    assert!(matches!(bench.roll_back(Rank::Assistant, other), Err(Rejection::Rank { .. })));
}

#[test]
fn an_acceptance_is_taken_back_by_the_rank_of_its_reviewer() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (delhi, _) = bench.remember(Rank::Assistant, lives_in("Delhi")).unwrap();
    assert!(matches!(bench.roll_back(Rank::Owner, delhi), Err(Rejection::Status { .. })));
    let (judgement, targets) = (Judgement::Accept, vec![delhi]);
    let accept = Command::Review { judgement, targets, reason: None };
    bench.run(Rank::Reviewer, &accept).unwrap();
    assert!(matches!(bench.roll_back(Rank::User, delhi), Err(Rejection::Rank { needed: 5, .. })));
    bench.roll_back(Rank::Reviewer, delhi).unwrap();
    assert_eq!(bench.stand(&[pune, delhi]), [Active, Retracted]);
    assert!(matches!(bench.run(Rank::Reviewer, &accept), Err(Rejection::Status { .. })));
}
