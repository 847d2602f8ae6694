//! `memlith deliver run` where many records are erased at once.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use serde_json::Value;

use crate::harness::{Desk, Run, id};
use crate::hooks::Agents;

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

/// A session that ended in any project is delivered, wherever the worker stands.
#[test]
fn a_worker_outside_of_all_projects_delivers_each_of_them() {
    let agents = Agents::new();
    for (project, session) in [("shop", "s1"), ("bank", "s2")] {
        for turn in 0..12 {
            let text = format!("The {project} needs its report number {turn} before noon.");
            agents.says(session, if turn % 2 == 0 { "user" } else { "assistant" }, &text);
        }
        let path = agents.transcript(session);
        let here = agents.folder("shop").display().to_string();
        let there = agents.folder(project).display().to_string();
        let text = std::fs::read_to_string(&path).unwrap().replace(&here, &there);
        std::fs::write(&path, text).unwrap();
        agents.hook("SessionEnd", project, session, "");
        agents.learn(project, "claude-code");
    }
    let ledger = agents.desk.path().join(".local/share/memlith");
    let sink = "[[sink]]\nname = \"out\"\nkind = \"jsonl\"\npath = \"out.jsonl\"\n";
    std::fs::write(ledger.join("deliver.toml"), sink).unwrap();
    let mut command = agents.desk.command(&["deliver", "run", "--all", "--json"]);
    let run = Run::of(command.current_dir("/").output().unwrap());
    assert_eq!(run.code, 0, "{run:?}");
    let lines = std::fs::read_to_string(ledger.join("out.jsonl")).unwrap();
    let of = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    let mut sessions: Vec<(Value, Value)> = lines
        .lines()
        .map(|line| (of(line)["type"].clone(), of(line)["data"]["session"].clone()))
        .collect();
    sessions.sort_by_key(|(_, session)| session.to_string());
    let ended = |session: &str| (Value::from("session_ended"), Value::from(session));
    assert_eq!(sessions, [ended("s1"), ended("s2")], "{lines}");
    let metrics = agents.desk.path().join("memlith.prom").display().to_string();
    agents.in_project("bank", &["deliver", "status", "--metrics", &metrics]);
    let metrics = std::fs::read_to_string(metrics).unwrap();
    let stated =
        ["claimed{sink=\"out\"} 0", "failure_ratio{sink=\"out\"} 0", "quantile=\"0.95\"} "];
    assert!(stated.iter().all(|line| metrics.contains(line)), "{metrics}");
    // What the board draws is written.
    let board = include_str!("../../../../integrations/grafana/memlith.json");
    let mut drawn = board.split("memlith_delivery_").skip(1);
    assert!(drawn.all(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap();
        metrics.contains(&format!("# TYPE memlith_delivery_{} ", &rest[..end]))
    }));
}
