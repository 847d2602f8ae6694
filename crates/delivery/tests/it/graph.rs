//! A real FalkorDB: what is delivered is in the graph once, whoever is killed.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use memlith::write::NoteKind;
use memlith::{Caller, Judgement, Ledger, Options, Rank, RecordId, Timestamp};
use memlith_delivery::{
    Batch, Deliverable, Delivery, DeliveryRun, Occasion, Route, Service, Sink, Terms, Verdict,
};
use memlith_delivery::{FalkorDb, bootstrap};

use crate::falkordb::Graph;

/// A ledger of a planner's.
struct Desk {
    _folder: tempfile::TempDir,
    ledger: Ledger,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path().join("l"), Options::default()).unwrap();
        Desk { _folder: folder, ledger }
    }

    fn note(&self, kind: NoteKind, key: &str, json: &str) -> RecordId {
        let planner = Caller::new("default", "planner", Rank::Tool);
        self.ledger.note(&planner, kind, key, json).unwrap()
    }

    /// Notes of all kinds, about so many things each.
    fn notes(&self, count: usize, things: usize) {
        for number in 0..count {
            let key = format!("key {}", number % things);
            match number % 3 {
                0 => self.note(
                    NoteKind::BasinStrengthened,
                    &key,
                    &format!(
                        r#"{{"strength": 0.{number}, "summary": "s", "links": ["mem_{key}"]}}"#
                    ),
                ),
                1 => self.note(
                    NoteKind::ModelRevised,
                    &key,
                    r#"{"old_basins": ["key 1"], "new_basins": ["key 2", "x"], "trigger": "t"}"#,
                ),
                _ => self.note(
                    NoteKind::PredictionResolved,
                    &key,
                    r#"{"observation": "it\n\"rained\"", "accuracy": 0.5, "model_id": "m"}"#,
                ),
            };
        }
    }

    fn deliver(&self, sink: &dyn Sink, seconds: i64) -> Vec<DeliveryRun> {
        let now = self.ledger.now().plus_us(seconds * 1_000_000);
        Delivery::of(&self.ledger).deliver(&route(), sink, START, now).unwrap()
    }
}

const START: Occasion = Occasion { cycle: None, is_start: true };

fn route() -> Route {
    let (kinds, terms) = (Deliverable::ALL.to_vec(), Terms::default());
    Route { name: "graph".to_owned(), kinds, terms, claim_us: 10_000_000 }
}

#[test]
fn each_kind_is_its_nodes_and_edges_and_twice_is_once() {
    let Some(graph) = Graph::start() else { return };
    let desk = Desk::new();
    desk.note(
        NoteKind::PredictionResolved,
        "rain",
        r#"{"observation": "it \"rained\"}) //", "accuracy": 0.8, "model_id": "weather"}"#,
    );
    let basin = r#"{"strength": 0.7, "summary": "tides", "links": ["mem_1_aa"]}"#;
    desk.note(NoteKind::BasinStrengthened, "tides", basin);
    desk.note(NoteKind::BasinStrengthened, "tides", basin);
    let model = r#"{"old_basins": ["tides"], "new_basins": ["moon"], "trigger": "an eclipse"}"#;
    desk.note(NoteKind::ModelRevised, "sea", model);
    let ana = Caller::user("default", "ana");
    let memory = desk.ledger.remember(&ana, "Ana's boat is \"Grace\".").unwrap().id;
    let runs = desk.deliver(&graph.sink(), 0);
    assert_eq!((runs.len(), runs[0].sent, runs[0].failed), (1, 5, 0), "{runs:?}");
    assert_eq!((runs[0].nodes, runs[0].edges), (7, 4), "{}", graph.whole());
    let has = |query: &str, wanted: &str| {
        let rows = graph.rows(query).unwrap();
        assert!(rows.contains(wanted), "{query}: {rows}");
    };
    has("MATCH (p:Prediction)-[r:RESULTED_IN]->(o:Observation) RETURN o.text", "rained\\\"}) //");
    has("MATCH (b:Basin {key: 'tides'})-[:ATTRACTS]->(m:Memory) RETURN b.strengthened", "int(2)");
    has("MATCH (:Model)-[r:REVISED_TO]->(b:Basin) RETURN r.trigger, b.key", "an eclipse");
    has("MATCH (:Model)-[:HAD]->(b:Basin) RETURN b.key", "tides");
    has("MATCH (m:Memory) WHERE m.text IS NOT NULL RETURN m.text", "Grace");
    let before = graph.whole();
    Delivery::of(&desk.ledger).switch("graph", Service::Restarted, "once more").unwrap();
    desk.deliver(&graph.sink(), 1);
    assert_eq!(graph.whole(), before);
    // A newer version takes the place of the older one, and never the other way round.
    let owner = Caller::new("default", "olga", Rank::Owner);
    desk.ledger.erasure().erase(&owner, &[memory]).unwrap();
    desk.deliver(&graph.sink(), 2);
    assert!(!graph.whole().contains("Grace"), "{}", graph.whole());
}

