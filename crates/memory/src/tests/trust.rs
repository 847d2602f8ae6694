use memlith_event::{Outcome, PendingReason, Rank};

use super::bench::{Bench, confirm, invalidate, lives_in, reconfirm, text};
use crate::{Authority, Command, Rejection, Remember};

#[test]
fn a_lower_rank_disputes_and_displaces_nothing() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (proposal, outcome) = bench.remember(Rank::Assistant, lives_in("Delhi")).unwrap();
    assert_eq!(outcome, Outcome::Proposed(vec![pune]));
    assert_eq!(
        (bench.authority(pune), bench.authority(proposal)),
        (Authority::Active, Authority::Pending)
    );
    assert_eq!(bench.memory.disputed_by(pune.seq).collect::<Vec<_>>(), [proposal.seq]);
    bench.change(Rank::User, invalidate(), proposal).unwrap();
    assert_eq!(bench.memory.disputed_by(pune.seq).count(), 0);
}

#[test]
fn a_lower_rank_can_not_invalidate() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("a")).unwrap();
    bench.change(Rank::Assistant, invalidate(), fact).unwrap();
    assert_eq!(bench.authority(fact), Authority::Active);
    assert_eq!(bench.memory.disputed_by(fact.seq).count(), 1);
    bench.change(Rank::User, confirm(), fact).unwrap();
    assert_eq!(bench.memory.disputed_by(fact.seq).count(), 0);
}

#[test]
fn a_confirmed_memory_is_guarded_by_who_confirmed_it() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Assistant, lives_in("Pune")).unwrap();
    bench.change(Rank::User, confirm(), fact).unwrap();
    let (_, outcome) = bench.remember(Rank::Assistant, lives_in("Delhi")).unwrap();
    assert_eq!(outcome, Outcome::Proposed(vec![fact]));
    let (_, outcome) = bench.remember(Rank::User, lives_in("Goa")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![fact]));
}

#[test]
fn the_owner_can_change_what_the_owner_wrote() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Owner, lives_in("Pune")).unwrap();
    let (_, outcome) = bench.remember(Rank::User, lives_in("Delhi")).unwrap();
    assert_eq!(outcome, Outcome::Proposed(vec![fact]));
    let (_, outcome) = bench.remember(Rank::Owner, lives_in("Goa")).unwrap();
    assert_eq!(outcome, Outcome::Superseded(vec![fact]));
}

#[test]
fn tool_and_web_text_waits_for_review() {
    let mut bench = Bench::new();
    for rank in [Rank::Tool, Rank::Web] {
        let (id, outcome) = bench.remember(rank, text(&format!("said by {rank:?}"))).unwrap();
        assert_eq!((outcome, bench.authority(id)), (Outcome::Added, Authority::Pending));
    }
    let (pending, _) = bench.remember(Rank::Tool, text("x")).unwrap();
    assert_eq!(
        bench.remember(Rank::Tool, text("x")).unwrap(),
        (pending, Outcome::Restated(pending))
    );
    let (row, outcome) = bench.remember(Rank::User, text("X")).unwrap();
    assert_eq!((outcome, bench.authority(row)), (Outcome::Added, Authority::Active));
    assert_eq!(bench.authority(pending), Authority::Retracted);
}

/// A memory that waits for review, whoever proposes it.
fn proposed(bench: &mut Bench, rank: Rank, what: Remember) -> memlith_log::RecordId {
    let reason = PendingReason::Extracted;
    let propose = Command::Propose { what, reason, against: Vec::new() };
    bench.run(rank, &propose).unwrap().last().unwrap().0
}

