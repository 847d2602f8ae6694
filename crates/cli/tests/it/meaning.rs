//! Hostile and odd input to all that compares by meaning: each gets an answer or an error with its
//! name, and nothing is lost.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::harness::{Desk, Run};

/// Texts that are of a length, and of no language.
fn odd() -> [(&'static str, String); 5] {
    [
        ("one character", "x".to_owned()),
        ("emoji", "\u{1f600}".repeat(40)),
        ("right to left", "\u{202e}\u{645}\u{631}\u{62d}\u{628}\u{627} \u{628}\u{643}".to_owned()),
        ("zero width", "\u{200b}\u{200d}\u{2060}".to_owned()),
        ("combining", format!("e{}", "\u{301}".repeat(500))),
    ]
}

fn likeness(desk: &Desk, input: &[u8]) -> Run {
    desk.run_with_input(&["remember", "-", "--reconcile", "likeness"], input)
}

#[test]
fn odd_texts_are_remembered_once_and_asked_about() {
    let desk = Desk::new();
    // What has nothing to see is no text.
    for (named, text) in odd().into_iter().filter(|(named, _)| *named != "zero width") {
        let first = likeness(&desk, text.as_bytes());
        assert_eq!((first.code, first.out.contains("added")), (0, true), "{named}: {first:?}");
        let again = likeness(&desk, text.as_bytes());
        assert_eq!((again.code, again.out.contains("restated")), (0, true), "{named}: {again:?}");
        for verb in [&["search"][..], &["remember", "--dry-run"]] {
            let run = desk.run(&[verb, &[&text]].concat());
            assert_eq!(run.code, 0, "{verb:?} {named}");
        }
    }
    let export = desk.ok(&["export", "jsonl"]).out;
    let copy = Desk::new();
    let run = copy.run_with_input(&["import", "jsonl", "-"], export.as_bytes());
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(
        copy.json(&["maintain", "stat"])["memories"],
        desk.json(&["maintain", "stat"])["memories"]
    );
    desk.ok(&["verify", "--full"]);
}

#[test]
fn nothing_and_too_much_are_refused_by_name() {
    let desk = Desk::new();
    likeness(&desk, b"").refused(1, &["the text is empty"]);
    likeness(&desk, b" \n\t").refused(1, &["the text is empty"]);
    // What can't be asked for could never be found: zero-width characters alone were taken once.
    let unseen = " \u{200b}\u{200d}\u{2060}\u{feff}.";
    likeness(&desk, unseen.as_bytes()).refused(1, &["the text is empty"]);
    desk.refused(1, &["remember", unseen], &["the text is empty"]);
    for verb in [&["search"][..], &["remember", "--dry-run"]] {
        desk.refused(2, &[verb, &[unseen.trim_end_matches('.')]].concat(), &["the query is empty"]);
    }
    likeness(&desk, b"caf\xe9 is open").refused(4, &["not UTF-8 at byte 3"]);
    // With its envelope a MiB of text is more than a record holds.
    let most = vec![b'a'; 1 << 20];
    likeness(&desk, &most).refused(1, &["longer than the limit of 1048576", "split it"]);
    let events = desk.json(&["maintain", "stat"])["events"].clone();
    assert_eq!(events, 1, "nothing was written");

    let long = "one two ".repeat(120_000);
    for expected in ["added", "restated"] {
        let run = likeness(&desk, long.as_bytes());
        assert_eq!((run.code, run.out.contains(expected)), (0, true), "{}", run.err);
    }
    for verb in [&["search"][..], &["remember", "--dry-run"]] {
        desk.refused(2, &[verb, &[""]].concat(), &["the query is empty"]);
        desk.refused(2, &[verb, &[&long[..100_000]]].concat(), &["at most 65536 are searched"]);
        let mut command = desk.command(verb);
        let run = Run::of(command.arg(OsStr::from_bytes(b"caf\xe9")).output().unwrap());
        run.refused(2, &["UTF-8"]);
    }
}

#[test]
fn an_arbiter_that_is_none_leaves_it_to_the_midpoint() {
    let desk = Desk::new();
    desk.remember("the team meets in the red room on weekdays");
    for (script, expected) in [
        ("sleep 60; echo add", "timed_out"),
        ("echo I would say add", "unreadable"),
        ("echo update mem_999_010203040506", "invented"),
        ("head -c 100000 /dev/zero", "too_long"),
        ("exit 3", "failed"),
    ] {
        let arbiter = format!("/bin/sh -c '{script}'");
        let text = format!("the team meets in a room on weekdays, says {expected}");
        let args = ["remember", &text, "--reconcile", "likeness", "--arbiter", &arbiter];
        let how = ["--thresholds", "1,0.99,0.1", "--arbiter-timeout", "500ms"];
        let run = desk.ok(&[&args[..], &how].concat());
        assert!(run.out.contains("added"), "below the midpoint: {run:?}");
        let log = desk.ok(&["list", "events", "--json"]).out;
        let mut decisions = log.lines().filter(|line| line.contains("\"arbitration\""));
        let last = decisions.next_back().unwrap();
        assert!(last.contains(&format!("\"{expected}\"")), "{script}: {last}");
        assert!(desk.ok(&["search", &text]).out.contains(&text), "{script}");
    }
    desk.ok(&["verify", "--full"]);
}
