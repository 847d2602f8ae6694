//! Procedures on the command line.

use serde_json::json;

use crate::harness::Desk;

/// A ledger with sessions that followed a procedure, and with some that went wrong.
pub(crate) fn worked(desk: &Desk, well: u32, wrong: u32) {
    let folder = desk.path().join("rollouts");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..well + wrong {
        let check = if number < well { "cargo test" } else { "cargo check" };
        let steps = ["cargo fmt", "cargo clippy", check, "git add -A", "git commit -m x"];
        let other = |step: u32| format!("tool{}", scattered(number, step));
        let steps = steps.map(str::to_owned).into_iter();
        let lines = (0..10).map(other).chain(steps).chain((10..20).map(other));
        let session = format!("s{number}");
        std::fs::write(folder.join(format!("{session}.jsonl")), rollout(&session, lines)).unwrap();
    }
    desk.ok(&["import", "codex", "rollouts"]);
    for number in well..well + wrong {
        let scope = format!("session=s{number}");
        let log = desk.ok(&["list", "events", "--json"]).out;
        let is_its = |line: &&str| line.contains(&format!("\"session\":\"s{number}\""));
        let mut ran = log.lines().filter(|line| line.contains("turn.tool_ran"));
        let last = ran.rfind(is_its).unwrap();
        let last: serde_json::Value = serde_json::from_str(last).unwrap();
        desk.ok(&[
            "confirm",
            "--outcome",
            "failure",
            last["id"].as_str().unwrap(),
            "--scope",
            &scope,
        ]);
    }
}

fn rollout(session: &str, lines: impl Iterator<Item = String>) -> String {
    let meta = json!({"id": session, "cwd": "/", "originator": "codex_cli_rs"});
    let time = "2026-04-01T12:00:00.000Z";
    let mut all = json!({"timestamp": time, "type": "session_meta", "payload": meta}).to_string();
    for (at, line) in lines.enumerate() {
        let (call, arguments) = (format!("c{at}"), json!({"command": line}).to_string());
        let output = json!({"output": "", "metadata": {"exit_code": 0}}).to_string();
        for payload in [
            json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call}),
            json!({"type": "function_call_output", "call_id": call, "output": output}),
        ] {
            let line = json!({"timestamp": time, "type": "response_item", "payload": payload});
            all = format!("{all}\n{line}");
        }
    }
    all + "\n"
}

/// One of 40 numbers, without any order.
fn scattered(number: u32, step: u32) -> u32 {
    let mut mixed = (number * 1_009 + step + 1).wrapping_mul(0x9e37_79b9);
    mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
    (mixed >> 16) % 40
}

#[test]
fn sessions_are_mined_once_and_told_when_they_are_accepted() {
    let desk = Desk::new();
    worked(&desk, 24, 10);
    let dry = desk.ok(&["procedures", "find", "--dry-run"]).out;
    assert!(dry.contains("new  24 sessions, 24 whole") && dry.contains(" 1. cargo fmt"), "{dry}");
    let mined = desk.json(&["procedures", "find"]);
    assert_eq!((&mined["sessions"], &mined["proposed"]), (&json!(34), &json!(1)), "{mined}");
    let one = &mined["procedures"][0];
    assert_eq!(one["contrast"][0]["what"], "replaced", "{one}");
    assert_eq!(one["contrast"][0]["verb"], "cargo check");
    let again = desk.json(&["procedures", "find"]);
    assert_eq!((&again["proposed"], &again["known"]), (&json!(0), &json!(1)));
    assert_eq!(again["procedures"][0]["reason"], "pending");

    let id = one["id"].as_str().unwrap();
    let shown = desk.json(&["show", id]);
    assert_eq!((&shown["what"], &shown["authority"]), (&json!("memory"), &json!("pending")));
    desk.run(&["procedures", "show", id]).refused(1, &["pending", "review"]);
    desk.run(&["procedures", "show", id, "--out", "skills"]).refused(1, &["pending"]);
    assert!(!desk.path().join("skills").exists());
    let note = desk.remember("no procedure");
    desk.run(&["procedures", "show", &note]).refused(1, &["no procedure"]);
    desk.run(&["procedures", "find", "--min-support", "1"]).refused(2, &["--min-support"]);
}
