use std::process::Stdio;

use crate::harness::Desk;

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = Desk::new();
    let note = desk.remember("Ana drinks tea.");
    for args in [
        &["list", "events"][..],
        &["list", "events", "--json"],
        &["export", "jsonl"],
        &["checkout", "tea"],
        &["show", &note],
        &["verify"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = desk.command(args).stdin(Stdio::null()).stdout(writer).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(
            (run.status.code(), said.contains("error")),
            (Some(0), false),
            "{args:?} {said}"
        );
    }
    desk.ok(&["verify", "--full"]);
}

#[test]
fn a_full_output_is_an_error() {
    let desk = Desk::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = desk.command(&["list", "events"]).stdout(full).output().unwrap();
    assert_eq!(run.status.code(), Some(4), "{run:?}");
}

#[test]
fn answers_are_data_and_the_rest_is_not() {
    let desk = Desk::new();
    desk.remember("Ana drinks \u{1b}[31m tea \u{202e} now.");
    let run = desk.ok(&["checkout", "tea"]);
    assert!(run.err.contains("1 item"), "{run:?}");
    assert!(!run.out.contains("1 item"), "{run:?}");
    for args in [
        &["checkout", "tea"][..],
        &["search", "tea"],
        &["list", "events"],
        &["checkout", "tea", "--prompt"],
    ] {
        let out = desk.ok(args).out;
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{args:?}: {out:?}");
    }
    assert_eq!(desk.ok(&["checkout", "tea", "--quiet"]).err, "");
}

#[test]
fn words_come_from_standard_input_too() {
    let desk = Desk::new();
    let run = desk.run_with_input(&["remember", "-", "--json"], b"Ana drinks tea.\n");
    let note = crate::harness::id(&run.json());
    assert_eq!(desk.json(&["show", &note])["text"], "Ana drinks tea.");
    let run = desk.run_with_input(&["remember", "-"], b"\xff\xfe");
    run.refused(4, &["standard input", "UTF-8"]);
}