/// Kills the engine, before the send or behind it, or the graph; the end is as without.
#[test]
fn kills_of_either_side_end_in_the_same_graph() {
    let Some(graph) = Graph::start() else { return };
    struct Killed<'a> {
        graph: &'a Graph,
        inner: FalkorDb,
        calls: Cell<u32>,
    }
    impl Sink for Killed<'_> {
        fn deliver(&self, batch: &Batch, now: i64) -> Verdict {
            self.calls.set(self.calls.get() + 1);
            match self.calls.get() % 4 {
                // The engine, before anything is sent.
                1 => std::panic::resume_unwind(Box::new("killed")),
                // The engine, before the answer is noted.
                2 => {
                    let _ = self.inner.deliver(batch, now);
                    std::panic::resume_unwind(Box::new("killed"));
                }
                // The graph, behind the send.
                3 => {
                    let _ = self.inner.deliver(batch, now);
                    self.graph.kill();
                    Verdict::Unreached { what: "reset".to_owned() }
                }
                _ => self.inner.deliver(batch, now),
            }
        }
    }
    let desk = Desk::new();
    let few = Route { terms: Terms { batch_size: 5, ..Terms::default() }, ..route() };
    desk.notes(150, 7);
    let killed = Killed { graph: &graph, inner: graph.sink(), calls: Cell::new(0) };
    let mut now = desk.ledger.now();
    loop {
        let went = catch_unwind(AssertUnwindSafe(|| {
            Delivery::of(&desk.ledger).deliver(&few, &killed, START, now).unwrap()
        }));
        // The claim, or the wait, is over.
        now = Timestamp(now.0 + 400_000_000);
        let standing = Delivery::of(&desk.ledger).sink(&few).unwrap();
        let left = standing.pending + standing.sent + standing.retrying;
        if went.is_ok() && left == 0 {
            assert_eq!(standing.dead, 0);
            break;
        }
    }
    let kills = killed.calls.get() * 3 / 4;
    assert!(kills >= 50, "{kills} kills");
    let interrupted = graph.whole();
    graph.drop_all();
    Delivery::of(&desk.ledger)
        .switch("graph", Service::Restarted, "the graph was dropped")
        .unwrap();
    Delivery::of(&desk.ledger).deliver(&few, &graph.sink(), START, now).unwrap();
    assert_eq!(graph.whole(), interrupted, "rebuilt from the ledger, node for node");
    println!("{kills} kills, the graph equals the one that was not interrupted");
}

#[test]
fn five_thousand_arrive_in_batches_of_fifty() {
    let Some(graph) = Graph::start() else { return };
    let desk = Desk::new();
    desk.notes(5_000, 7);
    let runs = desk.deliver(&graph.sink(), 0);
    let failed: usize = runs.iter().map(|run| run.failed).sum();
    assert_eq!((runs.len(), failed), (100, 0));
    let mut times: Vec<u32> = runs.iter().map(|run| run.duration_ms).collect();
    times.sort_unstable();
    println!("5,000 items: a batch of 50 p50 {} ms, p95 {} ms", times[50], times[95]);
    let applied = "MATCH (b:Basin) RETURN sum(b.strengthened)";
    assert!(graph.rows(applied).unwrap().contains("1667"), "{:?}", graph.rows(applied));
}

