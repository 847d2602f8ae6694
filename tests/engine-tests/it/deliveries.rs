//! Delivery: what is noted reaches a sink once, through failures, crashes and erasures.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use memlith::compaction::{CompactOptions, Rules};
use memlith::copy::{Format, ImportOptions};
use memlith::prove::Replay;
use memlith::write::{NoteError, NoteKind};
use memlith::{Caller, Error, Ledger, Rank, RecordId, Timestamp};
use memlith_delivery::{
    Batch, Deliverable, Delivery, DeliveryRun, ItemResult, Occasion, Route, Service, Sink, Terms,
    Verdict,
};
use memlith_log::{Fault, FaultKind};

use crate::world::{NOW, World, owner};

const SECOND_US: i64 = 1_000_000;
const MINUTE_US: i64 = 60 * SECOND_US;

fn at(us: i64) -> Timestamp {
    NOW.plus_us(us)
}

fn planner() -> Caller {
    Caller::new("default", "planner", Rank::Tool)
}

fn noted(ledger: &Ledger, key: &str) -> RecordId {
    let json = r#"{"strength": 0.5, "summary": "tides", "links": []}"#;
    ledger.note(&planner(), NoteKind::BasinStrengthened, key, json).unwrap()
}

fn notes(ledger: &Ledger, count: usize) -> Vec<RecordId> {
    (0..count).map(|number| noted(ledger, &format!("b{number}"))).collect()
}

fn route() -> Route {
    let kinds = Deliverable::ALL.to_vec();
    Route { name: "graph".to_owned(), kinds, terms: Terms::default(), claim_us: 150 * SECOND_US }
}

const START: Occasion = Occasion { cycle: None, is_start: true };

/// A store that counts how often it applied each item, and knows its batches.
#[derive(Default)]
struct Store {
    batches: RefCell<BTreeSet<String>>,
    applied: RefCell<BTreeMap<String, u32>>,
    order: RefCell<Vec<u64>>,
    calls: Cell<u32>,
}

impl Store {
    fn take(&self, batch: &Batch) {
        self.calls.set(self.calls.get() + 1);
        if !self.batches.borrow_mut().insert(batch.id.clone()) {
            return;
        }
        for item in &batch.items {
            *self.applied.borrow_mut().entry(format!("{} {}", item.kind, item.id)).or_default() +=
                1;
            self.order.borrow_mut().push(item.version);
        }
    }

    fn has(&self) -> usize {
        self.applied.borrow().len()
    }

    fn is_doubled(&self) -> bool {
        self.applied.borrow().values().any(|count| *count != 1)
    }
}

/// A sink that answers as it is told, and has a store behind it.
struct Answers<'a, F: Fn(&Batch) -> Verdict> {
    store: &'a Store,
    verdict: F,
}

impl<F: Fn(&Batch) -> Verdict> Sink for Answers<'_, F> {
    fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
        let verdict = (self.verdict)(batch);
        if matches!(verdict, Verdict::Done { .. }) {
            self.store.take(batch);
        }
        verdict
    }
}

fn done() -> Verdict {
    Verdict::Done { results: Vec::new(), nodes_created: 1, edges_created: 0 }
}

fn again() -> Verdict {
    Verdict::Again { what: "500".to_owned(), wait: None }
}

fn deliver(ledger: &Ledger, sink: &dyn Sink, now: Timestamp) -> Vec<DeliveryRun> {
    Delivery::of(ledger).deliver(&route(), sink, START, now).unwrap()
}

#[test]
fn fifty_one_are_more_than_can_wait_and_the_oldest_fifty_go() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    let idle = Occasion::default();
    let ids = notes(&ledger, 50);
    assert!(Delivery::of(&ledger).deliver(&route(), &sink, idle, at(0)).unwrap().is_empty());
    noted(&ledger, "b50");
    let runs = Delivery::of(&ledger).deliver(&route(), &sink, idle, at(0)).unwrap();
    assert_eq!((runs.len(), runs[0].sent), (1, 50));
    let order: Vec<u64> = ids.iter().map(|id| id.seq.0).collect();
    assert_eq!(*store.order.borrow(), order);
    assert_eq!(Delivery::of(&ledger).sink(&route()).unwrap().pending, 1);
    assert!(
        Delivery::of(&ledger)
            .deliver(&route(), &sink, idle, at(14 * MINUTE_US))
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        Delivery::of(&ledger).deliver(&route(), &sink, idle, at(16 * MINUTE_US)).unwrap().len(),
        1
    );
    assert!(
        Delivery::of(&ledger)
            .deliver(&route(), &sink, START, at(60 * MINUTE_US))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn failures_are_tried_again_after_ten_sixty_and_three_hundred_seconds_and_then_dead() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    noted(&ledger, "b");
    let fails = Answers { store: &store, verdict: |_: &Batch| again() };
    let mut alarms = 0;
    let (mut tried, mut second) = (Vec::new(), 0);
    while second < 500 {
        for run in deliver(&ledger, &fails, at(second * SECOND_US)) {
            tried.push(second);
            alarms += u32::from(run.is_alarming);
        }
        second += 1;
    }
    assert_eq!((tried, alarms), (vec![0, 10, 70, 370], 1));
    assert_eq!(Delivery::of(&ledger).sink(&route()).unwrap().dead, 1);
    // A process that begins meanwhile waits as long.
    drop(ledger);
    let ledger = world.open();
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    assert!(deliver(&ledger, &sink, at(500 * SECOND_US)).is_empty());
    Delivery::of(&ledger).switch("graph", Service::Retried, "the server is mended").unwrap();
    assert_eq!(deliver(&ledger, &sink, at(500 * SECOND_US)).len(), 1);
    assert_eq!((store.has(), store.is_doubled()), (1, false));
}

