//! Tests of the outcomes of answers, and of their effect on the cited items.

use memlith::{
    Authority, Caller, Error, Ledger, Rank, RecordId, Written,
    write::{Rejection, TaskReport, TaskResult},
};

use crate::world::{
    World, ana, ask, explain, head, invalidate, owner, reconfirm, salience, say, words,
};

fn ci() -> Caller {
    Caller::new("default", "ci", Rank::Tool)
}

pub(crate) fn report(ledger: &Ledger, id: RecordId, result: TaskResult) -> Written {
    let report = TaskReport { targets: vec![id], result, verified: true, ..TaskReport::default() };
    ledger.report(&ana(), report).unwrap()
}

#[test]
fn success_confirms_failure_doubts_and_a_partial_result_does_nothing() {
    let world = World::new();
    let ledger = world.init();
    for (result, verified, expected, worth) in [
        (TaskResult::Success, false, None, 1.5),
        (TaskResult::Success, true, Some(1_000_000), 1.0),
        (TaskResult::Success, true, Some(900_000), 1.1),
        (TaskResult::Success, true, Some(0), 2.0),
        (TaskResult::Partial, true, None, 1.0),
        (TaskResult::Failure, false, None, 1.0),
        (TaskResult::Failure, true, None, 0.8),
        (TaskResult::Failure, true, Some(1_000_000), 0.6),
        (TaskResult::Failure, true, Some(0), 1.0),
    ] {
        let id = say(&ledger, &format!("{result:?} {verified} {expected:?}"));
        let report =
            TaskReport { targets: vec![id], result, verified, expected, ..TaskReport::default() };
        let _ = ledger.report(&ana(), report.clone()).unwrap();
        assert_eq!(salience(&ledger, id), worth, "{result:?} {verified} {expected:?}");
        let _ = ledger.report(&ana(), report).unwrap();
        assert_eq!(salience(&ledger, id), worth, "the same evidence twice");
    }
}

#[test]
fn a_verified_failure_from_below_the_guard_disputes_and_weakens_nothing() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The port is 5432.");
    let failed = TaskReport {
        targets: vec![id],
        result: TaskResult::Failure,
        verified: true,
        ..TaskReport::default()
    };
    let written = ledger.report(&ci(), failed.clone()).unwrap();
    let shown = ledger.show(&ana(), id).unwrap();
    assert_eq!(
        (shown.authority, shown.disputed_by),
        (Authority::Active, vec![written_id(&ledger, &written)])
    );
    assert_eq!(salience(&ledger, id), 1.0);
    let why = &explain(&ledger, id).explanation.steps;
    assert_eq!(format!("{:?}", why.last().unwrap().effect), "Err(Guard)");
    // A person's success ends the dispute.
    let _ = report(&ledger, id, TaskResult::Success);
    assert_eq!(ledger.show(&ana(), id).unwrap().disputed_by, []);
}

fn written_id(ledger: &Ledger, written: &Written) -> RecordId {
    let record = ledger.records(written.seq, Some(1)).unwrap().next().unwrap().unwrap();
    record.id()
}

#[test]
fn an_outcome_of_a_checkout_is_of_what_it_showed_and_may_still_be_shown() {
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat is called Momo.");
    let dog = say(&ledger, "The dog is fond of the cat.");
    let shown = ask(&ledger, "cat").observed.unwrap();
    invalidate(&ledger, dog);
    let success = TaskReport { result: TaskResult::Success, ..TaskReport::default() };
    let _ = ledger.report_shown(&ana(), shown, success.clone()).unwrap();
    // 1.05 for having been shown, times 1.5; the other keeps what its invalidation left.
    assert_eq!(salience(&ledger, cat), 1.575);
    reconfirm(&ledger, dog);
    assert_eq!(salience(&ledger, dog), 1.05);
    for (caller, id) in [
        (ana(), cat),
        (ana(), RecordId { hash: [9; 6], ..shown }),
        (ana(), RecordId { seq: memlith::Seq(9_999), ..shown }),
        (Caller::user("elsewhere", "ana"), shown),
    ] {
        let named = TaskReport { targets: vec![cat], shown_in: Some(id), ..success.clone() };
        for refused in
            [ledger.report_shown(&caller, id, success.clone()), ledger.report(&caller, named)]
        {
            assert!(matches!(refused, Err(Error::NoShowing { .. })), "{id}: {refused:?}");
        }
    }
    for id in [cat, dog] {
        invalidate(&ledger, id);
    }
    let refused = ledger.report_shown(&ana(), shown, success);
    assert!(matches!(refused, Err(Error::Rejected(Rejection::NoTargets))), "{refused:?}");
}

#[test]
fn what_was_only_said_again_is_no_checkout_that_an_outcome_could_name() {
    // What is said again in other words is written down as shown, without a receipt: an outcome
    // could name it, and its success would have confirmed a memory that answered nothing.
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat sleeps on the old chair.");
    let again = words("Cats are sleeping on the old chairs");
    let written = ledger.remember_new(&ana(), again).unwrap();
    assert_eq!((written.id, written.outcome.label()), (cat, "redundant"));
    let said = written_id(&ledger, &written);
    let before = head(&ledger);
    let report = TaskReport { result: TaskResult::Success, ..TaskReport::default() };
    let named = TaskReport { targets: vec![cat], shown_in: Some(said), ..report.clone() };
    for refused in [ledger.report_shown(&ana(), said, report), ledger.report(&ana(), named)] {
        assert!(matches!(refused, Err(Error::NoCheckout { id }) if id == said), "{refused:?}");
    }
    // Whoever doesn't see it isn't told what it is.
    let elsewhere = Caller::user("elsewhere", "ana");
    let refused = ledger.report_shown(&elsewhere, said, TaskReport::default());
    assert!(matches!(refused, Err(Error::NoShowing { .. })), "{refused:?}");
    assert_eq!((head(&ledger), salience(&ledger, cat)), (before, 1.05));
}

#[test]
fn an_outcome_names_what_is_there_once_and_is_no_surer_than_certain() {
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat is called Momo.");
    let refused = |targets: Vec<RecordId>, expected| {
        let report = TaskReport { targets, expected, ..TaskReport::default() };
        match ledger.report(&ana(), report) {
            Err(Error::Rejected(rejection)) => rejection,
            other => panic!("{other:?}"),
        }
    };
    let gone = RecordId { hash: [9; 6], ..cat };
    assert_eq!(refused(vec![gone], None), Rejection::NotFound { id: gone });
    assert_eq!(refused(vec![], None), Rejection::NoTargets);
    assert_eq!(refused(vec![cat, cat], None), Rejection::DuplicateTarget { id: cat });
    let millionths = 1_000_001;
    assert_eq!(refused(vec![cat], Some(millionths)), Rejection::Expectation { millionths });
    ledger.erasure().erase(&owner(), &[cat]).unwrap();
    assert!(matches!(refused(vec![cat], None), Rejection::NotFound { .. }));
}
