//! What leaves one ledger arrives in another.

use crate::harness::Desk;

fn script(desk: &Desk) {
    let tea = desk.remember("Ana drinks tea.");
    let cup = desk.remember("Ana's cup is blue.");
    desk.ok(&["remember", "Offer tea in the blue cup.", "--rests-on", &tea, &cup]);
    desk.ok(&["checkout", "what does Ana drink?"]);
    desk.ok(&["confirm", &tea]);
    desk.ok(&["promote", &cup]);
    desk.ok(&["pin", &tea]);
    desk.ok(&["checkpoint"]);
    desk.ok(&["invalidate", &cup, "--reason", "broken"]);
}

fn digest(desk: &Desk, more: &[&str]) -> String {
    let digest = desk.ok(&[&["replay", "--digest"], more].concat()).out;
    let digest = digest.lines().last().unwrap().to_owned();
    assert_eq!(digest.len(), 64);
    digest
}

#[test]
fn a_copy_has_the_same_memories_and_a_second_import_adds_nothing() {
    let desk = Desk::new();
    script(&desk);
    let copy = Desk::new();
    let export = desk.ok(&["export", "jsonl"]).out;
    let run = copy.run_with_input(&["import", "jsonl", "-", "--json"], export.as_bytes());
    assert_eq!(run.json()["already_present"], 0, "{run:?}");
    assert_eq!(digest(&copy, &[]), digest(&desk, &[]));
    copy.ok(&["verify", "--full"]);
    copy.ok(&["audit", "receipts"]);

    let head = copy.json(&["stat"])["head"]["seq"].clone();
    let run = copy.run_with_input(&["import", "jsonl", "-", "--json"], export.as_bytes());
    assert_eq!(run.json()["added"], 0, "{run:?}");
    assert_eq!(copy.json(&["stat"])["head"]["seq"], head);

    desk.ok(&["export", "jsonl", "--out", "ledger.jsonl"]);
    assert_eq!(std::fs::read_to_string(desk.path().join("ledger.jsonl")).unwrap(), export);
}

#[test]
fn the_digest_depends_on_the_events_alone() {
    let desk = Desk::new();
    script(&desk);
    let stat = desk.json(&["stat"]);
    let sealed = stat["checkpoints"][0].to_string();
    let digest_now = digest(&desk, &[]);
    assert_eq!(digest(&desk, &["--from-checkpoint", &sealed]), digest_now);
    assert_eq!(digest(&desk, &["--threads", "2"]), digest_now);
    desk.ok(&["checkpoint"]);
    desk.ok(&["audit", "state"]);
    desk.ok(&["audit", "receipts"]);
    assert_eq!(digest(&desk, &[]), digest_now);
    assert_ne!(digest(&desk, &["--until", "2"]), digest_now);
    desk.remember("Ben drinks coffee.");
    assert_ne!(digest(&desk, &[]), digest_now);
}

#[test]
fn a_folder_of_transcripts_is_read_to_its_depth() {
    let desk = Desk::new();
    for (name, said) in [("a.jsonl", "tea is ready"), ("deep/b.jsonl", "coffee is ready")] {
        let line = format!(
            r#"{{"type":"user","uuid":"{name}","parentUuid":null,"sessionId":"{name}","timestamp":"2026-05-01T12:00:00Z","message":{{"role":"user","content":"{said}"}}}}"#
        );
        let path = desk.path().join("sessions").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, line).unwrap();
    }
    std::fs::write(desk.path().join("sessions/notes.txt"), "not a transcript").unwrap();
    let report = desk.json(&["import", "claude-code", "sessions"]);
    assert_eq!(report["files"], 2, "{report}");
    for drink in ["tea", "coffee"] {
        let found = desk.json(&["recall", drink]);
        assert!(found["results"][0]["text"].as_str().unwrap().contains(drink), "{found}");
    }
}