#[test]
fn what_a_sink_asks_for_is_waited_for_also_by_the_next_process() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    noted(&ledger, "b");
    let wait = Some(Duration::from_secs(40));
    let verdict = |_: &Batch| Verdict::Again { what: "429".to_owned(), wait };
    deliver(&ledger, &Answers { store: &store, verdict }, at(0));
    drop(ledger);
    let ledger = world.open();
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    assert!(deliver(&ledger, &sink, at(39 * SECOND_US)).is_empty());
    assert_eq!(deliver(&ledger, &sink, at(40 * SECOND_US)).len(), 1);
}

#[test]
fn of_fifty_of_which_three_fail_three_are_sent_again() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    let ids = notes(&ledger, 50);
    let bad: BTreeSet<String> =
        [3, 7, 40].iter().map(|place: &usize| ids[*place].to_string()).collect();
    let verdict = |batch: &Batch| {
        store.take(&Batch {
            items: batch.items.iter().filter(|one| !bad.contains(&one.id)).cloned().collect(),
            ..batch.clone()
        });
        let failed = batch.items.iter().filter(|one| bad.contains(&one.id));
        let error = Some("no such basin".to_owned());
        let failed = failed.map(|one| ItemResult {
            id: one.id.clone(),
            applied: false,
            error: error.clone(),
        });
        Verdict::Done { results: failed.collect(), nodes_created: 0, edges_created: 0 }
    };
    struct Partly<F: Fn(&Batch) -> Verdict>(F);
    impl<F: Fn(&Batch) -> Verdict> Sink for Partly<F> {
        fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
            (self.0)(batch)
        }
    }
    let runs = deliver(&ledger, &Partly(verdict), at(0));
    assert_eq!((runs[0].sent, runs[0].failed, store.has()), (50, 3, 47));
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    let runs = deliver(&ledger, &sink, at(10 * SECOND_US));
    assert_eq!((runs.len(), runs[0].sent), (1, 3));
    assert_eq!((store.has(), store.is_doubled()), (50, false));
}

#[test]
fn a_worker_that_dies_before_or_behind_the_send_loses_and_doubles_nothing() {
    for is_taken in [false, true] {
        let world = World::new();
        let (ledger, store) = (world.init(), Store::default());
        notes(&ledger, 5);
        struct Dies<'a>(&'a Store, bool);
        impl Sink for Dies<'_> {
            fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
                if self.1 {
                    self.0.take(batch);
                }
                std::panic::resume_unwind(Box::new("killed"));
            }
        }
        let dies = Dies(&store, is_taken);
        assert!(catch_unwind(AssertUnwindSafe(|| deliver(&ledger, &dies, at(0)))).is_err());
        drop(ledger);
        let ledger = world.open();
        let sink = Answers { store: &store, verdict: |_: &Batch| done() };
        // The claim holds: whoever has it may be slow.
        assert!(deliver(&ledger, &sink, at(149 * SECOND_US)).is_empty());
        assert_eq!(deliver(&ledger, &sink, at(150 * SECOND_US)).len(), 1);
        assert_eq!((store.has(), store.is_doubled()), (5, false));
        assert_eq!(store.batches.borrow().len(), 1);
        assert_eq!(Delivery::of(&ledger).sink(&route()).unwrap().applied, 5);
    }
}

#[test]
fn two_workers_never_have_one_item() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    notes(&ledger, 120);
    // While one is at its batch, the other takes what it can get.
    let is_first = Cell::new(true);
    let verdict = |_: &Batch| {
        if is_first.replace(false) {
            let other = Answers { store: &store, verdict: |_: &Batch| done() };
            deliver(&ledger, &other, at(0));
        }
        done()
    };
    deliver(&ledger, &Answers { store: &store, verdict }, at(0));
    assert_eq!((store.has(), store.is_doubled()), (120, false));
}

