//! A real FalkorDB: what is delivered is in the graph once, whoever is killed.
//!
//! Runs where `$MEMLITH_FALKORDB` names the folder of its programs (`cargo xtask deliver` fetches
//! them); else says that it was skipped.

use std::cell::{Cell, RefCell};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use memlith::delivery::{
    Batch, Deliverable, DeliveryRun, Item, Occasion, Route, Service, Sink, Terms, Verdict,
};
use memlith::write::NoteKind;
use memlith::{Caller, Ledger, Options, Rank, RecordId, Timestamp};
use memlith_connect::FalkorDb;
use serde_json::json;

/// A server that is killed and begun again.
struct Graph {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    child: RefCell<Child>,
}

impl Graph {
    fn start() -> Option<Graph> {
        let programs = std::env::var_os("MEMLITH_FALKORDB");
        let Some(programs) = programs.map(PathBuf::from) else {
            println!("SKIPPED: $MEMLITH_FALKORDB is not set, no graph was delivered to");
            return None;
        };
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let folder = tempfile::tempdir().unwrap();
        let child = RefCell::new(spawn(&programs, port, folder.path()));
        let graph = Graph { folder, programs, port, child };
        graph.wait();
        Some(graph)
    }

    fn wait(&self) {
        while self.rows("RETURN 1").is_none() {}
    }

    /// Kills the server as the system does, and begins another on the same files.
    fn kill(&self) {
        self.child.borrow_mut().kill().unwrap();
        self.child.borrow_mut().wait().unwrap();
        *self.child.borrow_mut() = spawn(&self.programs, self.port, self.folder.path());
        self.wait();
    }

    fn sink(&self) -> FalkorDb {
        let address = format!("127.0.0.1:{}", self.port);
        FalkorDb::new(&address, None, "memory".to_owned(), Duration::from_secs(10)).unwrap()
    }

    /// What a query returns, as text; `None` where nobody answers.
    fn rows(&self, query: &str) -> Option<String> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port)).unwrap();
        let timeout = Duration::from_secs(10);
        let mut connection = client.get_connection_with_timeout(timeout).ok()?;
        let asked = redis::cmd("GRAPH.QUERY").arg("memory").arg(query).query(&mut connection);
        let answer: redis::Value = asked.ok()?;
        let redis::Value::Array(parts) = answer else { return None };
        Some(format!("{:?}", parts.get(1)))
    }

    /// Every node and edge, sorted.
    fn whole(&self) -> String {
        let nodes = "MATCH (n) WHERE NOT n:Delivery RETURN labels(n), properties(n) \
                     ORDER BY labels(n)[0], n.key, n.id, n.name";
        let edges = "MATCH (a)-[r]->(b) RETURN type(r), properties(r), coalesce(a.key, a.id), \
                     coalesce(b.key, b.id, b.name) \
                     ORDER BY type(r), coalesce(a.key, a.id), coalesce(b.key, b.id, b.name)";
        self.rows(nodes).unwrap() + &self.rows(edges).unwrap()
    }

    fn drop_all(&self) {
        self.rows("MATCH (n) DETACH DELETE n").unwrap();
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let mut child = self.child.borrow_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn spawn(programs: &std::path::Path, port: u16, folder: &std::path::Path) -> Child {
    let mut server = Command::new(programs.join("redis-server"));
    server.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    server.args(["--appendonly", "yes", "--appendfsync", "always"]).arg("--dir").arg(folder);
    server.arg("--loadmodule").arg(programs.join("falkordb.so"));
    server.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let child = server.spawn().unwrap();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {}
    child
}

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
        self.ledger.deliver(&route(), sink, START, now).unwrap()
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
    desk.ledger.switch_sink("graph", Service::Restarted, "once more").unwrap();
    desk.deliver(&graph.sink(), 1);
    assert_eq!(graph.whole(), before);
    // A newer version takes the place of the older one, and never the other way round.
    let owner = Caller::new("default", "olga", Rank::Owner);
    desk.ledger.erase(&owner, &[memory]).unwrap();
    desk.deliver(&graph.sink(), 2);
    assert!(!graph.whole().contains("Grace"), "{}", graph.whole());
}

fn item(id: &str, kind: &str, key: &str, version: u64, data: serde_json::Value) -> Item {
    let (id, kind, key) = (id.to_owned(), kind.to_owned(), key.to_owned());
    Item { id, kind, key, version, hash: "ab".to_owned(), data }
}

fn batch(id: &str, items: &[Item]) -> Batch {
    Batch { id: id.to_owned(), items: items.to_vec() }
}

/// What of a batch the graph has not.
fn refused(verdict: Verdict) -> Vec<(String, String)> {
    let Verdict::Done { results, .. } = verdict else { panic!("{verdict:?}") };
    let results = results.into_iter().filter(|one| !one.applied);
    results.map(|one| (one.id, one.error.unwrap_or_default())).collect()
}

#[test]
fn what_is_refused_stays_refused_when_the_answer_is_lost() {
    let Some(graph) = Graph::start() else { return };
    let basin = |id: &str, links: serde_json::Value| {
        let data = json!({"strength": 1, "summary": "s", "links": links});
        item(id, "basin.strengthened", id, 1, data)
    };
    // Two that fail when they run, behind what they write.
    let mut items = [
        basin("mem_1_0a", json!(["mem_9_aa"])),
        basin("mem_2_0a", json!([null])),
        basin("mem_3_0a", json!([])),
        basin("mem_4_0a", json!([])),
    ];
    items[2].data["links"] = json!(["mem_9_aa", null]);
    let first = refused(graph.sink().deliver(&batch("b", &items), 0));
    let ids: Vec<&str> = first.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["mem_2_0a", "mem_3_0a"], "{first:?}");
    assert!(first.iter().all(|(_, reason)| !reason.is_empty()), "{first:?}");
    let before = graph.whole();
    // Nobody got that answer: the same batch once more, and once more.
    assert_eq!(refused(graph.sink().deliver(&batch("b", &items), 0)), first);
    graph.kill();
    assert_eq!(refused(graph.sink().deliver(&batch("b", &items), 0)), first);
    assert_eq!(graph.whole(), before);
    let has = graph.rows("MATCH (b:Basin) RETURN b.id, b.strengthened ORDER BY b.id").unwrap();
    assert!(!has.contains("mem_2_0a") && !has.contains("int(2)"), "{has}");
    // What is mended is applied under the same name.
    (items[1].data["links"], items[2].data["links"]) = (json!([]), json!([]));
    assert_eq!(refused(graph.sink().deliver(&batch("b", &items), 0)), []);
    let has = graph.rows("MATCH (b:Basin) RETURN sum(b.strengthened), count(b)").unwrap();
    assert!(has.contains('4') && !has.contains('5'), "{has}");
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
            desk.ledger.deliver(&few, &killed, START, now).unwrap()
        }));
        // The claim, or the wait, is over.
        now = Timestamp(now.0 + 400_000_000);
        let standing = desk.ledger.sink(&few).unwrap();
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
    desk.ledger.switch_sink("graph", Service::Restarted, "the graph was dropped").unwrap();
    desk.ledger.deliver(&few, &graph.sink(), START, now).unwrap();
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
    while desk.ledger.sink(&route()).unwrap().pending > 0
        || desk.ledger.sink(&route()).unwrap().retrying > 0
    {
        desk.deliver(&sink, seconds);
        seconds += 400;
    }
    let standing = desk.ledger.sink(&route()).unwrap();
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
