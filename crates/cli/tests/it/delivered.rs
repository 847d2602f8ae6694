//! `memlith deliver run` where many records are erased at once.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use serde_json::Value;

use crate::harness::{Desk, id};

/// Takes one POST, and gives its body back.
fn taken(listener: &TcpListener) -> Value {
    let mut reader = BufReader::new(listener.accept().unwrap().0);
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    reader.get_mut().write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn ten_erasures_pause_deliveries_and_tell_a_person_and_resume_goes_on() {
    let desk = Desk::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let sinks = format!(
        "alert_url = \"http://{}/alert\"\n[[sink]]\nname = \"out\"\nkind = \"jsonl\"\npath = \
         \"out.jsonl\"\n",
        listener.local_addr().unwrap()
    );
    std::fs::write(desk.ledger().join("deliver.toml"), sinks).unwrap();
    let basin = r#"{"strength": 0.5, "summary": "tides", "links": []}"#;
    let note = |number: u32| {
        let key = format!("b{number}");
        id(&desk.json(&["deliver", "note", "basin.strengthened", &key, basin]))
    };
    let ids: Vec<String> = (0..12).map(note).collect();
    desk.ok(&["deliver", "run", "--all"]);
    let owner = ["--as", "owner", "--yes"];
    for id in &ids[..10] {
        desk.ok(&[&["erase", id], &owner[..]].concat());
    }
    std::thread::scope(|scope| {
        let alert = scope.spawn(|| taken(&listener));
        let run = desk.run(&["deliver", "run", "--all"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains("out: 10 records were erased or taken out"), "{run:?}");
        let alert = alert.join().unwrap();
        assert_eq!((&alert["alert"], &alert["sink"]), (&"delivery".into(), &"out".into()));
        assert!(alert["reason"].as_str().unwrap().contains("deliver resume out"), "{alert}");
    });
    let sink = || desk.json(&["jobs", "list"])["sinks"][0].clone();
    assert_eq!((&sink()["paused"], &sink()["depth"]), (&true.into(), &10.into()));
    assert!(sink()["latency_ms"]["p99"].is_u64(), "{}", sink());
    assert_eq!(sink()["failure_rate"], 0.0);
    // It is told once, and what is noted meanwhile waits.
    note(99);
    let quiet = desk.ok(&["deliver", "run", "--all"]);
    assert!(!quiet.err.contains("erased"), "{quiet:?}");
    desk.ok(&["deliver", "resume", "out", "--reason", "it was meant"]);
    desk.ok(&["deliver", "run", "--all"]);
    assert_eq!((&sink()["paused"], &sink()["depth"]), (&false.into(), &0.into()));
    let lines = std::fs::read_to_string(desk.ledger().join("out.jsonl")).unwrap();
    assert_eq!(lines.matches("tombstone").count(), 10);
    let told = desk.ok(&["list", "events", "--limit", "100"]).out;
    assert!(told.contains("paused"), "{told}");
}