#[test]
fn a_day_without_the_sink_costs_one_alarm_and_loses_no_order() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    notes(&ledger, 300);
    let down = Answers {
        store: &store,
        verdict: |_: &Batch| Verdict::Unreached { what: "connection refused".to_owned() },
    };
    let (mut runs, mut minute) = (Vec::new(), 0);
    while minute < 24 * 60 {
        runs.extend(deliver(&ledger, &down, at(minute * MINUTE_US)));
        minute += 1;
    }
    assert_eq!(runs.iter().filter(|run| run.is_alarming).count(), 1);
    // It is asked each five minutes, with one batch.
    assert!((250..300).contains(&runs.len()), "{} runs", runs.len());
    let standing = Delivery::of(&ledger).sink(&route()).unwrap();
    assert_eq!((standing.dead, standing.retrying, standing.pending), (0, 50, 250));
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    deliver(&ledger, &sink, at(25 * 60 * MINUTE_US));
    assert_eq!((store.has(), store.is_doubled()), (300, false));
    let order = store.order.borrow();
    assert!(order.is_sorted(), "in the order in which it was noted");
}

#[test]
fn a_paused_sink_gets_nothing_and_then_everything() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    noted(&ledger, "b");
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    Delivery::of(&ledger).switch("graph", Service::Paused, "a look at the graph").unwrap();
    assert!(deliver(&ledger, &sink, at(0)).is_empty());
    noted(&ledger, "c");
    Delivery::of(&ledger).switch("graph", Service::Resumed, "").unwrap();
    assert_eq!(deliver(&ledger, &sink, at(0)).len(), 1);
    // The store is lost, and made anew from the ledger.
    let anew = Store::default();
    let sink = Answers { store: &anew, verdict: |_: &Batch| done() };
    Delivery::of(&ledger).switch("graph", Service::Restarted, "the graph was dropped").unwrap();
    deliver(&ledger, &sink, at(0));
    assert_eq!(*anew.applied.borrow(), *store.applied.borrow());
}

#[test]
fn what_is_erased_is_not_sent_and_who_has_it_is_told_once() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    let sent = noted(&ledger, "sent");
    let sink = Answers { store: &store, verdict: |_: &Batch| done() };
    deliver(&ledger, &sink, at(0));
    let waiting = noted(&ledger, "waiting");
    ledger.erasure().erase(&owner(), &[sent, waiting]).unwrap();
    deliver(&ledger, &sink, at(SECOND_US));
    deliver(&ledger, &sink, at(2 * SECOND_US));
    let applied: Vec<String> = store.applied.borrow().keys().cloned().collect();
    assert_eq!(applied, [format!("basin.strengthened {sent}"), format!("tombstone {sent}")]);
    assert!(!store.is_doubled());
}

#[test]
fn a_sink_that_lies_or_refuses_gets_what_it_deserves() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    noted(&ledger, "b");
    let lie = ItemResult { id: "mem_9_000000000000".to_owned(), applied: true, error: None };
    let verdict = |_: &Batch| Verdict::Done {
        results: vec![lie.clone()],
        nodes_created: 0,
        edges_created: 0,
    };
    struct Lies<F: Fn(&Batch) -> Verdict>(F);
    impl<F: Fn(&Batch) -> Verdict> Sink for Lies<F> {
        fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
            (self.0)(batch)
        }
    }
    let runs = deliver(&ledger, &Lies(verdict), at(0));
    assert_eq!((runs[0].failed, runs[0].retry_at), (1, Some(at(10 * SECOND_US))));
    assert!(runs[0].reason.contains("was not sent"), "{}", runs[0].reason);
    let never = |_: &Batch| Verdict::Never { what: "401".to_owned() };
    let runs = deliver(&ledger, &Answers { store: &store, verdict: never }, at(10 * SECOND_US));
    assert!(runs[0].is_alarming && runs[0].retry_at.is_none());
    assert_eq!(Delivery::of(&ledger).sink(&route()).unwrap().dead, 1);
}

