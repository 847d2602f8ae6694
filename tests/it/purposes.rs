//! What a checkout is for: stated by its receipt, and by the outcomes that follow it.

use memlith::{
    Checkout, CheckoutRequest, Event, Ledger, OutcomeEvent, Purpose, Seq, TaskReport, TaskResult,
    Verdict,
};

use crate::world::{World, ana, say};

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
    let audits = ledger.audit_receipts().unwrap();
    assert_eq!(audits.len(), 12);
    assert!(audits.iter().all(|audit| audit.verdict == Verdict::Reproduced), "{audits:?}");
}

fn purpose_of(ledger: &Ledger, seq: Seq) -> Option<String> {
    let record = ledger.records(seq, Some(1)).unwrap().next().unwrap().unwrap();
    let body = memlith::decode(&record).unwrap()?;
    let Event::Outcome(OutcomeEvent::Reported(reported)) = body.event else { return None };
    Some(reported.purpose?.to_string())
}
