//! Records that leave one ledger arrive in another.

use crate::harness::Desk;

fn script(desk: &Desk) {
    let tea = desk.remember("Ana drinks tea.");
    let cup = desk.remember("Ana's cup is blue.");
    desk.ok(&["remember", "Offer tea in the blue cup.", "--rests-on", &tea, &cup]);
    desk.ok(&["checkout", "what does Ana drink?"]);
    desk.ok(&["confirm", &tea]);
    desk.ok(&["review", "promote", &cup]);
    desk.ok(&["pin", &tea]);
    desk.ok(&["maintain", "checkpoint"]);
    desk.ok(&["forget", &cup, "--reason", "broken"]);
}

fn digest(desk: &Desk, more: &[&str]) -> String {
    let digest = desk.ok(&[&["verify", "replay"], more].concat()).out;
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
    copy.ok(&["verify", "receipts"]);

    let head = copy.json(&["maintain", "stat"])["head"]["seq"].clone();
    let run = copy.run_with_input(&["import", "jsonl", "-", "--json"], export.as_bytes());
    assert_eq!(run.json()["added"], 0, "{run:?}");
    assert_eq!(copy.json(&["maintain", "stat"])["head"]["seq"], head);

    desk.ok(&["export", "jsonl", "--out", "ledger.jsonl"]);
    assert_eq!(std::fs::read_to_string(desk.path().join("ledger.jsonl")).unwrap(), export);
}

#[test]
fn the_digest_depends_on_the_events_alone() {
    let desk = Desk::new();
    script(&desk);
    let stat = desk.json(&["maintain", "stat"]);
    let sealed = stat["checkpoints"][0].to_string();
    let digest_now = digest(&desk, &[]);
    assert_eq!(digest(&desk, &["--from-checkpoint", &sealed]), digest_now);
    assert_eq!(digest(&desk, &["--threads", "2"]), digest_now);
    desk.ok(&["maintain", "checkpoint"]);
    desk.ok(&["verify", "state"]);
    desk.ok(&["verify", "receipts"]);
    assert_eq!(digest(&desk, &[]), digest_now);
    assert_ne!(digest(&desk, &["--until", "2"]), digest_now);
    desk.remember("Ben drinks coffee.");
    assert_ne!(digest(&desk, &[]), digest_now);
}

#[test]
fn a_folder_of_transcripts_is_read_to_its_depth() {
    let desk = Desk::new();
    for (name, said) in [("a.jsonl", "tea is ready"), ("deep/b.jsonl", "coffee is ready")] {
        fill(&desk, "sessions", &[(name, &transcript(name, said))]);
    }
    std::fs::write(desk.path().join("sessions/notes.txt"), "not a transcript").unwrap();
    let report = desk.json(&["import", "claude-code", "sessions"]);
    assert_eq!(report["files"], 2, "{report}");
    for drink in ["tea", "coffee"] {
        let found = desk.json(&["search", drink]);
        assert!(found["results"][0]["text"].as_str().unwrap().contains(drink), "{found}");
    }
}

/// A transcript of one line.
fn transcript(name: &str, said: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{name}","parentUuid":null,"sessionId":"{name}","timestamp":"2026-05-01T12:00:00Z","message":{{"role":"user","content":"{said}"}}}}"#
    )
}

