//! Receipts that one who can write to the log has altered.

use memlith_event::{BODY_CODEC, Body, Event, Kind, MemoryEvent, Receipt};
use memlith_log::{Durability, Env, Flags, LocalStorage, Log, LogOptions, NewRecord, Seq};

use crate::harness::Desk;

/// Appends a copy of the last receipt of the ledger, altered.
pub(crate) fn forge(desk: &Desk, alter: impl FnOnce(&mut Receipt<'_>)) {
    let storage = LocalStorage::open(desk.ledger()).unwrap();
    let log = Log::open(Env::system(storage), LogOptions::default()).unwrap();
    let head = log.head().seq;
    let records: Vec<_> = log.scan(Seq::GENESIS, head).map(Result::unwrap).collect();
    let surfaced = records.iter().rev().filter(|record| record.kind == Kind::SURFACED.number);
    let (record, mut body) = surfaced
        .map(|record| (record, Body::decode(Kind::SURFACED, record.body().unwrap()).unwrap()))
        .find(|(_, body)| receipt(&body.event).is_some())
        .unwrap();
    let Event::Memory(MemoryEvent::Surfaced(surfaced)) = &mut body.event else { panic!() };
    alter(surfaced.receipt.as_mut().unwrap());
    let bytes = body.encode();
    let forged = NewRecord {
        kind: record.kind,
        kind_version: record.kind_version,
        codec: BODY_CODEC,
        flags: Flags::NONE,
        body: &bytes,
    };
    log.writer().unwrap().append(&[forged], Durability::Immediate).unwrap();
    log.close().unwrap();
}

/// Returns the receipt of a showing; `None` for what another system showed.
fn receipt<'a>(event: &'a Event<'_>) -> Option<&'a Receipt<'a>> {
    let Event::Memory(MemoryEvent::Surfaced(surfaced)) = event else { return None };
    surfaced.receipt.as_deref()
}

#[test]
fn the_one_altered_receipt_among_many_is_named() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    for _ in 0..5 {
        desk.ok(&["checkout", "what does Ana drink?"]);
    }
    assert_eq!(desk.json(&["verify", "receipts"])["reproduced"], 5);

    let alterations: [fn(&mut Receipt<'_>); 4] = [
        |receipt| receipt.items[0].score += 1,
        |receipt| receipt.query = "what does Ben drink?".into(),
        |receipt| receipt.budget_tokens = 1,
        |receipt| receipt.view = Seq(1),
    ];
    for (planted, alter) in alterations.into_iter().enumerate() {
        forge(&desk, alter);
        let forged = desk.json(&["maintain", "stat"])["head"]["seq"].clone();
        let run = desk.run(&["verify", "receipts", "--json"]);
        let audit = run.json();
        assert_eq!((run.code, &audit["reproduced"]), (3, &5.into()), "{audit}");
        assert_eq!(audit["mismatched"].as_array().unwrap().len(), planted + 1, "{audit}");
        assert_eq!(audit["mismatched"][planted]["seq"], forged, "{audit}");
    }
    // The records themselves are whole: only running the receipts again shows it.
    desk.ok(&["verify", "--full"]);
}

#[test]
fn a_receipt_of_another_scorer_is_not_called_wrong() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    desk.ok(&["checkout", "what does Ana drink?"]);
    forge(&desk, |receipt| receipt.scorer = 99);
    let run = desk.run(&["verify", "receipts", "--json"]);
    assert_eq!((run.code, &run.json()["mismatched"]), (1, &serde_json::json!([])), "{run:?}");
    assert_eq!(run.json()["not_checked"][0]["needs"], "scorer 99");
}
