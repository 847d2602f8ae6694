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
    for verb in ["install", "remove"] {
        say(desk, &format!("agent {verb}"), &["agent", verb, "claude-code"]);
    }
    desk.run_with_input(&["agent", "hook", "claude-code"], b"no event");
    let agents = Agents::new();
    agents.says("s1", "user", "From now on never push to main directly.");
    agents.hook("Stop", "shop", "s1", "");
    say(&agents.desk, "jobs list", &["jobs", "list", "sessions"]);
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
    say(&agents.desk, "jobs run", &["jobs", "run", "--all"]);
    say(&agents.desk, "jobs list", &["jobs", "list", "practices"]);
    say(desk, "agent brief", &["agent", "brief"]);
    say(desk, "agent scope", &["agent", "scope"]);
    say(desk, "agent off", &["agent", "off", "--for", "2h"]);
    say(desk, "agent on", &["agent", "on", "--project"]);
    say(desk, "agent status", &["agent", "status"]);
}

/// Keys, signed heads, and proofs of each kind.
fn proofs(say: &mut impl FnMut(&Desk, &str, &[&str]), desk: &Desk) {
    let keep = |args: &[&str], file: &str| {
        std::fs::write(desk.path().join(file), desk.ok(args).out).unwrap();
    };
    say(desk, "config keys", &["config", "keys", "new"]);
    keep(&["config", "keys"], "vkey");
    say(desk, "head sign", &["head", "sign"]);
    keep(&["head", "sign"], "old");
    let settings = desk.path().join(".config/memlith/heads.json");
    std::fs::write(settings, r#"{"to": [{"file": "heads"}]}"#).unwrap();
    say(desk, "head send", &["head", "send"]);
    let witness = ["head", "witness", "old", "--key", "vkey", "--name", "bob.example"];
    say(desk, "head witness", &witness);
    say(desk, "head tiles", &["head", "tiles", "tiles"]);
    let observed = desk.json(&["checkout", "tea"])["observation"].as_str().unwrap().to_owned();
    keep(&["prove", &observed], "proof");
    say(desk, "prove --check", &["prove", "--check", "proof", "--key", "vkey"]);
    keep(&["prove", "--since", "old"], "growth");
    say(desk, "prove --check", &["prove", "--check", "growth", "--key", "vkey"]);
    let rotten = crate::proofs::long();
    crate::proofs::rot(&rotten);
    rotten.ok(&["doctor", "accept-loss", "--as", "owner"]);
    say(&rotten, "verify", &["verify", "--full"]);
}

/// The folder of memories, a line of it, and one that is broken.
fn folder(say: &mut impl FnMut(&Desk, &str, &[&str]), desk: &Desk) {
    say(desk, "agent folder render", &["agent", "folder", "render", "memories"]);
    let handbook = std::fs::read_to_string(desk.path().join("memories/MEMORY.md")).unwrap();
    let line = 1 + handbook.lines().position(|line| line.contains("[Task 1]")).unwrap();
    say(
        desk,
        "agent folder why",
        &["agent", "folder", "why", "memories", &format!("MEMORY.md:{line}")],
    );
    say(
        desk,
        "agent folder agents",
        &["agent", "folder", "agents", "AGENTS.md", "--dir", "memories"],
    );
    say(desk, "agent folder diff", &["agent", "folder", "diff", "--from", "3"]);
    std::fs::write(desk.path().join("memories/rollout_summaries/stray.md"), "x").unwrap();
    say(desk, "agent folder lint", &["agent", "folder", "lint", "memories"]);
    crate::folders::foreign(desk);
    say(desk, "agent folder ingest", &["agent", "folder", "ingest", "codex"]);
}

/// Two machines over a folder and a git remote, with an erasure and a file that was changed.
#[cfg(feature = "sync")]
fn machines(say: &mut impl FnMut(&Desk, &str, &[&str])) {
    let (desk, laptop) = (Desk::new(), Desk::new());
    let place = desk.path().join("place");
    std::fs::create_dir(&place).unwrap();
    let git = desk.path().join("memory.git");
    let init = std::process::Command::new("git").args(["init", "-q", "--bare"]).arg(&git).status();
    assert!(init.unwrap().success());
    let places = [place.display().to_string(), format!("git:{}", git.display())];
    say(&desk, "sync add", &["sync", "add", &places[0]]);
    let code = desk.json(&["sync", "status"])["code"].as_str().unwrap().to_owned();
    desk.ok(&["sync", "add", &places[1]]);
    for place in &places {
        laptop.ok(&["sync", "add", place, "--code", &code]);
    }
    desk.remember("The safe opens with zebra.");
    for machine in [&desk, &laptop, &desk, &laptop] {
        machine.ok(&["sync", "run"]);
    }
    // Of what was asked of the desk's item one thing is done, and one declined.
    let item = desk.json(&["remember", "The office is closed on Fridays."])["citation"].clone();
    let item = item.as_str().unwrap();
    for machine in [&desk, &laptop] {
        machine.ok(&["sync", "run"]);
    }
    laptop.ok(&["pin", item]);
    laptop.ok(&["forget", item]);
    say(&laptop, "sync status", &["sync", "status"]);
    laptop.ok(&["sync", "run"]);
    desk.ok(&["forget", item]);
    say(&desk, "sync run", &["sync", "run"]);
    desk.ok(&["erase", "--mentions", "zebra", "--as", "owner", "--yes"]);
    say(&desk, "sync run", &["sync", "run"]);
    say(&desk, "sync status", &["sync", "status"]);
    say(&desk, "verify remote", &["verify", "remote"]);
    for machine in std::fs::read_dir(&place).unwrap().flatten() {
        std::fs::write(machine.path().join("manifest"), "{}").unwrap();
    }
    say(&laptop, "sync run", &["sync", "run"]);
    say(&laptop, "sync remove", &["sync", "remove", "place"]);
    nodes(say);
}

/// Two nodes of a shared ledger, of which one writes what its role doesn't allow.
#[cfg(feature = "sync")]
fn nodes(say: &mut impl FnMut(&Desk, &str, &[&str])) {
    let (ana, bo) = (Desk::empty(), Desk::empty());
    let place = ana.path().join("team");
    std::fs::create_dir(&place).unwrap();
    let place = place.display().to_string();
    ana.ok(&["init", "--shared", &place]);
    let status = ana.json(&["sync", "status"]);
    let invitation = status["shared"]["invitation"].as_str().unwrap();
    bo.ok(&["init", "--shared", &place, "--join", invitation]);
    let known = bo.ledger().join("sync/roles.json");
    let before = std::fs::read(&known).unwrap();
    let key = bo.json(&["sync", "status"])["shared"]["key"].as_str().unwrap().to_owned();
    say(&ana, "sync role", &["sync", "role", &key, "reader", "--name", "bo", "--as", "owner"]);
    ana.remember("The door is green.");
    bo.ok(&["sync", "run"]);
    // It believes that it may write.
    std::fs::write(&known, before).unwrap();
    bo.remember("The safe opens with walnut.");
    ana.ok(&["sync", "run"]);
    say(&ana, "sync status", &["sync", "status"]);
}

/// Every key that a script over all verbs prints.
fn printed() -> Keys {
    let mut keys = Keys::new();
    let desk = Desk::empty();
    let mut say = |desk: &Desk, verb: &str, args: &[&str]| {
        say(&mut keys, verb, &desk.run(&[&[args[0], "--json"], &args[1..]].concat()));
    };
    say(&desk, "init", &["init"]);
    say(&desk, "verify summaries", &["verify", "summaries"]);
    let secret = "Ana drinks tea; password=hunter2hunter2 postgres://ana:hunter2hunter2@db/x";
    say(&desk, "remember", &["remember", secret]);
    say(&desk, "remember", &["remember", "Use Jina for web search."]);
    say(&desk, "remember", &["remember", "Use Exa for web search now."]);
    let tea = desk.remember("Ana drinks green tea.");
    let slot = ["--entity", "ana", "--predicate", "drinks", "--value", "tea", "--single"];
    let slotted =
        crate::harness::id(&desk.json(&[&["remember", "Ana drinks tea."], &slot[..]].concat()));
    say(&desk, "update", &["update", &slotted, "Ana drinks mint tea."]);
    for verb in ["confirm", "pin", "unpin", "forget", "undo"] {
        say(&desk, verb, &[verb, &tea]);
    }
    say(&desk, "review promote", &["review", "promote", &tea]);
    say(&desk, "confirm", &["confirm", "--outcome", "success", &tea, "--note", secret]);
    let basin = r#"{"strength": 0.5, "summary": "tides", "links": []}"#;
    say(&desk, "deliver note", &["deliver", "note", "basin.strengthened", "tides", basin]);
    #[cfg(feature = "deliver")]
    {
        let dir = desk.path().join(".memlith");
        let sinks = "[[sink]]\nname = \"out\"\nkind = \"jsonl\"\npath = \"out.jsonl\"\n";
        std::fs::write(dir.join("deliver.toml"), sinks).unwrap();
        say(&desk, "deliver run", &["deliver", "run", "--all"]);
        say(&desk, "deliver status", &["deliver", "status"]);
        say(&desk, "jobs list", &["jobs", "list"]);
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
    say(&desk, "undo", &["undo", &rival, "--as", "reviewer", "--reason", secret]);
    say(&desk, "config", &["config"]);
    say(&desk, "config", &["config", "--as", "owner", "--salience", "attested-only"]);
    say(&desk, "config", &["config", "--as", "owner", "--trust", "open"]);
    say(&desk, "config", &["config", "--as", "owner", "--thresholds", "0.95,0.9,0.8"]);
    say(&desk, "search --exists", &["search", "--exists", "tea"]);
    say(&desk, "remember --dry-run", &["remember", "--dry-run", "Ana is drinking green tea"]);
    say(&desk, "search", &["search", "tea"]);
    say(&desk, "search", &["search", "what did Ana eat before?"]);
    std::fs::write(desk.path().join("vector.json"), "[1, 0.5]").unwrap();
    let model = ["vector.json", "--model", "m"];
    say(
        &desk,
        "maintain vectors",
        &[&["maintain", "vectors", &tea, "--vector"], &model[..]].concat(),
    );
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
    for id in [&tea, &observed] {
        say(&desk, "show", &["show", id]);
        for view in ["--history", "--sources", "--why"] {
            say(&desk, &format!("show {view}"), &["show", view, id]);
        }
    }
    say(&desk, "list", &["list"]);
    say(&desk, "list facts", &["list", "facts", "--entity", "ana", "--past"]);
    say(&desk, "show --effects", &["show", "--effects", &tea]);
    say(&desk, "show", &["show", &slotted]);
    let mint = desk.json(&["show", &slotted])["closed_by"].as_str().unwrap().to_owned();
    say(&desk, "show", &["show", &mint]);
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/eventloom.jsonl");
    say(&desk, "import", &["import", "eventloom", fixture]);
    let secret = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-05-01T12:00:00Z","message":{"role":"user","content":"postgres://ana:hunter2hunter2@db/x"}}"#;
    std::fs::write(desk.path().join("session.jsonl"), format!("{secret}\n{{\n")).unwrap();
    say(&desk, "import", &["import", "claude-code", "session.jsonl"]);
    say(&desk, "scan", &["scan", "session.jsonl"]);
    desk.remember("The API listens on port 8080");
    let moved = Desk::new();
    moved.remember("The API listens on port 8080");
    moved.remember("The API listens on port 9090");
    for verb in ["search", "checkout"] {
        say(&moved, verb, &[verb, "what port did the API listen on before?"]);
    }
    let other = Desk::new();
    other.remember("The API listens on port 9090");
    std::fs::write(desk.path().join("other.jsonl"), other.ok(&["export", "jsonl"]).out).unwrap();
    say(&desk, "import", &["import", "jsonl", "other.jsonl"]);
    say(&desk, "list", &["list", "sessions"]);
    say(&desk, "maintain compact", &["maintain", "compact"]);
    say(&desk, "export", &["export", "jsonl", "--out", "ledger.jsonl"]);
    say(&desk, "backup", &["backup", "copy"]);
    #[cfg(feature = "sync")]
    machines(&mut say);
    crate::mined::worked(&desk, 24, 10);
    say(&desk, "procedures find", &["procedures", "find"]);
    say(&desk, "verify replay", &["verify", "replay"]);
    agents(&mut say, &desk);
    say(&desk, "head", &["head"]);
    let head = desk.json(&["head"])["line"].as_str().unwrap().to_owned();
    say(&desk, "verify", &["verify", "--head", &head]);
    proofs(&mut say, &desk);
    say(&desk, "doctor", &["doctor"]);
    say(&flipped(), "doctor", &["doctor", "accept-loss", "--as", "owner"]);
    say(&desk, "demo", &["demo"]);
    forge(&desk, |receipt| receipt.scorer = 99);
    forge(&desk, |receipt| receipt.items[0].score += 1);
    say(&desk, "verify receipts", &["verify", "receipts"]);
    folder(&mut say, &desk);
    say(&desk, "erase", &["erase", &tea, "--as", "owner", "--yes"]);
    say(&desk, "maintain tombstones", &["maintain", "tombstones", "lift", "all", "--as", "owner"]);
    say(&desk, "verify receipts", &["verify", "receipts"]);
    say(&desk, "maintain checkpoint", &["maintain", "checkpoint"]);
    say(&desk, "verify state", &["verify", "state"]);
    say(&desk, "list events", &["list", "events"]);

    let mark = desk.ledger().join("mark");
    let mut bytes = std::fs::read(&mark).unwrap();
    for slot in [0, 4096] {
        // Of both slots, so that the current one is among them.
        bytes[slot + 40] ^= 1;
    }
    std::fs::write(&mark, bytes).unwrap();
    say(&desk, "maintain stat", &["maintain", "stat"]);
    say(&desk, "verify", &["verify"]);
    crate::keys::say(&mut keys, "agent folder cite", &crate::folders::cited());
    #[cfg(unix)]
    crate::keys::say(&mut keys, "review edit", &crate::reviews::edited());
    keys
}