/// One call in twenty fails in one of the ways that there are.
#[test]
fn ten_thousand_arrive_through_random_faults() {
    let Some(graph) = Graph::start() else { return };
    struct Faulty {
        inner: FalkorDb,
        random: Cell<u64>,
        faults: Cell<u32>,
    }
    impl Sink for Faulty {
        fn deliver(&self, batch: &Batch, now: i64) -> Verdict {
            let mut state = self.random.get();
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            self.random.set(state);
            let what = || "a fault".to_owned();
            if !state.is_multiple_of(20) {
                return self.inner.deliver(batch, now);
            }
            self.faults.set(self.faults.get() + 1);
            match state / 20 % 3 {
                0 => Verdict::Again { what: what(), wait: None },
                1 => Verdict::Unreached { what: what() },
                _ => {
                    let _ = self.inner.deliver(batch, now);
                    Verdict::Unreached { what: what() }
                }
            }
        }
    }
    let desk = Desk::new();
    // An older version that comes behind a newer one changes nothing: each is of its own.
    desk.notes(10_000, 10_000);
    let (random, faults) = (Cell::new(7), Cell::new(0));
    let sink = Faulty { inner: graph.sink(), random, faults };
    let mut seconds = 0;
    while Delivery::of(&desk.ledger).sink(&route()).unwrap().pending > 0
        || Delivery::of(&desk.ledger).sink(&route()).unwrap().retrying > 0
    {
        desk.deliver(&sink, seconds);
        seconds += 400;
    }
    let standing = Delivery::of(&desk.ledger).sink(&route()).unwrap();
    println!(
        "10,000 items, {} faults: {} applied, {} dead",
        sink.faults.get(),
        standing.applied,
        standing.dead
    );
    assert_eq!((standing.applied, standing.dead), (10_000, 0));
    let applied = "MATCH (b:Basin) RETURN sum(b.strengthened)";
    assert!(graph.rows(applied).unwrap().contains("3334"), "{:?}", graph.rows(applied));
}

/// A ledger that was lost is given back what the graph was delivered, and that again is the same
/// graph.
#[test]
fn a_graph_gives_back_what_it_was_delivered() {
    let Some(graph) = Graph::start() else { return };
    let desk = Desk::new();
    let ana = Caller::user("default", "ana");
    for number in 0..1_000 {
        let said = format!("Machine {number} of the hall listens on port {}.", 9_000 + number);
        let _ = desk.ledger.remember(&ana, said.as_str()).unwrap();
    }
    desk.note(
        NoteKind::PredictionResolved,
        "rain",
        r#"{"observation": "it \"rained\"", "accuracy": 0.8, "model_id": "weather"}"#,
    );
    let basin = r#"{"strength": 0.7, "summary": "tides", "links": ["mem_1_aa", "mem_2_bb"]}"#;
    desk.note(NoteKind::BasinStrengthened, "tides", basin);
    let model = r#"{"old_basins": ["tides"], "new_basins": ["moon"], "trigger": "an eclipse"}"#;
    desk.note(NoteKind::ModelRevised, "sea", model);
    let runs = desk.deliver(&graph.sink(), 0);
    assert!(runs.iter().all(|run| run.failed == 0), "{runs:?}");
    let told = |graph: &Graph| {
        let texts = "MATCH (m:Memory) WHERE m.text IS NOT NULL RETURN m.text, m.occurred_at \
                     ORDER BY m.text";
        let links = "MATCH (a)-[r]->(b) RETURN type(r), properties(r), a.key, \
                     coalesce(b.key, b.id) ORDER BY type(r), a.key, coalesce(b.key, b.id)";
        let said = "MATCH (n) WHERE n:Basin OR n:Observation OR n:Prediction RETURN n.key, \
                    n.strength, n.summary, n.text, n.model_id ORDER BY labels(n)[0], n.key";
        [texts, links, said].map(|query| graph.rows(query).unwrap())
    };
    let before = told(&graph);

    let other = Desk::new();
    let tool = Caller::new("default", "graph", Rank::Tool);
    let dry = bootstrap(&graph.sink(), &other.ledger, &tool, true).unwrap();
    assert_eq!((dry.memories, dry.notes, dry.sessions, dry.passed_over), (1_000, 3, 0, 0));
    assert_eq!(other.ledger.refresh().unwrap().seq, memlith::Seq(0), "a dry run wrote");
    assert_eq!(bootstrap(&graph.sink(), &other.ledger, &tool, false).unwrap(), dry);
    let again = bootstrap(&graph.sink(), &other.ledger, &tool, false).unwrap_err();
    assert!(matches!(again, memlith_delivery::BootstrapError::NotEmpty), "{again}");

    // A tool's word waits, and goes nowhere before a person accepts it.
    let olga = Caller::new("default", "olga", Rank::Owner);
    let waiting = other.ledger.review().waiting(&olga).unwrap();
    assert_eq!(waiting.len(), 1_000);
    for one in waiting {
        let _ = other.ledger.review().judge(&olga, Judgement::Accept, [one.item.id], None).unwrap();
    }
    graph.drop_all();
    let runs = other.deliver(&graph.sink(), 0);
    assert!(runs.iter().all(|run| run.failed == 0), "{runs:?}");
    for (after, before) in told(&graph).iter().zip(&before) {
        let short = |text: &str| text.chars().take(2_000).collect::<String>();
        assert!(after == before, "{}\n\n{}", short(after), short(before));
    }
}
