//! Review of what waits, from one process to the next and from one ledger to another.

use memlith::{
    Authority, Caller, Change, Error, Judgement, Ledger, Rank, RecordId, Remember, WriteOutcome,
    write::{CandidateKind, IdempotencyKey, Rejection},
};

use crate::world::{
    World, ana, ask, digest, export, fact, factor, head, ids, look, owner, salience, say, words,
};

fn helper() -> Caller {
    Caller::new("default", "helper", Rank::Assistant)
}

fn reviewer() -> Caller {
    Caller::new("default", "rita", Rank::Reviewer)
}

fn authority(ledger: &Ledger, id: RecordId) -> Authority {
    ledger.show(&ana(), id).unwrap().authority
}

fn accept(ledger: &Ledger, caller: &Caller, id: RecordId) -> Result<WriteOutcome, Error> {
    ledger.review().judge(caller, Judgement::Accept, [id], None).map(|written| written.outcome)
}

/// Ana's port, and what the helper would have in its place.
fn proposed(ledger: &Ledger) -> (RecordId, RecordId) {
    let port = |value: &str| fact(&format!("Staging is on {value}."), "staging", "port", value);
    let old = ledger.remember(&ana(), port("5432")).unwrap().id;
    (old, ledger.remember(&helper(), port("6543")).unwrap().id)
}

#[test]
fn what_is_accepted_takes_its_place_and_is_worth_no_less_than_new() {
    let world = World::new();
    let ledger = world.init();
    let (old, new) = proposed(&ledger);
    let waiting = ledger.review().waiting(&ana()).unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].item.id, waiting[0].against.as_slice()), (new, [old].as_slice()));
    assert_eq!(ids(&look(&ledger, "staging", None)), [old]);
    world.pass_days(60);
    assert_eq!(salience(&ledger, new), 0.25);
    let secret = "password: hunter2hunter2".to_owned();
    let written =
        ledger.review().judge(&reviewer(), Judgement::Accept, [new], Some(secret)).unwrap();
    assert_eq!(written.redacted.values().sum::<u64>(), 1);
    let displaced = vec![old];
    assert_eq!(written.outcome, WriteOutcome::Reviewed { judgement: Judgement::Accept, displaced });
    assert_eq!(ledger.review().waiting(&ana()).unwrap().len(), 0);
    assert_eq!(ids(&look(&ledger, "staging", None)), [new]);
    assert_eq!((salience(&ledger, new), factor(&ledger, new).as_str()), (1.0, "4.0"));
    // What review vouched for is not raised by being shown.
    ask(&ledger, "staging");
    assert_eq!(salience(&ledger, new), 1.0);
    ledger.checkpoints().write().unwrap();
    let expected = digest(&ledger);
    drop(ledger);
    let ledger = world.open();
    assert_eq!(ledger.audit().digest().unwrap().digest, expected);
    assert_eq!(
        (authority(&ledger, old), authority(&ledger, new)),
        (Authority::Superseded, Authority::Active)
    );
    assert_eq!(ledger.history(&ana(), old).unwrap().len(), 3, "itself, disputed, displaced");
    assert!(world.files_with("hunter2hunter2").is_empty());
    assert_eq!(world.findings(), []);
}

#[test]
fn a_review_loop_is_refused_and_leaves_the_log_as_it_was() {
    let world = World::new();
    let ledger = world.init();
    let (old, new) = proposed(&ledger);
    let _ = ledger.review().judge(&reviewer(), Judgement::Reject, [new], None).unwrap();
    let shown = ledger.show(&ana(), old).unwrap();
    assert!(shown.disputed_by.is_empty(), "a rejected proposal disputes nothing");
    let end = head(&ledger);
    let unknown = RecordId { seq: end.next(), hash: [7; 6] };
    for judgement in [Judgement::Accept, Judgement::Reject, Judgement::Defer] {
        for target in [new, old, unknown] {
            for caller in [&reviewer(), &owner(), &ana(), &helper()] {
                let refused = ledger.review().judge(caller, judgement, [target], None);
                assert!(matches!(refused, Err(Error::Rejected(_))), "{judgement:?} {target}");
            }
        }
        for targets in [&[][..], &[new, new]] {
            assert!(ledger.review().judge(&owner(), judgement, targets, None).is_err());
        }
    }
    let again = ledger.remember(&helper(), fact("It is 6543.", "staging", "port", "6543"));
    assert!(matches!(again, Err(Error::Rejected(Rejection::PreviouslyRejected { .. }))));
    assert_eq!(head(&ledger), end);
    assert_eq!(world.findings(), []);
}

#[test]
fn an_acceptance_under_a_key_is_done_once() {
    let world = World::new();
    let ledger = world.init();
    let (_, new) = proposed(&ledger);
    let keyed = Caller { key: Some(IdempotencyKey([1; 16])), ..reviewer() };
    let _ = accept(&ledger, &keyed, new).unwrap();
    let again = ledger.review().judge(&keyed, Judgement::Accept, [new], None).unwrap();
    assert_eq!((again.id, again.outcome), (new, WriteOutcome::AlreadyPresent));
}

#[test]
fn an_end_that_an_acceptance_set_outlives_the_erasure_of_what_was_accepted() {
    let world = World::new();
    let ledger = world.init();
    let (old, new) = proposed(&ledger);
    let _ = accept(&ledger, &reviewer(), new).unwrap();
    ledger.erasure().erase(&owner(), &[new]).unwrap();
    assert_eq!(authority(&ledger, old), Authority::Superseded);
    assert!(world.files_with("6543").is_empty());
}

