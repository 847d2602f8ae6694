//! Receipts run again.

use memlith::{
    Digest, Ledger,
    log::Event,
    read::{Receipt, Verdict},
};
use memlith_event::{MemoryEvent, Surfaced};

use crate::salience::forge;
use crate::world::{World, ask, ids, little_of_everything, owner, say};

const SUBJECTS: [&str; 6] = ["tea", "cats", "bicycles", "winter", "winter", "maps"];

/// A ledger with a hundred observed checkouts, writes among them.
fn observed() -> (World, Ledger) {
    let world = World::new();
    let ledger = world.init();
    for number in 0..100 {
        let subject = SUBJECTS[number % SUBJECTS.len()];
        if number % 3 == 0 {
            say(&ledger, &format!("Note {number} is about {subject}, and {subject} alone."));
        }
        if number == 50 {
            ledger.checkpoints().write().unwrap();
        }
        world.tick();
        ask(&ledger, &format!("what is known about {subject}"));
    }
    (world, ledger)
}

fn last_receipt(ledger: &Ledger) -> Receipt<'static> {
    let mut last = None;
    for record in ledger.records(memlith::Seq(0), None).unwrap() {
        let record = record.unwrap();
        let Some(body) = memlith::log::decode(&record).unwrap() else { continue };
        if let Event::Memory(MemoryEvent::Surfaced(Surfaced { receipt: Some(receipt), .. })) =
            body.event
        {
            last = Some(serde_json::to_string(&receipt).unwrap());
        }
    }
    // A receipt borrows its words; the test's end is soon enough to give them back.
    serde_json::from_str(last.unwrap().leak()).unwrap()
}

fn tally(ledger: &Ledger) -> (usize, usize, Vec<memlith::RecordId>) {
    let audits = ledger.audit().receipts().unwrap();
    let count = |wanted: fn(&Verdict) -> bool| audits.iter().filter(|a| wanted(&a.verdict)).count();
    let mismatched = audits.iter().filter(|a| matches!(a.verdict, Verdict::Mismatch { .. }));
    (
        count(|verdict| matches!(verdict, Verdict::Reproduced)),
        count(|verdict| matches!(verdict, Verdict::Affected { .. })),
        mismatched.map(|audit| audit.id).collect(),
    )
}

type Plant<'a> = &'a dyn Fn(&mut Receipt<'static>);

#[test]
fn one_planted_difference_in_a_hundred_is_named() {
    let (world, ledger) = observed();
    assert_eq!(tally(&ledger), (100, 0, vec![]));
    let genuine = last_receipt(&ledger);
    assert!(genuine.items.len() > 1);
    let plants: [(&str, Plant); 6] = [
        ("score", &|receipt| receipt.items[0].score += 1),
        ("range", &|receipt| receipt.items[0].end -= 1),
        ("order", &|receipt| receipt.items.swap(0, 1)),
        ("left away", &|receipt| receipt.items.truncate(1)),
        ("query", &|receipt| receipt.query = "something else about maps".into()),
        ("chain", &|receipt| receipt.chain = Digest([9; 32])),
    ];
    for (what, plant) in plants {
        let world = world.copied(500);
        let mut receipt = genuine.clone();
        plant(&mut receipt);
        receipt.pack = receipt.pack_digest();
        let mut targets: Vec<_> = receipt.items.iter().map(|item| item.id).collect();
        targets.sort_unstable();
        let receipt = Some(Box::new(receipt));
        let seq = forge(&world, Surfaced { targets, weight: None, receipt, beside: Vec::new() });
        let ledger = world.open();
        let (reproduced, affected, mismatched) = tally(&ledger);
        let named: Vec<_> = mismatched.iter().map(|id| id.seq).collect();
        assert_eq!((reproduced, affected, named), (100, 0, vec![seq]), "{what}");
    }
    // A consistent copy of a genuine receipt is no difference.
    let mut targets: Vec<_> = genuine.items.iter().map(|item| item.id).collect();
    targets.sort_unstable();
    forge(
        &world,
        Surfaced { targets, weight: None, receipt: Some(Box::new(genuine)), beside: Vec::new() },
    );
    assert_eq!(tally(&ledger), (101, 0, vec![]));
}

#[test]
fn after_an_erasure_receipts_are_affected_not_wrong() {
    let (world, ledger) = observed();
    let shown = ids(&ask(&ledger, "what is known about winter"))[0];
    ledger.erasure().erase(&owner(), &[shown]).unwrap();
    let (reproduced, affected, mismatched) = tally(&ledger);
    assert_eq!((reproduced + affected, mismatched), (101, vec![]));
    assert!(affected > 0);
    // What is asked from now on is reproduced.
    ask(&ledger, "what is known about winter");
    assert_eq!(tally(&ledger).0, reproduced + 1);
    assert_eq!(world.findings(), []);
}

#[test]
fn receipts_hold_across_every_kind_of_event() {
    let world = World::new();
    let ledger = world.init();
    for _ in 0..3 {
        little_of_everything(&world, &ledger);
    }
    let (reproduced, affected, mismatched) = tally(&ledger);
    assert_eq!((reproduced, affected, mismatched), (12, 0, vec![]));
}
