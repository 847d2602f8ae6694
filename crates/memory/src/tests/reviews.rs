use memlith_event::{Outcome, Rank};
use memlith_log::RecordId;

use super::bench::{
    Bench, confirm, invalidate, lives_in, lives_in_since, reconfirm, resting, text,
};
use crate::{Authority, Change, Command, Judgement, Rejection};

impl Bench {
    fn review(
        &mut self,
        rank: Rank,
        judgement: Judgement,
        target: RecordId,
    ) -> Result<(), Rejection> {
        let command = Command::Review { judgement, targets: vec![target], reason: None };
        self.run(rank, &command).map(|_| ())
    }

    pub(super) fn accept(&mut self, rank: Rank, target: RecordId) -> Result<(), Rejection> {
        self.review(rank, Judgement::Accept, target)
    }

    fn reject(&mut self, rank: Rank, target: RecordId) -> Result<(), Rejection> {
        self.review(rank, Judgement::Reject, target)
    }

    fn authorities(&self, ids: &[RecordId]) -> Vec<Authority> {
        ids.iter().map(|id| self.authority(*id)).collect()
    }
}

#[test]
fn an_accepted_proposal_takes_its_place() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    bench.change(Rank::User, Change::Pin, pune).unwrap();
    let (delhi, _) = bench.remember(Rank::Assistant, lives_in("Delhi")).unwrap();
    bench.accept(Rank::Reviewer, delhi).unwrap();
    assert_eq!(bench.authorities(&[pune, delhi]), [Authority::Superseded, Authority::Active]);
    let item = bench.memory.item(delhi.seq).unwrap();
    assert!(item.flags.has(crate::ItemFlags::ACCEPTED) && item.is_pinned());
    assert_eq!((item.guard, item.tier.0), (4, 3), "the guard rises, the tier never");
    assert_eq!(bench.memory.disputed_by(pune.seq).count(), 0);
    // It is a row of its slot from now on.
    let (_, outcome) = bench.remember(Rank::User, lives_in("Goa")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![delhi]));
}

#[test]
fn an_accepted_correction_ends_what_was_wrong_though_its_dispute_is_over() {
    let mut bench = Bench::new();
    let (wrong, _) = bench.remember(Rank::User, text("the port is 80")).unwrap();
    let (right, outcome) = bench.correct(Rank::Assistant, wrong, text("the port is 8080")).unwrap();
    assert_eq!(outcome, Outcome::Proposed(vec![wrong]));
    bench.change(Rank::User, confirm(), wrong).unwrap();
    assert_eq!(bench.memory.disputed_by(wrong.seq).count(), 0);
    bench.accept(Rank::Reviewer, right).unwrap();
    assert_eq!(bench.authorities(&[wrong, right]), [Authority::Superseded, Authority::Active]);
}

#[test]
fn a_review_is_final_and_another_s() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Tool, text("a")).unwrap();
    assert!(matches!(bench.accept(Rank::Assistant, fact), Err(Rejection::Rank { needed: 4, .. })));
    bench.review(Rank::User, Judgement::Defer, fact).unwrap();
    assert_eq!(bench.authority(fact), Authority::Pending);
    bench.reject(Rank::User, fact).unwrap();
    for rank in [Rank::User, Rank::Owner] {
        assert!(matches!(bench.accept(rank, fact), Err(Rejection::Status { .. })));
        assert!(matches!(bench.reject(rank, fact), Err(Rejection::Status { .. })));
    }
    let (other, _) = bench.remember(Rank::Tool, text("b")).unwrap();
    bench.accept(Rank::User, other).unwrap();
    assert!(matches!(
        bench.accept(Rank::Owner, other),
        Err(Rejection::Status { authority: Authority::Active, .. })
    ));
    // A user's proposal against the owner is another user's to accept, and the owner's.
    let (pune, _) = bench.remember(Rank::Owner, lives_in("Pune")).unwrap();
    let (goa, _) = bench.remember(Rank::User, lives_in("Goa")).unwrap();
    assert_eq!(bench.accept(Rank::User, goa), Err(Rejection::OwnProposal { id: goa }));
    assert!(matches!(
        bench.accept(Rank::Reviewer, goa),
        Err(Rejection::Rank { id, needed: 6, .. }) if id == pune
    ));
    bench.accept(Rank::Owner, goa).unwrap();
    assert_eq!(bench.memory.item(goa.seq).unwrap().guard, 6);
}

#[test]
fn what_is_stale_missing_or_another_scope_s_is_not_accepted() {
    let mut bench = Bench::new();
    let (source, _) = bench.remember(Rank::Assistant, text("the source")).unwrap();
    let (claim, _) = bench.remember(Rank::Tool, resting("the claim", &[source])).unwrap();
    bench.change(Rank::User, invalidate(), source).unwrap();
    assert!(matches!(
        bench.accept(Rank::User, claim),
        Err(Rejection::Status { authority: Authority::Stale, .. })
    ));
    bench.change(Rank::User, reconfirm(), source).unwrap();
    let elsewhere = Bench { scope: memlith_event::Scope::tenant("other"), ..bench.clone() };
    assert_eq!(elsewhere.clone().accept(Rank::User, claim), Err(Rejection::NotFound { id: claim }));
    let missing = RecordId { seq: claim.seq, hash: [9; 6] };
    assert_eq!(bench.accept(Rank::User, missing), Err(Rejection::NotFound { id: missing }));
    bench.accept(Rank::User, claim).unwrap();
}

