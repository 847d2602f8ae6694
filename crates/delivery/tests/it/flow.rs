//! The flow of `integrations/node-red` in a real Node-RED: each item is counted once, whenever it
//! is killed.
//!
//! Runs where `$MEMLITH_NODE_RED` names the program (`cargo xtask deliver` fetches it); else says
//! that it was skipped.
#![expect(
    clippy::disallowed_methods,
    reason = "it waits for a program that tells of nothing, and signs with the time of the machine"
)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use memlith::write::NoteKind;
use memlith::{Caller, Ledger, Options, Rank, Timestamp};
use memlith_delivery::{
    Batch, Deliverable, Delivery, Item, Occasion, Route, Service, Sink, Terms, Verdict,
};
use memlith_delivery::{Webhook, signature};
use serde_json::{Value, json};

const FLOW: &str = include_str!("../../../../integrations/node-red/memlith.json");
const SETTINGS: &str = "module.exports = { uiHost: '127.0.0.1', httpAdminRoot: false, \
                        functionExternalModules: true, logging: { console: { level: 'error' } } };";
const TOKEN: &str = "a token of the tests";

/// A Node-RED that is killed and begun again.
struct Red {
    program: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    child: RefCell<Option<Child>>,
}

impl Red {
    fn start() -> Option<Red> {
        let Some(program) = std::env::var_os("MEMLITH_NODE_RED").map(PathBuf::from) else {
            println!("SKIPPED: $MEMLITH_NODE_RED is not set, no flow was run");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("flow.json"), FLOW).unwrap();
        std::fs::write(folder.path().join("settings.js"), SETTINGS).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let red = Red { program, folder, port, child: RefCell::new(None) };
        red.begin();
        Some(red)
    }

    /// Begins it, and waits until the flow answers.
    fn begin(&self) {
        let mut red = Command::new(&self.program);
        red.args(["--settings", "settings.js", "--userDir", ".", "--port"]);
        red.arg(self.port.to_string()).arg("flow.json").current_dir(self.folder.path());
        red.env("MEMLITH_WEBHOOK_TOKEN", TOKEN).env("MEMLITH_APPLIED", self.file());
        red.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        *self.child.borrow_mut() = Some(red.spawn().unwrap());
        let began = Instant::now();
        while self.post("x", &[]).is_none_or(|(status, _)| status != 401) {
            assert!(began.elapsed() < Duration::from_secs(60), "Node-RED does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill(&self) {
        let mut child = self.child.borrow_mut().take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("applied.jsonl")
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn sink(&self) -> Webhook {
        Webhook::new(&self.url(), TOKEN.to_owned(), Duration::from_secs(10)).unwrap()
    }

    /// The flow's answer to a body with these headers; `None` where nobody does.
    fn post(&self, body: &str, headers: &[(&str, &str)]) -> Option<(u16, Value)> {
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
        let url = format!("{}/webhook/memory/v1/consolidate", self.url());
        let mut post = config.build().new_agent().post(url);
        for (name, value) in headers {
            post = post.header(*name, *value);
        }
        let mut answer = post.send(body).ok()?;
        let told = answer.body_mut().read_to_string().ok()?;
        Some((answer.status().as_u16(), serde_json::from_str(&told).unwrap_or_default()))
    }

    /// How often each item was applied.
    fn counts(&self) -> BTreeMap<String, u32> {
        let text = std::fs::read_to_string(self.file()).unwrap_or_default();
        let mut counts = BTreeMap::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            for item in line["items"].as_array().unwrap() {
                let name = format!("{} {}", item["type"], item["id"]);
                *counts.entry(name).or_default() += 1;
            }
        }
        counts
    }
}

impl Drop for Red {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.borrow_mut().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}

fn item(number: u64, kind: &str) -> Item {
    Item {
        id: format!("mem_{number}_0a"),
        kind: kind.to_owned(),
        key: "tides \u{e9}".to_owned(),
        version: number,
        hash: "ab".to_owned(),
        data: json!({"strength": 0.5, "summary": " a\u{a0}b\u{2028} ", "links": []}),
    }
}

#[test]
fn the_flow_takes_what_is_signed_now_and_each_item_once() {
    let Some(red) = Red::start() else { return };
    let batch = Batch {
        id: "0a8de3b8-6d8d-89e7-8323-ad50f4cfc2ea".to_owned(),
        items: vec![item(1, "basin.strengthened"), item(2, "weather"), item(3, "tombstone")],
    };
    // The same twice is a replay: it is answered, and not counted.
    for made in [2, 0] {
        let Verdict::Done { results, nodes_created, .. } = red.sink().deliver(&batch, now()) else {
            panic!("not taken");
        };
        let applied: Vec<bool> = results.iter().map(|result| result.applied).collect();
        assert_eq!((applied, nodes_created), (vec![true, false, true], made));
        assert!(results[1].error.as_deref().unwrap().contains("type"));
        assert!(red.counts().values().all(|count| *count == 1) && red.counts().len() == 2);
    }
    let words = std::fs::read_to_string(red.file()).unwrap();
    assert!(!words.contains("summary"), "{words}");
    let body = json!({"batch_id": "b", "items": []}).to_string();
    let status = |body: &str, at: i64, shown: &str, id: &str| {
        let at = at.to_string();
        let headers = [
            ("X-Webhook-Signature", shown),
            ("X-Webhook-Timestamp", at.as_str()),
            ("X-Webhook-Id", id),
        ];
        red.post(body, &headers).unwrap().0
    };
    let (at, right) = (now(), signature(TOKEN, now(), body.as_bytes()));
    assert_eq!(status(&body, at, &signature(TOKEN, at, body.as_bytes()), "b"), 200);
    for (body, at, shown) in [
        (format!("{body} "), at, right.clone()),
        (body.clone(), at + 1_000, right.clone()),
        (body.clone(), at, signature("other", at, body.as_bytes())),
        (body.clone(), at, right[..right.len() - 2].to_owned()),
        (body.clone(), at, String::new()),
        (body.clone(), at - 302, signature(TOKEN, at - 302, body.as_bytes())),
        (body.clone(), at + 302, signature(TOKEN, at + 302, body.as_bytes())),
    ] {
        assert_eq!(status(&body, at, &shown, "b"), 401, "{body} {at} {shown}");
    }
    assert_eq!(status(&body, at, &signature(TOKEN, at, body.as_bytes()), "other"), 400);
    assert_eq!(status("{", at, &signature(TOKEN, at, b"{"), "b"), 400);
}

/// Where the receiver is killed: before the send, at some instant of it, behind it with its
/// answer lost, and behind its answer.
struct Killed<'a> {
    red: &'a Red,
    calls: Cell<u32>,
    unanswered: Cell<u32>,
}

impl Sink for Killed<'_> {
    fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
        let call = self.calls.get();
        self.calls.set(call + 1);
        let (red, before) = (self.red, self.red.counts().len());
        if call.is_multiple_of(4) {
            red.kill();
        }
        let verdict = std::thread::scope(|scope| {
            if call % 4 == 1 {
                let mut child = red.child.borrow_mut().take().unwrap();
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_micros(u64::from(call) * 150));
                    child.kill().unwrap();
                    child.wait().unwrap();
                });
            }
            red.sink().deliver(batch, now())
        });
        if call % 4 > 1 {
            red.kill();
        }
        let is_lost = call % 4 == 2 || matches!(verdict, Verdict::Unreached { .. });
        if is_lost && red.counts().len() > before {
            self.unanswered.set(self.unanswered.get() + 1);
        }
        red.begin();
        match call % 4 {
            2 => Verdict::Unreached { what: "the answer was lost".to_owned() },
            _ => verdict,
        }
    }
}

