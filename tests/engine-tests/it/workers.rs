//! Workers: what a session finds stays its own until it is reviewed and taken in.

use memlith::{
    Authority, Caller, Change, CheckoutRequest, Error, Judgement, Ledger, Rank, RecordId, Remember,
    Scope, write::Rejection,
};

use crate::world::{World, ana, fact, ids, salience, words};

/// A worker alone with its session.
fn worker(name: &str) -> Caller {
    let scope = Scope {
        session: Some(name.to_owned().into()),
        session_only: true,
        ..Scope::tenant("default")
    };
    Caller { scope, ..Caller::new("default", name, Rank::Assistant) }
}

fn reviewer() -> Caller {
    Caller::new("default", "rita", Rank::Reviewer)
}

fn deploy_on(day: &str) -> Remember {
    fact(&format!("The deploy runs on {day}."), "deploy", "day", day)
}

fn found(ledger: &Ledger, worker: &Caller, what: Remember) -> RecordId {
    ledger.remember(worker, what).unwrap().id
}

fn seen(ledger: &Ledger, caller: &Caller) -> Vec<RecordId> {
    let mut request = CheckoutRequest::new("which day does the deploy run");
    request.observe = false;
    ids(&ledger.checkout(caller, &request).unwrap())
}

fn accept(ledger: &Ledger, id: RecordId) -> Vec<RecordId> {
    let written = ledger.review().judge(&reviewer(), Judgement::Accept, [id], None).unwrap();
    written.outcome.displaced()
}

#[test]
fn findings_stay_local_until_they_are_offered_reviewed_and_accepted() {
    let world = World::new();
    let ledger = world.init();
    let (one, two) = (worker("one"), worker("two"));
    let friday = found(&ledger, &one, deploy_on("Friday"));
    let monday = found(&ledger, &two, deploy_on("Monday"));
    assert_eq!((seen(&ledger, &one), seen(&ledger, &two)), (vec![friday], vec![monday]));
    assert_eq!(seen(&ledger, &ana()), []);

    let first = ledger.review().offer(&one, friday).unwrap().id;
    let second = ledger.review().offer(&two, monday).unwrap().id;
    assert_eq!(seen(&ledger, &ana()), [], "what is offered waits");
    // The same slot with another value: shown as a conflict, to whoever reviews.
    let waiting = ledger.review().waiting(&reviewer()).unwrap();
    let conflicts: Vec<(RecordId, &[RecordId])> =
        waiting.iter().map(|one| (one.item.id, one.conflicts.as_slice())).collect();
    assert_eq!(conflicts, [(first, &[second][..]), (second, &[first])]);
    let own = ledger.review().judge(&one, Judgement::Accept, [first], None);
    assert!(matches!(own, Err(Error::Rejected(Rejection::Rank { needed: 4, .. }))));

    assert_eq!(accept(&ledger, first), []);
    assert_eq!(seen(&ledger, &ana()), [first]);
    let shown = ledger.show(&ana(), first).unwrap();
    assert_eq!(shown.rests_on[0].1, [friday], "it cites the finding");
    assert_eq!(shown.item.tier.0, 3, "no more trusted than the finding");
    assert_eq!(accept(&ledger, second), [first], "one value at a time");
    assert_eq!(seen(&ledger, &ana()), [second]);
    assert_eq!(ledger.show(&ana(), first).unwrap().authority, Authority::Superseded);
    assert_eq!(ledger.review().waiting(&reviewer()).unwrap().len(), 0);
}

#[test]
fn what_was_merged_leaves_with_its_finding_and_a_promotion_reaches_the_finding() {
    let world = World::new();
    let ledger = world.init();
    let one = worker("one");
    let finding = found(&ledger, &one, deploy_on("Friday"));
    let merged = ledger.review().offer(&one, finding).unwrap().id;
    accept(&ledger, merged);
    // The one who owns the session promotes there what it found.
    let in_session = Caller { rank: Rank::User, ..one.clone() };
    let _ = ledger.change(&in_session, Change::Promote { weight: None }, [finding]).unwrap();
    let explained = ledger.explain(&in_session, finding).unwrap();
    assert_eq!(explained.explanation.salience.to_string(), "2.0");
    assert_eq!(salience(&ledger, merged), 1.0, "what rests on it is not raised by that");
    let wrong = Change::Invalidate { weight: None, reason: None };
    let _ = ledger.change(&in_session, wrong, [finding]).unwrap();
    assert_eq!(ledger.show(&ana(), merged).unwrap().authority, Authority::Stale);
    assert_eq!(seen(&ledger, &ana()), []);
}

#[test]
fn only_what_a_session_keeps_to_itself_is_offered_and_by_that_session() {
    let world = World::new();
    let ledger = world.init();
    let one = worker("one");
    let finding = found(&ledger, &one, deploy_on("Friday"));
    let shared = ledger.remember(&ana(), words("The sky is blue.")).unwrap().id;
    assert!(
        matches!(ledger.review().offer(&one, shared), Err(Error::NotSessionOnly { id }) if id == shared)
    );
    assert!(matches!(ledger.review().offer(&worker("two"), finding), Err(Error::NoRecord { .. })));
    assert!(matches!(ledger.review().offer(&ana(), finding), Err(Error::NoRecord { .. })));
    let offered = ledger.review().offer(&one, finding).unwrap();
    let again = ledger.review().offer(&one, finding).unwrap();
    assert_eq!((again.id, again.outcome.label()), (offered.id, "restated"));
    let wrong = Change::Invalidate { weight: None, reason: None };
    let _ = ledger.change(&one, wrong, [finding]).unwrap();
    let gone = ledger.review().offer(&one, finding);
    assert!(matches!(gone, Err(Error::Rejected(Rejection::Status { command: "offered", .. }))));
    let stale = ledger.review().judge(&reviewer(), Judgement::Accept, [offered.id], None);
    assert!(matches!(stale, Err(Error::Rejected(Rejection::Status { .. }))), "{stale:?}");
}
