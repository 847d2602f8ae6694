//! Tests of records that a process writes into the log behind the engine's back: each is refused,
//! or does no more than is written down here, and every process folds it to the same.

use memlith::{
    Authority, Ledger, RecordId, Seq,
    log::{Kind, LinkKind},
};
use memlith_event::{
    Actor, BODY_CODEC, Body, Envelope, Event, Link, MemoryEvent, Rank, Remembered, Scope, Surfaced,
    Validity,
};
use memlith_log::{Durability, Error, Flags, Log, LogOptions, MAX_BATCH_RECORDS, NewRecord};

use crate::world::{
    NOW, World, ana, ask, digest, explain, factor, head, ids, invalidate, look, reconfirm, say,
};

/// Number of showings in one go.
const MANY: usize = 10_000;

fn body(event: MemoryEvent<'static>, links: Vec<Link>) -> Body<'static> {
    let envelope = Envelope::new(Scope::tenant("default"), Actor::new("mallory", Rank::User), NOW);
    Body { envelope: Envelope { links, ..envelope }, event: Event::Memory(event) }
}

fn showing(targets: Vec<RecordId>) -> Body<'static> {
    body(
        MemoryEvent::Surfaced(Surfaced {
            targets,
            weight: None,
            receipt: None,
            beside: Vec::new(),
        }),
        Vec::new(),
    )
}

/// Appends these as one batch.
fn append(world: &World, bodies: &[Body<'_>]) -> Result<Vec<RecordId>, Error> {
    let encoded: Vec<(Kind, Vec<u8>)> =
        bodies.iter().map(|body| (body.event.kind(), body.encode())).collect();
    let records: Vec<NewRecord<'_>> = encoded
        .iter()
        .map(|(kind, body)| NewRecord {
            kind: kind.number,
            kind_version: kind.version,
            codec: BODY_CODEC,
            flags: Flags::NONE,
            body,
        })
        .collect();
    let log = Log::open(world.env(), LogOptions::default()).unwrap();
    let appended = log.writer().unwrap().append(&records, Durability::Immediate);
    let appended = appended.map(|all| all.iter().map(|one| one.id).collect());
    log.close().unwrap();
    appended
}

/// A process that was there all along, one that folds again and one that opens agree, and
/// nothing is wrong with the log.
fn agreed(world: &World, ledger: &Ledger) {
    assert_eq!(ledger.audit().digest().unwrap().digest, digest(ledger));
    assert_eq!(digest(&world.open()), digest(ledger));
    assert_eq!(world.findings(), []);
}

#[test]
fn ten_thousand_showings_in_one_batch_are_refused_and_in_several_worth_a_doubling() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The staging database runs Postgres.");
    let showings = vec![showing(vec![id]); MANY];
    let end = head(&ledger);
    let refused = append(&world, &showings);
    assert!(matches!(refused, Err(Error::BatchLimit { records: MANY, .. })), "{refused:?}");
    ledger.refresh().unwrap();
    assert_eq!((head(&ledger), factor(&ledger, id).as_str()), (end, "1.0"));
    for batch in showings.chunks(usize::from(MAX_BATCH_RECORDS)) {
        append(&world, batch).unwrap();
    }
    ledger.refresh().unwrap();
    let explained = explain(&ledger, id).explanation;
    assert_eq!((explained.factor.to_string().as_str(), explained.exact), ("2.0", false));
    assert_eq!(ids(&ask(&ledger, "which database is staging on?")), [id]);
    world.pass_days(30);
    assert_eq!(explain(&ledger, id).explanation.salience.to_string(), "1.0", "a half-life later");
    agreed(&world, &ledger);
}

#[test]
fn one_showing_of_ten_thousand_items_shows_each_once_and_what_is_not_there_never() {
    let world = World::new();
    let ledger = world.init();
    let (id, other) = (say(&ledger, "The cat is called Momo."), say(&ledger, "Tea is ready."));
    let missing = |number: u64| RecordId { seq: Seq(1_000_000 + number), hash: [7; 6] };
    let mut targets = vec![id; MANY];
    targets.extend((0..10_000).map(missing));
    append(&world, &[showing(targets)]).unwrap();
    ledger.refresh().unwrap();
    // What the order goes by: an explanation counts each event once, whatever was folded.
    let level = |query, id| {
        let items = look(&ledger, query, None).pack.items;
        items.iter().find(|item| item.id == id).unwrap().why.salience.to_string()
    };
    assert_eq!((level("Momo", id).as_str(), level("tea", other).as_str()), ("1.05", "1.0"));
    agreed(&world, &ledger);
}

#[test]
fn what_rests_on_itself_rests_on_nothing_and_what_goes_round_in_a_circle_is_stale() {
    let world = World::new();
    let ledger = world.init();
    let tea = say(&ledger, "Ana drinks tea.");
    let first = head(&ledger).next();
    let rests_on = |ids: &[RecordId]| {
        let link = |target: &RecordId| Link { kind: LinkKind::RestsOn, target: *target };
        ids.iter().map(link).collect::<Vec<_>>()
    };
    let said = |text: &'static str, on: &[RecordId]| {
        let validity = Validity { from: None, until: None };
        let remembered = Remembered { validity, ..Remembered::text(text) };
        body(MemoryEvent::Remembered(remembered), rests_on(on))
    };
    // A name takes in the links, so whoever makes a circle knows no hashes.
    let named = |after: u64| RecordId { seq: Seq(first.0 + after), hash: [9; 6] };
    let made = append(
        &world,
        &[
            said("The kettle stands on itself.", &[named(0)]),
            said("The lamp stands on the shelf, and tea.", &[named(2), tea]),
            said("The shelf stands on the chair.", &[named(3)]),
            said("The chair stands on the lamp.", &[named(1)]),
            said("The rug lies on the lamp.", &[named(1)]),
        ],
    )
    .unwrap();
    ledger.refresh().unwrap();
    let authority = |id: RecordId| ledger.show(&ana(), id).unwrap().authority;
    let stale_but_one = || {
        let found: Vec<Authority> = made.iter().map(|id| authority(*id)).collect();
        assert_eq!(found[0], Authority::Active);
        assert_eq!(found[1..], [Authority::Stale; 4]);
    };
    stale_but_one();
    let mut shown = ids(&look(&ledger, "lamp, shelf, chair, rug, kettle", None));
    shown.retain(|id| *id != tea);
    assert_eq!(shown, made[..1]);
    // No decision about one of them, or about what they rest on, goes round without end.
    for id in [tea, made[0]] {
        world.tick();
        invalidate(&ledger, id);
        world.tick();
        reconfirm(&ledger, id);
    }
    stale_but_one();
    for id in &made {
        ledger.trace(&ana(), *id).unwrap();
        ledger.taint(&ana(), *id).unwrap();
    }
    ledger.checkpoints().write().unwrap();
    agreed(&world, &ledger);
}
