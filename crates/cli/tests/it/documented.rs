//! `docs/cli.md` states exactly the keys that are printed.

use std::collections::BTreeSet;

use serde_json::json;

use crate::damage::flipped;
use crate::forged::forge;
use crate::harness::Desk;
use crate::hooks::Agents;
use crate::keys::{Keys, compare, documented, say};
use crate::refusals::verbs;

const DOCS: &str = include_str!("../../../../docs/cli.md");

#[test]
fn the_documented_keys_are_those_that_are_printed() {
    compare(&documented(DOCS), &printed());
}

#[test]
fn every_verb_has_a_section_and_every_section_a_verb() {
    let sections: BTreeSet<String> = documented(DOCS)
        .into_keys()
        .map(|verb| verb.split(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(sections, verbs(&Desk::empty()).into_iter().collect());
}

/// The verbs for coding agents, where something was remembered, shown and switched off.
fn agents(say: &mut impl FnMut(&Desk, &str, &[&str]), desk: &Desk) {
    for verb in ["install", "uninstall"] {
        say(desk, verb, &[verb, "claude-code"]);
    }
    desk.run_with_input(&["hook", "claude-code"], b"no event");
    let agents = Agents::new();
    agents.says("s1", "user", "From now on never push to main directly.");
    agents.hook("Stop", "shop", "s1", "");
    say(&agents.desk, "jobs", &["jobs", "--taught"]);
    for number in 0..3 {
        let input = json!({"command": "cargo test --locked"});
        let call = json!([{"type": "tool_use", "id": format!("c{number}"), "name": "Bash", "input": input}]);
        agents.tells("s1", "assistant", call);
        let result = json!([{
            "type": "tool_result", "tool_use_id": format!("c{number}"), "content": "ok", "is_error": false,
        }]);
        agents.tells("s1", "user", result);
    }
    agents.hook("Stop", "shop", "s1", "");
    say(&agents.desk, "writeback", &["writeback", "--all"]);
    say(&agents.desk, "jobs", &["jobs", "--practices"]);
    say(desk, "brief", &["brief"]);
    say(desk, "scope", &["scope"]);
    say(desk, "off", &["off", "--for", "2h"]);
    say(desk, "on", &["on", "--project"]);
    say(desk, "today", &["today"]);
}

/// The folder of memories, a line of it, and one that is broken.
fn folder(say: &mut impl FnMut(&Desk, &str, &[&str]), desk: &Desk) {
    say(desk, "folder render", &["folder", "render", "memories"]);
    let handbook = std::fs::read_to_string(desk.path().join("memories/MEMORY.md")).unwrap();
    let line = 1 + handbook.lines().position(|line| line.contains("[Task 1]")).unwrap();
    say(desk, "folder why", &["folder", "why", "memories", &format!("MEMORY.md:{line}")]);
    say(desk, "folder agents", &["folder", "agents", "AGENTS.md", "--dir", "memories"]);
    say(desk, "folder diff", &["folder", "diff", "--from", "3"]);
    std::fs::write(desk.path().join("memories/rollout_summaries/stray.md"), "x").unwrap();
    say(desk, "folder lint", &["folder", "lint", "memories"]);
    crate::folders::foreign(desk);
    say(desk, "folder ingest", &["folder", "ingest", "codex"]);
}

/// Every key that a script over all verbs prints.
fn printed() -> Keys {
    let mut keys = Keys::new();
    let desk = Desk::empty();
    let mut say = |desk: &Desk, verb: &str, args: &[&str]| {
        say(&mut keys, verb, &desk.run(&[&[args[0], "--json"], &args[1..]].concat()));
    };
    say(&desk, "init", &["init"]);
    say(&desk, "compact", &["compact", "--audit"]);
    let secret = "Ana drinks tea; password=hunter2hunter2 postgres://ana:hunter2hunter2@db/x";
    say(&desk, "remember", &["remember", secret]);
    say(&desk, "remember", &["remember", "Use Jina for web search."]);
    say(&desk, "remember", &["remember", "Use Exa for web search now."]);
    let tea = desk.remember("Ana drinks green tea.");
    let slot = ["--entity", "ana", "--predicate", "drinks", "--value", "tea", "--single"];
    let slotted =
        crate::harness::id(&desk.json(&[&["remember", "Ana drinks tea."], &slot[..]].concat()));
    say(&desk, "correct", &["correct", &slotted, "Ana drinks mint tea."]);
    for verb in ["confirm", "promote", "pin", "unpin", "invalidate", "reconfirm"] {
        say(&desk, verb, &[verb, &tea]);
    }
    say(&desk, "outcome", &["outcome", "success", &tea, "--note", secret]);
    let basin = r#"{"strength": 0.5, "summary": "tides", "links": []}"#;
    say(&desk, "note", &["note", "basin.strengthened", "tides", basin]);
    #[cfg(feature = "deliver")]
    {
        let dir = desk.path().join(".memlith");
        let sinks = "[[sink]]\nname = \"out\"\nkind = \"jsonl\"\npath = \"out.jsonl\"\n";
        std::fs::write(dir.join("deliver.toml"), sinks).unwrap();
        say(&desk, "deliver", &["deliver", "--all"]);
        say(&desk, "jobs", &["jobs"]);
        std::fs::remove_file(dir.join("deliver.toml")).unwrap();
    }
    say(&desk, "review token", &["review", "token"]);
    desk.hold(desk.json(&["review", "token", "--renew"])["token"].as_str().unwrap());
    let proposal = ["review", "propose", "rule", "Tea is green.", "--rests-on", &tea];
    say(&desk, "review propose", &proposal);
    let meal = ["--entity", "ana", "--predicate", "eats", "--single", "--value"];
    desk.ok(&[&["remember", "Ana eats rice."], &meal[..], &["rice"]].concat());
    let alone = ["--scope", "session=worker,session-only", "--as", "assistant:worker"];
    let noodles = ["remember", "Ana eats noodles.", "--json"];
    let noodles = desk.run(&[&noodles[..], &alone, &meal, &["noodles"]].concat()).json();
    let noodles = crate::harness::id(&noodles);
    say(&desk, "review offer", &[&["review", "offer", &noodles], &alone[..]].concat());
    let rival = ["remember", "Ana eats bread.", "--as", "assistant", "--json"];
    let rival = desk.run(&[&rival[..], &meal, &["bread"]].concat()).json();
    let rival = crate::harness::id(&rival);
    say(&desk, "review list", &["review", "list"]);
    let rule = crate::harness::id(&desk.json(&["review", "list"])["items"][0]);
    for waits in [&rule, &rival] {
        say(&desk, "review show", &["review", "show", waits]);
    }
    say(&desk, "review defer", &["review", "defer", &rival, "--reason", secret]);
    say(&desk, "review accept", &["review", "accept", &rival]);
    let guess = desk.run(&["remember", "A guess.", "--as", "tool", "--json"]).json();
    let guess = crate::harness::id(&guess);
    say(&desk, "review reject", &["review", "reject", &guess]);
    say(&desk, "rollback", &["rollback", &rival, "--as", "reviewer", "--reason", secret]);
    say(&desk, "policy", &["policy"]);
    say(&desk, "policy", &["policy", "--as", "owner", "--salience", "attested-only"]);
    say(&desk, "policy", &["policy", "--as", "owner", "--trust", "open"]);
    say(&desk, "policy", &["policy", "--as", "owner", "--thresholds", "0.95,0.9,0.8"]);
    say(&desk, "knows", &["knows", "tea"]);
    say(&desk, "novelty", &["novelty", "Ana is drinking green tea"]);
    say(&desk, "recall", &["recall", "tea"]);
    say(&desk, "recall", &["recall", "what did Ana eat before?"]);
    std::fs::write(desk.path().join("vector.json"), "[1, 0.5]").unwrap();
    let model = ["vector.json", "--model", "m"];
    say(&desk, "embed", &[&["embed", &tea, "--vector"], &model[..]].concat());
    say(&desk, "checkout", &[&["checkout", "tea", "--query-vector"], &model[..]].concat());
    say(
        &desk,
        "checkout",
        &[
            "checkout",
            "what does Ana drink? password=hunter2hunter2 postgres://ana:hunter2hunter2@db/x",
            "--hint",
            "phase=breakfast",
        ],
    );
    let _ = desk.json(&["remember", "The tea stands in the shed.", "--as", "assistant"]);
    say(&desk, "checkout", &["checkout", "which tea is ana's?"]);
    say(&desk, "checkout", &["checkout", "tea", "--prompt", "--budget-tokens", "8"]);
    let observed = desk.json(&["checkout", "tea"])["observation"].as_str().unwrap().to_owned();
    for verb in ["show", "history", "trace", "explain"] {
        say(&desk, verb, &[verb, &tea]);
        say(&desk, verb, &[verb, &observed]);
    }
    say(&desk, "list", &["list"]);
    say(&desk, "get", &["get", "ana", "--history"]);
    say(&desk, "taint", &["taint", &tea]);
    say(&desk, "show", &["show", &slotted]);
    let mint = desk.json(&["show", &slotted])["closed_by"].as_str().unwrap().to_owned();
    say(&desk, "show", &["show", &mint]);
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/eventloom.jsonl");
    say(&desk, "import", &["import", "eventloom", fixture]);
    let secret = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-05-01T12:00:00Z","message":{"role":"user","content":"postgres://ana:hunter2hunter2@db/x"}}"#;
    std::fs::write(desk.path().join("session.jsonl"), format!("{secret}\n{{\n")).unwrap();
    say(&desk, "import", &["import", "claude-code", "session.jsonl"]);
    say(&desk, "redact", &["redact", "--check", "session.jsonl"]);
    desk.remember("The API listens on port 8080");
    let moved = Desk::new();
    moved.remember("The API listens on port 8080");
    moved.remember("The API listens on port 9090");
    for verb in ["recall", "checkout"] {
        say(&moved, verb, &[verb, "what port did the API listen on before?"]);
    }
    let other = Desk::new();
    other.remember("The API listens on port 9090");
    std::fs::write(desk.path().join("other.jsonl"), other.ok(&["export", "jsonl"]).out).unwrap();
    say(&desk, "import", &["import", "jsonl", "other.jsonl"]);
    say(&desk, "list", &["list", "sessions"]);
    say(&desk, "compact", &["compact"]);
    say(&desk, "export", &["export", "jsonl", "--out", "ledger.jsonl"]);
    say(&desk, "backup", &["backup", "copy"]);
    crate::mined::worked(&desk, 24, 10);
    say(&desk, "mine", &["mine"]);
    say(&desk, "replay", &["replay", "--digest"]);
    agents(&mut say, &desk);
    say(&desk, "head", &["head"]);
    let head = desk.json(&["head"])["line"].as_str().unwrap().to_owned();
    say(&desk, "verify", &["verify", "--head", &head]);
    say(&desk, "doctor", &["doctor"]);
    say(&flipped(), "doctor", &["doctor", "--accept-loss", "--as", "owner"]);
    say(&desk, "demo", &["demo"]);
    let pairs = concat!(env!("CARGO_MANIFEST_DIR"), "/../claims/tests/pairs.jsonl");
    say(&desk, "reconcile calibrate", &["reconcile", "calibrate", pairs]);
    forge(&desk, |receipt| receipt.scorer = 99);
    forge(&desk, |receipt| receipt.items[0].score += 1);
    say(&desk, "audit receipts", &["audit", "receipts"]);
    folder(&mut say, &desk);
    say(&desk, "erase", &["erase", &tea, "--as", "owner", "--yes"]);
    say(&desk, "erase", &["erase", "--lift", "all", "--as", "owner"]);
    say(&desk, "audit receipts", &["audit", "receipts"]);
    say(&desk, "checkpoint", &["checkpoint"]);
    say(&desk, "audit state", &["audit", "state"]);
    say(&desk, "log", &["log"]);

    let mark = desk.ledger().join("mark");
    let mut bytes = std::fs::read(&mark).unwrap();
    for slot in [0, 4096] {
        // Of both slots, so that the current one is among them.
        bytes[slot + 40] ^= 1;
    }
    std::fs::write(&mark, bytes).unwrap();
    say(&desk, "stat", &["stat"]);
    say(&desk, "verify", &["verify"]);
    crate::keys::say(&mut keys, "folder cite", &crate::folders::cited());
    #[cfg(unix)]
    crate::keys::say(&mut keys, "review edit", &crate::reviews::edited());
    keys
}
