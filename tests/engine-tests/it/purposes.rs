//! Tests of the purpose of a checkout: stated by its receipt, and by the outcomes that follow it.

use memlith::{
    AsOf, Change, Checkout, CheckoutRequest, Hints, Ledger, Purpose, Question, Seq,
    log::{Event, OutcomeEvent},
    read::Verdict,
    write::{TaskReport, TaskResult},
};

use memlith_event::Surfaced;

use crate::redaction::secret;
use crate::salience::forge;
use crate::world::{World, ana, ask, head, ids, salience, say};

/// An observed checkout for a purpose.
fn ask_for(ledger: &Ledger, query: &str, purpose: Purpose) -> Checkout {
    let request = CheckoutRequest { purpose, ..CheckoutRequest::new(query) };
    ledger.checkout(&ana(), &request).unwrap()
}

#[test]
fn an_outcome_is_for_what_its_checkout_was_for_unless_it_says_otherwise() {
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let mut stated = Vec::new();
    for purpose in Purpose::ALL {
        let shown = ask_for(&ledger, "cat", purpose);
        assert_eq!(&*shown.pack.receipt.purpose, purpose.name());
        for own in [None, Some(Purpose::Legal)] {
            let report =
                TaskReport { result: TaskResult::Success, purpose: own, ..TaskReport::default() };
            let written = ledger.report_shown(&ana(), shown.observed.clone().unwrap(), report);
            stated.push((written.unwrap().seq, own.unwrap_or(purpose)));
        }
    }
    for (seq, purpose) in stated {
        assert_eq!(purpose_of(&ledger, seq), Some(purpose.name().to_owned()));
    }
    let audits = ledger.audit().receipts().unwrap();
    assert_eq!(audits.len(), 12);
    assert!(audits.iter().all(|audit| audit.verdict == Verdict::Reproduced), "{audits:?}");
}

#[test]
fn a_view_knows_the_outcomes_up_to_it() {
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat is called Momo.");
    let mut ends = vec![(head(&ledger), 1_000_000)];
    for (session, result, factor) in [
        ("a", TaskResult::Success, 1_060_000),
        ("a", TaskResult::Success, 1_060_000),
        ("b", TaskResult::Failure, 1_000_000),
        ("c", TaskResult::Success, 1_060_000),
    ] {
        let mut caller = ana();
        caller.scope.session = Some(session.into());
        let report = TaskReport {
            targets: vec![cat],
            result,
            verified: true,
            purpose: Some(Purpose::Support),
            ..TaskReport::default()
        };
        let _ = ledger.report(&caller, report).unwrap();
        ends.push((head(&ledger), factor));
    }
    ledger.checkpoints().write().unwrap();
    let reopened = world.open();
    for (seq, factor) in ends {
        for ledger in [&ledger, &reopened] {
            let question = Question { query: "cat".into(), as_of: Some(AsOf::Seq(seq)) };
            let purpose = Purpose::Support;
            let request = CheckoutRequest { question, purpose, ..CheckoutRequest::new("") };
            let why = &ledger.checkout(&ana(), &request).unwrap().pack.items[0].why;
            assert_eq!(why.learned.factor(), factor, "as of {seq}");
        }
    }
}

#[test]
fn knowing_changes_no_byte() {
    let world = World::new();
    let ledger = world.init();
    let before = head(&ledger);
    let question = |query: &str, as_of| Question { query: query.into(), as_of };
    let known = |query, as_of| ledger.knows(&ana(), question(query, as_of)).unwrap().evidence;
    assert_eq!(known("cat", None), 0);
    say(&ledger, "The cat is called Momo.");
    let files: Vec<_> =
        world.disk.names().into_iter().map(|name| world.disk.bytes(&name)).collect();
    assert_eq!(known("cat", None), 1);
    assert_eq!(known("cat", Some(AsOf::Seq(before))), 0);
    let after: Vec<_> =
        world.disk.names().into_iter().map(|name| world.disk.bytes(&name)).collect();
    assert_eq!(after, files);
}