#[test]
fn what_rests_on_a_proposal_stands_when_it_is_accepted() {
    let mut bench = Bench::new();
    let (proposal, _) = bench.remember(Rank::Tool, text("the claim")).unwrap();
    let (conclusion, _) = bench.remember(Rank::User, resting("so", &[proposal])).unwrap();
    assert_eq!(bench.authority(conclusion), Authority::Stale);
    bench.accept(Rank::User, proposal).unwrap();
    assert_eq!(bench.authority(conclusion), Authority::Active);
}

#[test]
fn what_was_rejected_comes_back_as_a_new_row_and_not_from_below() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Tool, text("a")).unwrap();
    bench.reject(Rank::User, fact).unwrap();
    assert!(matches!(
        bench.remember(Rank::Tool, text("A.")),
        Err(Rejection::PreviouslyRejected { id, rejecter: 4, .. }) if id == fact
    ));
    let (row, outcome) = bench.remember(Rank::User, text("a")).unwrap();
    assert_eq!((outcome, row == fact), (Outcome::Added, false));
    assert_eq!(bench.authorities(&[fact, row]), [Authority::Rejected, Authority::Active]);
}

#[test]
fn nothing_is_accepted_onto_barred_content() {
    let mut bench = Bench::new();
    let (first, _) = bench.remember(Rank::Tool, lives_in("Delhi")).unwrap();
    let second = crate::Remember { text: "Delhi is home".into(), ..lives_in("Delhi") };
    let (second, _) = bench.remember(Rank::Web, second).unwrap();
    bench.reject(Rank::Owner, first).unwrap();
    assert!(matches!(
        bench.accept(Rank::User, second),
        Err(Rejection::PreviouslyRejected { id, .. }) if id == first
    ));
    bench.accept(Rank::Owner, second).unwrap();
    assert_eq!(bench.authority(second), Authority::Active);
}

#[test]
fn what_is_said_by_a_row_that_stands_is_not_accepted_beside_it() {
    let mut bench = Bench::new();
    let since = |value: &str, days| lives_in_since(value, bench_day(days));
    bench.remember(Rank::User, since("Pune", 1)).unwrap();
    let words = crate::Remember { text: "Delhi is home".into(), ..since("Delhi", 10) };
    let (proposal, _) = bench.remember(Rank::Assistant, words).unwrap();
    let (delhi, _) = bench.remember(Rank::User, since("Delhi", 10)).unwrap();
    assert_eq!(
        bench.accept(Rank::Reviewer, proposal),
        Err(Rejection::SaidAlready { id: proposal, by: delhi })
    );
}

#[test]
fn what_was_accepted_late_is_history_where_a_later_row_stands() {
    let mut bench = Bench::new();
    let at = |days: i64| bench_day(days);
    bench.remember(Rank::User, lives_in_since("Pune", at(1))).unwrap();
    let (delhi, _) = bench.remember(Rank::Assistant, lives_in_since("Delhi", at(10))).unwrap();
    let (goa, _) = bench.remember(Rank::User, lives_in_since("Goa", at(20))).unwrap();
    bench.accept(Rank::Reviewer, delhi).unwrap();
    assert_eq!(bench.authorities(&[delhi, goa]), [Authority::Superseded, Authority::Active]);
    let then = memlith_log::Timestamp(at(15));
    assert_eq!(bench.memory.authority(delhi.seq, then), Some(Authority::Active));
}

#[test]
fn one_row_of_a_slot_stands_after_rows_of_one_instant_were_accepted_late() {
    let mut bench = Bench::new();
    let since = |value: &str, days| lives_in_since(value, bench_day(days));
    bench.remember(Rank::User, since("Pune", 1)).unwrap();
    let (delhi, _) = bench.remember(Rank::Assistant, since("Delhi", 10)).unwrap();
    let (goa, _) = bench.remember(Rank::User, since("Goa", 10)).unwrap();
    bench.accept(Rank::Reviewer, delhi).unwrap();
    bench.change(Rank::Owner, invalidate(), delhi).unwrap();
    let (agra, _) = bench.remember(Rank::User, since("Agra", 20)).unwrap();
    bench.change(Rank::Owner, reconfirm(), delhi).unwrap();
    assert_eq!(
        bench.authorities(&[delhi, goa, agra]),
        [Authority::Superseded, Authority::Superseded, Authority::Active]
    );
}

fn bench_day(days: i64) -> i64 {
    days * super::bench::DAY
}