#[test]
fn fifty_kills_of_the_receiver_lose_and_double_nothing() {
    let Some(red) = Red::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(folder.path().join("l"), Options::default()).unwrap();
    let planner = Caller::new("default", "planner", Rank::Tool);
    let json = r#"{"strength": 0.5, "summary": "tides", "links": []}"#;
    for number in 0..80 {
        let key = format!("b{number}");
        ledger.note(&planner, NoteKind::BasinStrengthened, &key, json).unwrap();
    }
    let (kinds, terms) = (Deliverable::ALL.to_vec(), Terms { batch_size: 3, ..Terms::default() });
    let route = Route { name: "flow".to_owned(), kinds, terms, claim_us: 10_000_000 };
    let sink = Killed { red: &red, calls: Cell::new(0), unanswered: Cell::new(0) };
    let start = Occasion { cycle: None, is_start: true };
    let mut now = ledger.now();
    while Delivery::of(&ledger).sink(&route).unwrap().depth() > 0 {
        Delivery::of(&ledger).deliver(&route, &sink, start, now).unwrap();
        now = Timestamp(now.0 + 400_000_000);
    }
    let (kills, unanswered) = (sink.calls.get(), sink.unanswered.get());
    assert!(kills >= 50 && unanswered >= 10, "{kills} kills, {unanswered} of them unanswered");
    let counts = red.counts();
    assert_eq!((counts.len(), counts.values().all(|count| *count == 1)), (80, true), "{counts:?}");
    // What another receiver makes of it that nobody kills is the same.
    std::fs::remove_file(red.file()).unwrap();
    red.kill();
    red.begin();
    Delivery::of(&ledger).switch("flow", Service::Restarted, "the file was lost").unwrap();
    Delivery::of(&ledger).deliver(&route, &red.sink(), start, ledger.now()).unwrap();
    assert_eq!(red.counts(), counts);
    println!(
        "{kills} kills of the receiver, {unanswered} with the answer lost: 80 items, once each"
    );
}
