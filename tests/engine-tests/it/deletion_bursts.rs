//! Ten deletions within a minute pause every sink, until somebody has looked at them.

use std::cell::RefCell;

use memlith::write::NoteKind;
use memlith::{Caller, Change, Ledger, Rank, RecordId};
use memlith_delivery::{
    Batch, Deliverable, Delivery, Destination, Occasion, Route, Served, Service, Sink, Terms,
    Verdict,
};
use memlith_log::Clock;

use crate::world::{World, ana, owner};

/// Deliveries that arrived, as types and ids.
#[derive(Default)]
struct Kept(RefCell<Vec<(String, String)>>);

impl Sink for Kept {
    fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
        let items = batch.items.iter().map(|item| (item.kind.clone(), item.id.clone()));
        self.0.borrow_mut().extend(items);
        Verdict::Done { results: Vec::new(), nodes_created: 2, edges_created: 1 }
    }
}

impl Kept {
    fn count(&self, kind: &str) -> usize {
        self.0.borrow().iter().filter(|(of, _)| of == kind).count()
    }
}

fn route(name: &str) -> Route {
    let (kinds, terms) = (Deliverable::ALL.to_vec(), Terms::default());
    Route { name: name.to_owned(), kinds, terms, claim_us: 150_000_000 }
}

fn note(ledger: &Ledger, number: usize) -> RecordId {
    let planner = Caller::new("default", "planner", Rank::Tool);
    let json = r#"{"strength": 0.5, "summary": "tides", "links": []}"#;
    ledger.note(&planner, NoteKind::BasinStrengthened, &format!("b{number}"), json).unwrap()
}

const START: Occasion = Occasion { cycle: None, is_start: true };

/// A ledger with two sinks.
struct Desk {
    world: World,
    ledger: Ledger,
    routes: [Route; 2],
    sinks: [Kept; 2],
}

impl Desk {
    fn new() -> Desk {
        let world = World::new();
        let ledger = world.init();
        Desk { world, ledger, routes: [route("a"), route("b")], sinks: Default::default() }
    }

    fn serve(&self) -> Served {
        let to = self.routes.iter().zip(&self.sinks);
        let to: Vec<Destination<'_>> =
            to.map(|(route, sink)| Destination { route, sink }).collect();
        Delivery::of(&self.ledger).serve(&to, START, self.world.clock.now()).unwrap()
    }

    fn notes(&self, count: usize) -> Vec<RecordId> {
        (0..count).map(|number| note(&self.ledger, number)).collect()
    }

    /// Erases one after the other, so many seconds apart.
    fn erase(&self, ids: &[RecordId], seconds: u32) {
        for id in ids {
            (0..seconds).for_each(|_| self.world.tick());
            self.ledger.erasure().erase(&owner(), &[*id]).unwrap();
        }
    }
}

#[test]
fn nine_within_a_minute_are_delivered_and_the_tenth_pauses_every_sink() {
    let desk = Desk::new();
    let ids = desk.notes(20);
    desk.serve();
    desk.erase(&ids[..9], 1);
    assert_eq!(desk.serve().halted, None);
    assert_eq!((desk.sinks[0].count("tombstone"), desk.sinks[1].count("tombstone")), (9, 9));
    desk.erase(&ids[9..10], 1);
    let told = desk.serve();
    let reason = told.halted.unwrap();
    assert!(reason.starts_with("10 records were erased"), "{reason}");
    assert!(told.runs.iter().all(Vec::is_empty));
    // It is told once, and writes go on.
    note(&desk.ledger, 99);
    assert_eq!(desk.serve(), Served::default_of(2));
    for (route, sink) in desk.routes.iter().zip(&desk.sinks) {
        assert!(Delivery::of(&desk.ledger).sink(route).unwrap().paused);
        assert_eq!(sink.count("tombstone"), 9);
    }
    // Another process knows, and each sink is resumed by itself.
    Delivery::of(&desk.ledger).switch("a", Service::Resumed, "it was meant").unwrap();
    desk.serve();
    assert_eq!((desk.sinks[0].count("tombstone"), desk.sinks[1].count("tombstone")), (10, 9));
    assert_eq!(desk.sinks[0].count("basin.strengthened"), 21);
    Delivery::of(&desk.ledger).switch("b", Service::Resumed, "it was meant").unwrap();
    desk.serve();
    assert_eq!(desk.sinks[1].0.borrow().len(), desk.sinks[0].0.borrow().len());
}