#[test]
fn a_session_is_delivered_as_its_summary_and_a_memory_while_it_stands() {
    let world = World::new();
    let (ledger, store) = (world.init(), RefCell::new(Vec::new()));
    let ana = Caller::user("default", "ana");
    let kept = ledger.remember(&ana, "Staging runs Postgres 15.").unwrap().id;
    let gone = ledger.remember(&ana, "Ana drives a red van.").unwrap().id;
    assert!(
        ledger
            .change(&ana, memlith::Change::Invalidate { weight: None, reason: None }, [gone])
            .unwrap()
            .is_in_force()
    );
    struct Keeps<'a>(&'a RefCell<Vec<memlith_delivery::Item>>);
    impl Sink for Keeps<'_> {
        fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
            self.0.borrow_mut().extend(batch.items.iter().cloned());
            done()
        }
    }
    let said = |minute: u32, text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{minute}\",\"sessionId\":\"s1\",\"timestamp\":\
             \"2026-01-01T00:{minute:02}:00Z\",\"message\":{{\"role\":\"user\",\"content\":\
             \"{text}\"}}}}\n"
        )
    };
    let lines = said(1, "We ask Norma about the Harbour crane.") + &said(9, "Norma fixed it.");
    let options = ImportOptions { scope: ana.scope.clone(), ..ImportOptions::default() };
    ledger.import(Format::ClaudeCode, lines.as_bytes(), options).unwrap();
    let rules = Rules { sources_min: 1, ..Rules::default() };
    let options = CompactOptions { rules, ..CompactOptions::default() };
    assert_eq!(ledger.compact(&ana, &options).unwrap().written.len(), 1);
    deliver(&ledger, &Keeps(&store), at(0));
    let items = store.borrow();
    let [memory, session] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!((memory.kind.as_str(), &memory.id), ("memory", &kept.to_string()));
    assert_eq!(memory.data["text"], "Staging runs Postgres 15.");
    assert_eq!((session.kind.as_str(), session.key.as_str()), ("session.ended", "s1"));
    assert_eq!(session.data["minutes"], 8);
    assert!(session.data["entities"].as_array().unwrap().contains(&"Norma".into()), "{session:?}");
}

#[test]
fn deliveries_are_folded_without_sink_or_network() {
    let world = World::new();
    let (ledger, store) = (world.init(), Store::default());
    notes(&ledger, 60);
    deliver(&ledger, &Answers { store: &store, verdict: |_: &Batch| again() }, at(0));
    deliver(&ledger, &Answers { store: &store, verdict: |_: &Batch| done() }, at(MINUTE_US));
    ledger.checkpoints().write().unwrap();
    let digest = ledger.audit().digest().unwrap();
    let replayed = ledger.audit().replay(&Replay::default()).unwrap().digest;
    assert_eq!(digest.digest, replayed);
    assert_eq!(world.open().audit().digest().unwrap().digest, replayed);
}

/// A worker that is killed at every write of a delivery: nothing is lost, nothing doubled.
#[test]
fn kills_at_any_write_end_in_the_same_store() {
    let mut killed = 0;
    for operation in 0..60 {
        let world = World::new();
        let (ledger, store) = (world.init(), Store::default());
        notes(&ledger, 7);
        let sink = Answers { store: &store, verdict: |_: &Batch| done() };
        drop(ledger);
        let dying = world.open();
        world.disk.set_fault(Some(Fault { at: operation, kind: FaultKind::Stop }));
        let few = Route { terms: Terms { batch_size: 3, ..Terms::default() }, ..route() };
        killed += usize::from(Delivery::of(&dying).deliver(&few, &sink, START, at(0)).is_err());
        drop(dying);
        let world = world.copied(operation);
        let ledger = world.open();
        Delivery::of(&ledger).deliver(&few, &sink, START, at(0)).unwrap();
        Delivery::of(&ledger).deliver(&few, &sink, START, at(200 * SECOND_US)).unwrap();
        assert_eq!((store.has(), store.is_doubled()), (7, false), "operation {operation}");
    }
    assert!(killed >= 10, "only {killed} kills hit a write");
}

#[test]
fn a_note_says_what_its_kind_has() {
    let world = World::new();
    let ledger = world.init();
    let note = |kind: &str, key: &str, json: &str| match kind.parse::<NoteKind>() {
        Ok(kind) => ledger.note(&planner(), kind, key, json).map(drop),
        Err(error) => Err(Error::Note(error)),
    };
    assert!(matches!(note("weather", "k", "{}"), Err(Error::Note(NoteError::Kind(_)))));
    assert!(matches!(note("prediction.made", "", "{}"), Err(Error::Note(NoteError::Key(0)))));
    assert!(matches!(note("prediction.made", "k", "[]"), Err(Error::Note(NoteError::Json(_)))));
    let missing = note("model.revised", "k", r#"{"old_basins": [], "new_basins": [1]}"#);
    assert!(matches!(missing, Err(Error::Note(NoteError::Field { field: "new_basins", .. }))));
    let before = ledger.head();
    let share = r#"{"observation": "x", "accuracy": 1.5, "model_id": "m"}"#;
    assert!(note("prediction.resolved", "k", share).is_err());
    assert_eq!(ledger.head(), before, "what is refused leaves nothing");
    note("prediction.made", "k", r#"{"what": "rain"}"#).unwrap();
}
