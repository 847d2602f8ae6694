//! Tests of the effect of checkouts on salience, seen through `explain`.

use memlith::{Authority, RecordId, Seq, log::Kind};
use memlith_event::{Actor, BODY_CODEC, Body, Envelope, Event, MemoryEvent, Rank, Scope, Surfaced};
use memlith_log::{Durability, Flags, Log, LogOptions, NewRecord};

use crate::world::{
    NOW, World, ana, ask, explain, factor, head, ids, invalidate, look, reconfirm, salience, say,
};

/// Appends a showing of `id` behind the engine's back, as a hostile process could.
pub(crate) fn forge_showing(world: &World, id: RecordId) {
    let surfaced = Surfaced { targets: vec![id], weight: None, receipt: None, beside: Vec::new() };
    forge(world, surfaced);
}

pub(crate) fn forge(world: &World, surfaced: Surfaced<'_>) -> Seq {
    let actor = Actor::new("mallory", Rank::Engine);
    let body = Body {
        envelope: Envelope::new(Scope::tenant("default"), actor, NOW),
        event: Event::Memory(MemoryEvent::Surfaced(surfaced)),
    };
    let log = Log::open(world.env(), LogOptions::default()).unwrap();
    let encoded = body.encode();
    let record = NewRecord {
        kind: Kind::SURFACED.number,
        kind_version: Kind::SURFACED.version,
        codec: BODY_CODEC,
        flags: Flags::NONE,
        body: &encoded,
    };
    let appended = log.writer().unwrap().append(&[record], Durability::Immediate).unwrap();
    log.close().unwrap();
    appended[0].seq
}

#[test]
fn an_observed_checkout_is_worth_a_twentieth() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The staging database runs Postgres.");
    assert_eq!(factor(&ledger, id), "1.0");
    for (before, expected) in [("1.0", "1.05"), ("1.05", "1.1025")] {
        let shown = look(&ledger, "which database is staging on", None).pack.items;
        assert_eq!(shown[0].why.salience.to_string(), before, "what the order goes by");
        assert_eq!(ids(&ask(&ledger, "which database is staging on")), [id]);
        assert_eq!(factor(&ledger, id), expected);
        assert!(explain(&ledger, id).explanation.exact);
    }
    let before = head(&ledger);
    assert_eq!(ids(&look(&ledger, "which database is staging on", None)), [id]);
    assert_eq!((factor(&ledger, id).as_str(), head(&ledger)), ("1.1025", before));
    world.pass_days(30);
    let later = explain(&ledger, id).explanation;
    assert_eq!(
        (later.salience.to_string(), later.factor.to_string()),
        ("0.55125".into(), "1.1025".into())
    );
}

#[test]
fn a_hundred_checkouts_are_worth_at_most_double() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The staging database runs Postgres.");
    for _ in 0..100 {
        assert_eq!(ids(&ask(&ledger, "which database is staging on")), [id]);
    }
    let explained = explain(&ledger, id).explanation;
    assert_eq!(explained.factor.to_string(), "2.0");
    assert!(!explained.exact);
    assert_eq!(explained.steps.len(), 100);
}

#[test]
fn surfacing_never_brings_back_what_was_invalidated() {
    let world = World::new();
    let ledger = world.init();
    let query = "which database is staging on";
    let id = say(&ledger, "The staging database runs Postgres.");
    assert_eq!(ids(&ask(&ledger, query)), [id]);
    world.tick();
    invalidate(&ledger, id);
    for _ in 0..50 {
        assert!(ids(&ask(&ledger, query)).is_empty());
        forge_showing(&world, id);
    }
    let explained = explain(&ledger, id);
    assert_eq!(explained.authority, Authority::Invalidated);
    assert_eq!(explained.explanation.factor.to_string(), "0.21");
    assert!(ids(&look(&ledger, query, None)).is_empty());
    world.tick();
    reconfirm(&ledger, id);
    let shown = ask(&ledger, query).pack.items;
    assert_eq!(shown.iter().map(|item| item.id).collect::<Vec<_>>(), [id]);
    let level = shown[0].why.salience.to_string();
    assert!(level.starts_with("1.0499"), "the penalty is taken back: {level}");
    assert!(salience(&ledger, id) >= 1.0, "{}", salience(&ledger, id));
}

#[test]
fn a_person_reconfirms_at_one_after_weeks() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The staging database runs Postgres.");
    world.pass_days(20);
    invalidate(&ledger, id);
    world.pass_days(1);
    reconfirm(&ledger, id);
    assert_eq!(explain(&ledger, id).explanation.salience.to_string(), "1.0");
    let shown = look(&ledger, "which database is staging on", None).pack.items;
    assert_eq!(shown[0].why.salience.to_string(), "1.0", "what the order goes by");
    let mut assistant = ana();
    assistant.rank = Rank::Assistant;
    let refused = memlith::Change::Reconfirm { reason: None };
    assert!(ledger.change(&assistant, refused, [id]).is_err());
}