/// Writes files below a folder.
fn fill(desk: &Desk, folder: &str, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = desk.path().join(folder).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn a_foreign_file_in_a_folder_is_passed_over_counted_and_named() {
    // It ended the import, and whatever came behind it by name was never read.
    let desk = Desk::new();
    let (tea, coffee) = (transcript("a", "tea is ready"), transcript("c", "coffee is ready"));
    let foreign = "{\"metric\":1}\n".repeat(20);
    let files =
        [("a.jsonl", tea.as_str()), ("b.jsonl", &foreign), ("c.jsonl", &coffee), ("d.jsonl", "")];
    fill(&desk, "sessions", &files);
    let run = desk.run(&["import", "claude-code", "sessions", "--json"]);
    let run = run.refused(1, &["passed over", "b.jsonl", "does not look like claude-code"]);
    let report = run.json();
    assert_eq!((&report["files"], &report["foreign"]), (&3.into(), &1.into()), "{report}");
    let found = desk.json(&["search", "coffee"]);
    assert!(found["results"][0]["text"].as_str().unwrap().contains("coffee"), "{found}");
    // Named by itself it is an error, as before.
    desk.refused(4, &["import", "claude-code", "sessions/b.jsonl"], &["does not look like"]);
}

#[test]
fn a_folder_of_foreign_files_alone_says_so() {
    let desk = Desk::new();
    let foreign = "{\"metric\":1}\n";
    fill(&desk, "metrics", &[("a.jsonl", foreign), ("b.jsonl", foreign)]);
    let run = desk.run(&["import", "codex", "metrics", "--json"]);
    let run = run.refused(1, &["none of the 2 *.jsonl files in metrics is codex"]);
    assert_eq!((run.json()["files"].clone(), run.json()["foreign"].clone()), (0.into(), 2.into()));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_before_it_is_opened() {
    // A pipe without a writer, or a device without an end, kept an import for ever.
    let desk = Desk::new();
    let pipe = desk.path().join("pipe.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let socket = desk.path().join("socket.jsonl");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::os::unix::fs::symlink("/dev/zero", desk.path().join("link.jsonl")).unwrap();
    for (path, kind) in [
        ("/dev/zero", "a device"),
        ("link.jsonl", "a device"),
        ("pipe.jsonl", "a pipe"),
        ("socket.jsonl", "a socket"),
    ] {
        for format in ["claude-code", "codex", "eventloom", "locomo", "jsonl"] {
            let words = [path, kind, "regular files", "standard input as `-`"];
            desk.refused(2, &["import", format, path], &words);
        }
    }
    desk.refused(4, &["import", "jsonl", "pipe.jsonl/"], &["look at pipe.jsonl/"]);
    desk.refused(2, &["import", "jsonl", "."], &["is a folder"]);
    // In a folder they are passed over like any foreign file.
    fill(&desk, ".", &[("tea.jsonl", &transcript("tea", "tea is ready"))]);
    let run = desk.run(&["import", "claude-code", ".", "--json"]);
    let run = run.refused(1, &["pipe.jsonl is a pipe", "link.jsonl is a device", "socket.jsonl"]);
    assert_eq!(run.json()["foreign"], 3, "{run:?}");
}

/// A checkpoint behind the part that was there kept the rest from following it.
#[test]
fn a_cut_export_and_then_the_whole_one_are_the_whole_history() {
    let desk = Desk::new();
    for number in 0..5 {
        desk.remember(&format!("Lamp {number} stands in room {number}."));
    }
    let whole = desk.ok(&["export", "jsonl"]).out;
    let records = whole.lines().count() - 2;
    std::fs::write(desk.path().join("whole.jsonl"), &whole).unwrap();
    for kept in [1, 4, records, records + 1] {
        let other = Desk::new();
        let cut: String = whole.split_inclusive('\n').take(kept).collect();
        std::fs::write(other.path().join("cut.jsonl"), cut).unwrap();
        std::fs::write(other.path().join("whole.jsonl"), &whole).unwrap();
        let run = other.run(&["import", "jsonl", "cut.jsonl", "--as", "owner", "--json"]);
        let run = run.refused(1, &["the export was cut"]);
        let report = run.json();
        assert_eq!(report["cut"], true, "{kept}: {report}");
        // Of a batch that was cut nothing is taken in.
        let (added, missing) = (report["added"].as_u64(), report["missing"].as_u64());
        assert!(added.is_some_and(|added| added < kept as u64), "{kept}: {report}");
        assert_eq!(added.zip(missing).map(|(a, b)| a + b), Some(records as u64), "{report}");
        let report = other.json(&["import", "jsonl", "whole.jsonl", "--as", "owner"]);
        assert_eq!((&report["cut"], &report["missing"]), (&false.into(), &0.into()), "{report}");
        let lamps = other.json(&["list"])["items"].as_array().unwrap().len();
        assert_eq!(lamps, 5, "{kept}: no copy twice");
    }
}