#[test]
fn a_write_from_below_closes_no_proposal_and_gives_way_to_it_once_it_is_accepted() {
    // A person's proposal was retracted, for good, by any memory of the same words: an assistant
    // that said them took away what was to be reviewed, and with it the person's standing.
    let mut bench = Bench::new();
    let proposal = proposed(&mut bench, Rank::User, text("the port is 80"));
    let (said, outcome) = bench.remember(Rank::Assistant, text("The port is 80.")).unwrap();
    assert_eq!((outcome, bench.authority(said)), (Outcome::Added, Authority::Active));
    assert_eq!(bench.authority(proposal), Authority::Pending);
    bench.accept(Rank::Reviewer, proposal).unwrap();
    assert_eq!(bench.authority(proposal), Authority::Active);
    assert_eq!(bench.authority(said), Authority::Superseded, "never two of the same words");

    // Whoever reaches its guard says it instead.
    let proposal = proposed(&mut bench, Rank::Assistant, text("the key is 7"));
    let (_, outcome) = bench.remember(Rank::User, text("The key is 7")).unwrap();
    assert_eq!((outcome, bench.authority(proposal)), (Outcome::Added, Authority::Retracted));
    // And what stands with as much behind it leaves nothing to accept.
    let proposal = proposed(&mut bench, Rank::User, text("the host is up"));
    let (said, _) = bench.remember(Rank::Assistant, text("the host is up")).unwrap();
    bench.change(Rank::User, confirm(), said).unwrap();
    let refused = bench.accept(Rank::Reviewer, proposal);
    assert_eq!(refused, Err(Rejection::SaidAlready { id: proposal, by: said }));
}

#[test]
fn the_same_words_without_the_slot_close_no_proposal_for_it() {
    let mut bench = Bench::new();
    bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (proposal, _) = bench.remember(Rank::Assistant, lives_in("Delhi")).unwrap();
    let (words, outcome) = bench.remember(Rank::User, text("Ana lives in Delhi")).unwrap();
    assert_eq!((outcome, bench.authority(words)), (Outcome::Added, Authority::Active));
    assert_eq!(bench.authority(proposal), Authority::Pending, "the slot says Pune still");
    let (row, _) = bench.remember(Rank::User, lives_in("Delhi")).unwrap();
    assert_eq!(bench.authority(row), Authority::Active);
    assert_eq!(bench.authority(proposal), Authority::Retracted);
}

#[test]
fn what_was_invalidated_can_not_be_said_again_from_below_or_from_before() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Assistant, text("the key is 7")).unwrap();
    let before = bench.now;
    bench.change(Rank::User, invalidate(), fact).unwrap();
    let said = || text("The key is 7.");
    assert!(matches!(
        bench.remember(Rank::Assistant, said()),
        Err(Rejection::PreviouslyInvalidated { id, .. }) if id == fact
    ));
    let mut old = bench.door(Rank::User);
    old.occurred_at = before;
    assert!(bench.memory.decide(&crate::Command::Remember(said()), &old).is_err());
    assert_eq!(bench.remember(Rank::User, said()).unwrap(), (fact, Outcome::Reopened(fact)));
    assert_eq!(bench.authority(fact), Authority::Active);
}

#[test]
fn only_the_invalidators_rank_reconfirms() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Assistant, text("a")).unwrap();
    bench.change(Rank::Assistant, invalidate(), fact).unwrap();
    bench.change(Rank::User, invalidate(), fact).unwrap();
    assert!(matches!(
        bench.change(Rank::Assistant, reconfirm(), fact),
        Err(Rejection::Rank { .. })
    ));
    bench.change(Rank::User, reconfirm(), fact).unwrap();
    assert_eq!(bench.authority(fact), Authority::Active);
}

#[test]
fn web_words_behind_an_assistant_reopen_nothing() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::Assistant, text("a")).unwrap();
    bench.change(Rank::Assistant, invalidate(), fact).unwrap();
    let mut door = bench.door(Rank::Assistant);
    door.origin = memlith_event::Origin::Web;
    assert!(matches!(
        bench.memory.decide(&crate::Command::Remember(text("a")), &door),
        Err(Rejection::PreviouslyInvalidated { .. })
    ));
}
