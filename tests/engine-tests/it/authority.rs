//! Tests of the items that may be shown, and when.

use memlith::{
    AsOf, Authority, Caller, Change, Error, Rank, Remember, WriteOutcome,
    write::{Outcome, Rejection},
};

use crate::world::{NOW, World, ana, fact, head, ids, invalidate, look, reconfirm, say, words};

#[test]
fn what_rests_on_a_memory_leaves_and_comes_back_with_it() {
    let world = World::new();
    let ledger = world.init();
    let source = say(&ledger, "The deploy key lives in the blue vault.");
    let on_it = |text: &str, rests_on| Remember { rests_on, ..words(text) };
    let middle = on_it("Rotating the deploy key needs the blue vault.", vec![source]);
    let middle = ledger.remember(&ana(), middle).unwrap().id;
    let last = on_it("Friday deploy key work needs a vault visit.", vec![middle]);
    let last = ledger.remember(&ana(), last).unwrap().id;
    let shown = || {
        let mut shown = ids(&look(&ledger, "deploy key vault", None));
        shown.sort_unstable();
        shown
    };
    assert_eq!(shown(), [source, middle, last]);
    world.tick();
    invalidate(&ledger, source);
    assert!(shown().is_empty());
    assert_eq!(ledger.show(&ana(), last).unwrap().authority, Authority::Stale);
    world.tick();
    reconfirm(&ledger, source);
    assert_eq!(shown(), [source, middle, last]);
}

#[test]
fn a_newer_value_takes_the_place_of_an_older_and_stands() {
    for rests_on_older in [false, true] {
        let world = World::new();
        let ledger = world.init();
        let pune = fact("Ana lives in Pune.", "ana", "lives_in", "Pune");
        let pune = ledger.remember(&ana(), pune).unwrap().id;
        let before = head(&ledger);
        world.tick();
        let mut moved = fact("Ana lives in Bangalore.", "ana", "lives_in", "Bangalore");
        moved.rests_on = if rests_on_older { vec![pune] } else { Vec::new() };
        let moved = ledger.remember(&ana(), moved).unwrap();
        assert!(matches!(&moved.outcome, WriteOutcome::Decided {
            outcome: Outcome::Superseded(old), pending: false, .. } if *old == [pune]));
        let authority = |id| ledger.show(&ana(), id).unwrap().authority;
        assert_eq!(authority(pune), Authority::Superseded);
        assert!(authority(moved.id).is_shown(), "{:?}", authority(moved.id));
        let query = "where does Ana live";
        assert_eq!(ids(&look(&ledger, query, None)), [moved.id]);
        assert_eq!(ids(&look(&ledger, query, Some(AsOf::Seq(before)))), [pune]);
        assert_eq!(ids(&look(&ledger, query, Some(AsOf::Time(NOW)))), [pune]);
        assert_eq!(ids(&look(&ledger, query, Some(AsOf::Seq(head(&ledger))))), [moved.id]);
    }
}

#[test]
fn as_of_knows_neither_later_invalidations_nor_later_words() {
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat is called Momo.");
    let before = head(&ledger);
    world.tick();
    invalidate(&ledger, cat);
    let dog = say(&ledger, "The dog is called Momo too.");
    // A checkpoint in the future of the view must not be what it starts from.
    ledger.checkpoints().write().unwrap();
    let ledger = {
        drop(ledger);
        world.open()
    };
    assert_eq!(ids(&look(&ledger, "Momo", Some(AsOf::Seq(before)))), [cat]);
    assert_eq!(ids(&look(&ledger, "Momo", None)), [dog]);
    let nothing = memlith::CheckoutRequest {
        question: memlith::Question { query: "Momo".into(), as_of: Some(AsOf::Seq(before)) },
        ..memlith::CheckoutRequest::new("")
    };
    let end = head(&ledger);
    assert!(ledger.checkout(&ana(), &nothing).unwrap().observed.is_err());
    assert_eq!(head(&ledger), end, "the past is not changed by looking at it");
    let early = Some(AsOf::Time(NOW.plus_us(-1)));
    let question = memlith::Question { query: "Momo".into(), as_of: early };
    assert!(matches!(ledger.recall(&ana(), &question, 5), Err(Error::BeforeGenesis { .. })));
}

#[test]
fn a_low_trust_write_does_not_displace_a_persons_own() {
    let world = World::new();
    let ledger = world.init();
    let pune = fact("Ana lives in Pune.", "ana", "lives_in", "Pune");
    let pune = ledger.remember(&ana(), pune).unwrap().id;
    world.tick();
    for rank in [Rank::Web, Rank::Tool, Rank::Assistant] {
        let low = Caller::new("default", "somebody", rank);
        let value = format!("{rank:?}ville");
        let other = fact(&format!("Ana lives in {value}."), "ana", "lives_in", &value);
        let written = ledger.remember(&low, other).unwrap();
        assert!(matches!(written.outcome, WriteOutcome::Decided { pending: true, .. }), "{rank:?}");
        let disputed =
            ledger.change(&low, Change::Invalidate { weight: None, reason: None }, [pune]).unwrap();
        assert_eq!(disputed.outcome, WriteOutcome::Disputed, "{rank:?}");
        assert_eq!(ids(&look(&ledger, "where does Ana live", None)), [pune], "{rank:?}");
    }
    assert!(!ledger.show(&ana(), pune).unwrap().disputed_by.is_empty());
}

#[test]
fn what_was_invalidated_is_not_said_again_from_below() {
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat is called Momo.");
    world.tick();
    invalidate(&ledger, cat);
    world.tick();
    let assistant = Caller::new("default", "helper", Rank::Assistant);
    let again = ledger.remember(&assistant, words("the cat is called MOMO"));
    let barred = matches!(again, Err(Error::Rejected(Rejection::PreviouslyInvalidated { id, .. })) if id == cat);
    assert!(barred);
    let again = ledger.remember(&ana(), words("The cat is called Momo.")).unwrap();
    assert_eq!(again.id, cat);
    assert_eq!(ids(&look(&ledger, "cat", None)), [cat]);
}

#[test]
fn as_of_a_time_is_the_last_record_at_or_before_it_where_the_clock_stepped_back() {
    let world = World::new();
    let ledger = world.init();
    let at = |seconds: i64| AsOf::Time(NOW.plus_us(seconds * 1_000_000));
    let set = |seconds: i64| world.clock.set(NOW.plus_us(seconds * 1_000_000));
    let mut heads = std::collections::BTreeMap::new();
    for seconds in [10, 20, 30] {
        set(seconds);
        say(&ledger, &format!("Said at {seconds}."));
        heads.insert(seconds, head(&ledger));
    }
    set(-5);
    let log = memlith_log::Log::open(world.env(), memlith_log::LogOptions::default()).unwrap();
    log.writer().unwrap().rebase_clock().unwrap();
    let rebased = head(&ledger);
    for seconds in [12, 25] {
        set(seconds);
        say(&ledger, &format!("Said at {seconds} anew."));
        heads.insert(seconds, head(&ledger));
    }
    for (seconds, last) in [
        (-5, rebased),
        (0, rebased),
        (11, rebased),
        (12, heads[&12]),
        (20, heads[&12]),
        (24, heads[&12]),
        (25, heads[&25]),
        (99, heads[&25]),
    ] {
        let pack = look(&ledger, "said", Some(at(seconds))).pack;
        assert_eq!(pack.receipt.view, last, "{seconds}");
    }
    let question = memlith::Question { query: "said".into(), as_of: Some(at(-6)) };
    assert!(matches!(ledger.recall(&ana(), &question, 5), Err(Error::BeforeGenesis { .. })));
}