#[test]
fn hints_are_kept_without_secrets_and_reproduced() {
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The build with make is slow.");
    let cargo = say(&ledger, "The build with cargo is slow.");
    let key = &secret("AA");
    let hints = Hints {
        tool: Some("cargo".into()),
        mission: Some(format!("rotate {key}").into()),
        ..Hints::default()
    };
    let request = CheckoutRequest { hints, ..CheckoutRequest::new("slow build") };
    let asked = ledger.checkout(&ana(), &request).unwrap();
    assert_eq!(asked.pack.items[0].id, cargo);
    assert_eq!(asked.pack.items[0].why.hinted.names().collect::<Vec<_>>(), ["tool"]);
    assert_eq!(asked.redacted.values().sum::<u64>(), 1);
    assert_eq!(world.files_with(key), Vec::<String>::new());
    let record = ledger.records(asked.observed.unwrap().seq, Some(1)).unwrap().next();
    let record = record.unwrap().unwrap();
    assert_eq!((record.kind, record.kind_version), (97, 1));
    // One without hints is written as ever.
    let plain = ask_for(&ledger, "slow build", Purpose::General).observed.unwrap();
    let record = ledger.records(plain.seq, Some(1)).unwrap().next().unwrap().unwrap();
    assert_eq!((record.kind, record.kind_version), (97, 1));
    ledger.checkpoints().write().unwrap();
    let audits = world.open().audit().receipts().unwrap();
    assert_eq!(audits.len(), 2);
    assert!(audits.iter().all(|audit| audit.verdict == Verdict::Reproduced), "{audits:?}");
}

#[test]
fn what_a_pin_alone_brings_in_is_shown_and_learns_nothing() {
    let world = World::new();
    let ledger = world.init();
    let rule = say(&ledger, "Never deploy on a Friday.");
    let _ = ledger.change(&ana(), Change::Pin, [rule]).unwrap();
    let cat = say(&ledger, "The cat is called Momo.");
    for _ in 0..2 {
        let asked = ask(&ledger, "cat");
        assert_eq!((ids(&asked), asked.pack.stable_items), (vec![rule, cat], 1));
    }
    assert_eq!((salience(&ledger, rule), salience(&ledger, cat)), (1.0, 1.1025));
    // One that answers as well is learned from.
    assert_eq!(ids(&ask(&ledger, "which day to deploy")), [rule]);
    assert_eq!(salience(&ledger, rule), 1.05);
    let audits = ledger.audit().receipts().unwrap();
    assert!(audits.iter().all(|audit| audit.verdict == Verdict::Reproduced), "{audits:?}");
}

/// A receipt of an earlier scorer is not judged by this one.
#[test]
fn a_receipt_of_the_scorer_before_says_what_it_needs() {
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let mut receipt = ask_for(&ledger, "cat", Purpose::General).pack.receipt;
    receipt.scorer = 1;
    let targets = receipt.items.iter().map(|item| item.id).collect();
    let forged =
        Surfaced { targets, weight: None, receipt: Some(Box::new(receipt)), beside: Vec::new() };
    forge(&world, forged);
    let verdicts: Vec<Verdict> =
        world.open().audit().receipts().unwrap().into_iter().map(|audit| audit.verdict).collect();
    assert_eq!(verdicts, [Verdict::Reproduced, Verdict::NeedsScorer { version: 1 }]);
}

fn purpose_of(ledger: &Ledger, seq: Seq) -> Option<String> {
    let record = ledger.records(seq, Some(1)).unwrap().next().unwrap().unwrap();
    let body = memlith::log::decode(&record).unwrap()?;
    let Event::Outcome(OutcomeEvent::Reported(reported)) = body.event else { return None };
    Some(reported.purpose?.to_string())
}