#[test]
fn a_rolled_back_acceptance_leaves_what_was_before_with_its_salience() {
    let world = World::new();
    let ledger = world.init();
    let (old, new) = proposed(&ledger);
    ask(&ledger, "staging");
    let before = factor(&ledger, old);
    let _ = accept(&ledger, &reviewer(), new).unwrap();
    ledger.checkpoints().write().unwrap();
    assert!(ledger.roll_back(&ana(), new, None).is_err(), "a reviewer decided");
    let reason = Some("password: hunter2hunter2".to_owned());
    let _ = ledger.roll_back(&reviewer(), new, reason).unwrap();
    assert_eq!(ids(&look(&ledger, "staging", None)), [old]);
    assert_eq!((before.as_str(), factor(&ledger, old)), ("1.05", before.clone()));
    assert_eq!(authority(&ledger, new), Authority::Retracted);
    let expected = digest(&ledger);
    drop(ledger);
    let ledger = world.open();
    assert_eq!(ledger.audit().digest().unwrap().digest, expected);
    assert!(world.files_with("hunter2hunter2").is_empty());
    // Without the words of what was taken back, it stays so.
    ledger.erasure().erase(&owner(), &[new]).unwrap();
    assert_eq!(ids(&look(&ledger, "staging", None)), [old]);
    assert_eq!(world.findings(), []);
}

#[test]
fn a_copied_review_is_judged_by_the_importers_rank() {
    let source = World::new().init();
    let (old, new) = proposed(&source);
    let _ = accept(&source, &reviewer(), new).unwrap();
    let tool = Caller::new("default", "scan", Rank::Tool);
    let refused = source.remember(&tool, words("The moon is full.")).unwrap().id;
    let _ = source
        .review()
        .judge(&owner(), Judgement::Reject, [refused], Some("it isn't".to_owned()))
        .unwrap();
    let text = export(&source);
    for (importer, waits) in [(ana(), false), (helper(), true)] {
        let world = World::on(memlith::storage::MemoryDisk::new(), 1_000);
        let target = world.init();
        say(&target, "Something is here already.");
        world.tick();
        target.import_jsonl(&importer, text.as_bytes()).unwrap();
        let found = |text: &str| {
            let here = target.records(memlith::Seq(0), None).unwrap().map(Result::unwrap);
            let item = here.filter(|record| {
                let body = memlith::log::decode(record).unwrap();
                body.is_some_and(|body| body.event.item_text().as_deref() == Some(text))
            });
            authority(&target, item.last().unwrap().id())
        };
        let expected = match waits {
            // An assistant's copy of Ana's word is no more than the assistant's.
            true => [Authority::Active, Authority::Pending, Authority::Pending],
            false => [Authority::Superseded, Authority::Active, Authority::Rejected],
        };
        let texts = ["Staging is on 5432.", "Staging is on 6543.", "The moon is full."];
        assert_eq!(texts.map(found), expected, "by {:?}", importer.rank);
        let end = head(&target);
        target.import_jsonl(&importer, text.as_bytes()).unwrap();
        assert_eq!(head(&target), end);
    }
    let _ = old;
}

#[test]
fn a_candidate_rests_on_what_is_there_and_leaves_with_it() {
    let world = World::new();
    let ledger = world.init();
    let tea = say(&ledger, "Ana drinks tea.");
    let elsewhere = Caller::user("elsewhere", "eva");
    let hidden = ledger.remember(&elsewhere, words("Eva drinks milk.")).unwrap().id;
    let end = head(&ledger);
    let itself = RecordId { seq: memlith::Seq(end.0 + 2), hash: [0; 6] };
    let forged = RecordId { seq: tea.seq, hash: [1; 6] };
    let rule = |rests_on: Vec<RecordId>| Remember { rests_on, ..words("Offer tea.") };
    let propose =
        |on: Vec<RecordId>| ledger.review().propose(&helper(), CandidateKind::Rule, rule(on));
    for source in [hidden, itself, forged] {
        let refused = propose(vec![tea, source]);
        assert!(
            matches!(refused, Err(Error::Rejected(Rejection::NotFound { id })) if id == source)
        );
    }
    assert!(matches!(propose(Vec::new()), Err(Error::Rejected(Rejection::Unfounded))));
    assert_eq!(head(&ledger), end);
    let candidate = propose(vec![tea]).unwrap().id;
    assert!(ids(&look(&ledger, "offer", None)).is_empty());
    let _ = accept(&ledger, &reviewer(), candidate).unwrap();
    assert_eq!(ids(&look(&ledger, "offer", None)), [candidate]);
    crate::world::invalidate(&ledger, tea);
    assert_eq!(authority(&ledger, candidate), Authority::Stale);
    assert_eq!(ledger.audit().digest().unwrap().digest, digest(&ledger));
}

#[test]
fn who_reviews_sees_the_scope_of_what_waits() {
    let ledger = World::new().init();
    let (_, new) = proposed(&ledger);
    let stranger = Caller::new("elsewhere", "rita", Rank::Reviewer);
    assert_eq!(ledger.review().waiting(&stranger).unwrap().len(), 0);
    let refused = accept(&ledger, &stranger, new);
    assert!(matches!(refused, Err(Error::Rejected(Rejection::NotFound { id })) if id == new));
    // Without the rank it is no review either, and what waits can still be withdrawn.
    assert!(accept(&ledger, &helper(), new).is_err());
    let withdraw = Change::Invalidate { weight: None, reason: None };
    let _ = ledger.change(&helper(), withdraw, [new]).unwrap();
    assert_eq!(ledger.review().waiting(&ana()).unwrap().len(), 0);
}