#[test]
fn what_is_slower_is_no_burst_and_ten_at_once_are() {
    let desk = Desk::new();
    let ids = desk.notes(30);
    desk.serve();
    desk.erase(&ids[..20], 7);
    assert_eq!(desk.serve().halted, None);
    (0..61).for_each(|_| desk.world.tick());
    desk.ledger.erasure().erase(&owner(), &ids[20..30]).unwrap();
    // The worker that was asked for one sink alone is halted as well.
    let runs = Delivery::of(&desk.ledger).deliver(
        &desk.routes[0],
        &desk.sinks[0],
        START,
        desk.world.clock.now(),
    );
    assert!(runs.unwrap().is_empty());
    assert!(Delivery::of(&desk.ledger).sink(&desk.routes[0]).unwrap().paused);
    assert_eq!(desk.sinks[0].count("tombstone"), 20);
}

#[test]
fn memories_that_are_taken_out_count_and_the_times_are_those_of_the_events() {
    let desk = Desk::new();
    let remember = |number: u32| {
        let text = format!("Service {number} listens on port {}.", 7_000 + number);
        desk.ledger.remember(&ana(), text.as_str()).unwrap().id
    };
    let ids: Vec<RecordId> = (0..10).map(remember).collect();
    desk.serve();
    for id in ids {
        desk.world.tick();
        let change = Change::Invalidate { weight: None, reason: None };
        assert!(desk.ledger.change(&ana(), change, [id]).unwrap().is_in_force());
    }
    // Who looks a day later finds them as close together, and so does the next process.
    desk.world.pass_days(1);
    let reopened = desk.world.open();
    assert!(Delivery::of(&reopened).sink(&desk.routes[0]).unwrap().paused);
    assert!(desk.serve().halted.is_some());
    let digest = desk.ledger.audit().digest().unwrap().digest;
    let replayed = desk.ledger.audit().replay(&memlith::prove::Replay::default()).unwrap().digest;
    assert_eq!(digest, replayed);
}

#[test]
fn a_cycle_is_served_each_hundredth_time_and_tells_what_it_made() {
    let desk = Desk::new();
    desk.notes(3);
    let to = [Destination { route: &desk.routes[0], sink: &desk.sinks[0] }];
    let cycle = |number| {
        let occasion = Occasion { cycle: Some(number), is_start: false };
        Delivery::of(&desk.ledger).cycle(&to, occasion, desk.world.clock.now()).unwrap()
    };
    for idle in [0, 1, 99] {
        assert_eq!(cycle(idle), Served::default_of(1), "{idle}");
    }
    let done = cycle(100);
    assert_eq!((done.runs[0].len(), done.runs[0][0].sent), (1, 3));
    assert_eq!((done.runs[0][0].nodes, done.runs[0][0].edges), (2, 1));
    let standing = Delivery::of(&desk.ledger).sink(&desk.routes[0]).unwrap();
    assert!(standing.latency.is_some());
    assert_eq!((standing.depth(), standing.failure_rate()), (0, 0.0));
}

/// Nothing was done for so many sinks.
trait Nothing {
    fn default_of(sinks: usize) -> Self;
}

impl Nothing for Served {
    fn default_of(sinks: usize) -> Served {
        let mut nothing = Served::default();
        nothing.runs = vec![Vec::new(); sinks];
        nothing
    }
}
