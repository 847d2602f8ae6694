//! Input that is wrong, endless or deep: named by line, and nothing is lost.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use crate::harness::Desk;

const SAID: &str = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-05-01T12:00:00Z","message":{"role":"user","content":"tea is ready"}}"#;

fn write(desk: &Desk, name: &str, lines: &[&[u8]]) {
    let mut file = BufWriter::new(File::create(desk.path().join(name)).unwrap());
    for line in lines {
        file.write_all(line).unwrap();
        file.write_all(b"\n").unwrap();
    }
    file.flush().unwrap();
}

#[test]
fn a_transcript_steps_over_what_it_cannot_read_and_counts_it() {
    let desk = Desk::new();
    let deep = [b"{\"a\":".repeat(10_000), b"1".to_vec(), b"}".repeat(10_000)].concat();
    let endless = [br#"{"text":""#.to_vec(), vec![b'a'; 100 << 20], br#""}"#.to_vec()].concat();
    let lines = [SAID.as_bytes(), b"\xff\xfe", b"{", &deep, &endless];
    write(&desk, "session.jsonl", &lines);
    let report = desk.json(&["import", "claude-code", "session.jsonl"]);
    assert_eq!(report["skipped"]["invalid-utf8"], 1, "{report}");
    assert_eq!(report["skipped"]["invalid-json"], 2, "{report}");
    assert_eq!(report["skipped"]["line-too-long"], 1, "{report}");
    assert!(report["added"].as_u64().unwrap() > 0, "{report}");

    let again = desk.json(&["import", "claude-code", "session.jsonl"]);
    assert_eq!(again["added"], 0);
    assert_eq!(desk.json(&["search", "tea"])["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_chained_log_and_an_export_name_the_line() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    let export = desk.ok(&["export", "jsonl"]).out;
    let heading = export.lines().next().unwrap().as_bytes();
    let deep = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    let endless = [vec![b'"'], vec![b'a'; 100 << 20], vec![b'"']].concat();
    let copy = Desk::new();
    for (line, words) in
        [(&b"\xff\xfe"[..], "UTF-8"), (b"{", "line 2"), (&deep, "line 2"), (&endless, "line 2")]
    {
        write(&copy, "bad.jsonl", &[heading, line]);
        copy.refused(4, &["import", "jsonl", "bad.jsonl"], &["bad.jsonl", "line 2", words]);
        write(&copy, "bad.eventloom", &[line]);
        copy.refused(4, &["import", "eventloom", "bad.eventloom"], &["bad.eventloom", "line 1"]);
    }
    copy.refused(4, &["import", "jsonl", "nowhere.jsonl"], &["nowhere.jsonl", "No such file"]);
    copy.refused(4, &["import", "jsonl", "bad.eventloom"], &["line 1", "export"]);
    copy.refused(2, &["import", "jsonl", "."], &["folder"]);
    copy.refused(4, &["import", "codex", ".memlith"], &["*.jsonl"]);
    copy.ok(&["verify", "--full"]);
}

#[test]
fn an_edited_export_is_refused_at_its_line() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    let export = desk.ok(&["export", "jsonl"]).out;
    let lines: Vec<&str> = export.lines().collect();
    let number = lines.len() - 1;
    // The last record's time is moved by a microsecond: its hash no longer holds.
    let mut last: serde_json::Value = serde_json::from_str(lines[number - 1]).unwrap();
    last["recorded_at_us"] = (last["recorded_at_us"].as_i64().unwrap() + 1).into();
    let edited = [&lines[..number - 1], &[last.to_string().as_str()]].concat().join("\n");
    let copy = Desk::new();
    let run = copy.run_with_input(&["import", "jsonl", "-"], edited.as_bytes());
    run.refused(4, &["standard input", &format!("line {number}"), "changed"]);
    // Cut, it gives what it has, and says that it isn't all.
    let copy = Desk::new();
    let cut =
        copy.run_with_input(&["import", "jsonl", "-"], &export.as_bytes()[..export.len() / 2]);
    cut.refused(1, &["the export was cut", "are missing"]);
}

#[test]
fn an_argument_that_is_not_utf8_is_usage() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let desk = Desk::new();
    let run = desk.command(&["remember"]).arg(OsStr::from_bytes(b"\xff")).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn words_from_standard_input_are_text_of_a_bounded_length() {
    let desk = Desk::new();
    let run = |input: &[u8]| desk.run_with_input(&["remember", "-"], input);
    run(b"caf\xe9").refused(4, &["not UTF-8 at byte 3"]);
    run(&vec![b'a'; 2 << 20]).refused(1, &["longer than the limit of 1048576"]);
    // Cut within a character, it would not even be UTF-8.
    run("\u{e9}".repeat(9 << 20).as_bytes()).refused(1, &["more than 16777216 bytes"]);
    assert_eq!(desk.json(&["maintain", "stat"])["events"], 1);
}

#[test]
fn the_file_that_is_no_session_is_named() {
    let desk = Desk::empty();
    write(&desk, "notes.txt", &[b"tea"]);
    desk.refused(4, &["demo", "--session", "notes.txt"], &["notes.txt", "line 1"]);
    desk.refused(4, &["demo", "--session", "nowhere"], &["nowhere", "No such file"]);
}
