use memlith_event::{Outcome, Rank};

use super::bench::{Bench, confirm, invalidate, lives_in, reconfirm, resting, text};
use crate::{Authority, Change, Command, Rejection};

#[test]
fn what_cannot_be_seen_is_empty() {
    // Zero-width characters alone were remembered, and nobody could ask for them.
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("Prefers e-mail.")).unwrap();
    for unseen in ["", " \n", "...", "\u{200b}\u{200d}\u{feff}", "\u{200b} \u{ad}.", "\u{e0041}"] {
        let (what, command) = (text(unseen), |with| Command::Correct { target: fact, with });
        let refused = bench.run(Rank::User, &command(what.clone())).unwrap_err();
        assert_eq!(refused, Rejection::EmptyText, "{unseen:?}");
        assert_eq!(bench.remember(Rank::User, what).unwrap_err(), Rejection::EmptyText);
    }
    bench.remember(Rank::User, text("\u{200b}.a")).unwrap();
}

#[test]
fn an_invalidated_memory_stays_out_until_it_is_reconfirmed() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("Prefers e-mail.")).unwrap();
    bench.change(Rank::User, invalidate(), fact).unwrap();
    assert_eq!(bench.authority(fact), Authority::Invalidated);
    for change in [confirm(), Change::Promote { weight: None }, Change::Pin, invalidate()] {
        assert!(matches!(bench.change(Rank::User, change, fact), Err(Rejection::Status { .. })));
    }
    bench.change(Rank::User, reconfirm(), fact).unwrap();
    assert_eq!(bench.authority(fact), Authority::Active);
}

#[test]
fn what_rests_on_it_leaves_and_comes_back_with_it() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("The build needs Rust 1.95")).unwrap();
    let (plan, _) =
        bench.remember(Rank::Assistant, resting("Upgrade the runners", &[fact])).unwrap();
    let (step, _) = bench.remember(Rank::Assistant, resting("Order new runners", &[plan])).unwrap();
    bench.change(Rank::User, invalidate(), fact).unwrap();
    assert_eq!([plan, step].map(|id| bench.authority(id)), [Authority::Stale; 2]);
    bench.change(Rank::User, reconfirm(), fact).unwrap();
    assert_eq!([plan, step].map(|id| bench.authority(id)), [Authority::Active; 2]);
}

#[test]
fn a_person_can_make_a_stale_memory_stand_on_its_own() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("A")).unwrap();
    let (claim, _) = bench.remember(Rank::Assistant, resting("B", &[fact])).unwrap();
    bench.change(Rank::User, invalidate(), fact).unwrap();
    assert!(bench.change(Rank::Assistant, confirm(), claim).is_err());
    bench.change(Rank::User, confirm(), claim).unwrap();
    assert_eq!(bench.authority(claim), Authority::Active);
}

#[test]
fn a_superseded_source_makes_a_claim_outdated_and_not_stale() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    let (claim, _) =
        bench.remember(Rank::Assistant, resting("Send parcels to Pune", &[pune])).unwrap();
    let (above, _) =
        bench.remember(Rank::Assistant, resting("Use the Pune courier", &[claim])).unwrap();
    let (bangalore, _) = bench.remember(Rank::User, lives_in("Bangalore")).unwrap();
    assert_eq!(bench.authority(bangalore), Authority::Active);
    assert_eq!([claim, above].map(|id| bench.authority(id)), [Authority::Outdated; 2]);
    assert!(bench.authority(claim).is_shown());
}

#[test]
fn exact_words_are_a_restatement_and_a_stale_row_is_revived_by_them() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("Prefers e-mail.")).unwrap();
    let again = bench.remember(Rank::Assistant, text("  prefers E-MAIL")).unwrap();
    assert_eq!(again, (fact, Outcome::Restated(fact)));
    let (source, _) = bench.remember(Rank::User, text("S")).unwrap();
    let (claim, _) = bench.remember(Rank::Assistant, resting("C", &[source])).unwrap();
    bench.change(Rank::User, invalidate(), source).unwrap();
    let revived = bench.remember(Rank::Assistant, text("c")).unwrap();
    assert_eq!(revived, (claim, Outcome::Revived(claim)));
    assert_eq!(bench.authority(claim), Authority::Active);
}

#[test]
fn a_command_on_several_items_is_all_or_nothing() {
    let mut bench = Bench::new();
    let (a, _) = bench.remember(Rank::User, text("a")).unwrap();
    let (b, _) = bench.remember(Rank::User, text("b")).unwrap();
    bench.change(Rank::User, invalidate(), b).unwrap();
    let before = bench.next;
    for targets in [vec![a, b], vec![a, a], vec![]] {
        assert!(bench.run(Rank::User, &Command::Change { change: confirm(), targets }).is_err());
    }
    assert_eq!(bench.next, before);
}

#[test]
fn a_pin_needs_a_person_and_moves_with_the_value() {
    let mut bench = Bench::new();
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    assert!(matches!(
        bench.change(Rank::Assistant, Change::Pin, pune),
        Err(Rejection::Rank { .. })
    ));
    bench.change(Rank::User, Change::Pin, pune).unwrap();
    let (bangalore, _) = bench.remember(Rank::User, lives_in("Bangalore")).unwrap();
    let pinned = [pune, bangalore].map(|id| bench.memory.item(id.seq).unwrap().is_pinned());
    assert_eq!(pinned, [false, true]);
    bench.change(Rank::User, Change::Unpin, bangalore).unwrap();
    assert!(bench.change(Rank::User, Change::Unpin, bangalore).is_err());
}

#[test]
fn an_id_of_another_record_or_another_scope_is_not_found() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("a")).unwrap();
    let forged = memlith_log::RecordId { hash: [9; 6], ..fact };
    assert_eq!(
        bench.change(Rank::User, confirm(), forged),
        Err(Rejection::NotFound { id: forged })
    );
    bench.scope = memlith_event::Scope::tenant("other");
    assert_eq!(bench.change(Rank::User, confirm(), fact), Err(Rejection::NotFound { id: fact }));
    assert!(bench.remember(Rank::User, resting("b", &[fact])).is_err());
}

#[test]
fn an_erasure_takes_what_rests_on_it_and_what_repeats_it() {
    let mut bench = Bench::new();
    let (fact, _) = bench.remember(Rank::User, text("a")).unwrap();
    let (claim, _) = bench.remember(Rank::User, resting("b", &[fact])).unwrap();
    let again = bench.next;
    bench.remember(Rank::User, text("A")).unwrap();
    bench.remember(Rank::User, text("c")).unwrap();
    let erase = |rank| bench.memory.decide_erasure(&[fact], &bench.door(rank));
    assert!(matches!(erase(Rank::User), Err(Rejection::Rank { .. })));
    assert_eq!(erase(Rank::Owner).unwrap(), [fact.seq, claim.seq, again]);
}
