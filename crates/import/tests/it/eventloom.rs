//! The chain of a log is verified line by line.

use memlith_import::{Format, ImportError, Imported, Options, Reader};

use crate::render::read;

const LOG: &[u8] = include_bytes!("../fixtures/eventloom.jsonl");
const LEGACY: &[u8] = include_bytes!("../fixtures/eventloom-legacy.jsonl");
const JAVASCRIPT: &[u8] = include_bytes!("../fixtures/eventloom-javascript.jsonl");

/// The two published vectors: what Zaxy 3.2.0 writes for two appends.
const GOLDEN_A: &str = concat!(
    r#"{"id":"evt_zaxy_000000000001_e1601f6571655354","type":"goal.created","actorId":"user","#,
    r#""threadId":"s","parentEventId":null,"causedBy":[],"timestamp":"2026-01-02T03:04:05Z","#,
    r#""payload":{"title":"Ship it","z":1,"a":{"\u00e9":"\u00fc","n":1.5,"e":1e-07},"#,
    r#""__zaxy_security":{"sensitivity":"public","redacted_paths":[]}},"integrity":{"hash":"#,
    r#""sha256:de9ae4a341cb2975c5385a9830351ad69a95356911b2228ff8b92cc5e63bbad5","#,
    r#""previousHash":null}}"#,
);
const GOLDEN_B: &str = concat!(
    r#"{"id":"evt_zaxy_000000000002_16fdafcc314f2986","type":"decision.made","actorId":"user","#,
    r#""threadId":"s","parentEventId":null,"causedBy":[],"timestamp":"2026-01-02T03:04:06Z","#,
    r#""payload":{"api_key":"[REDACTED]","note":"ok","#,
    r#""__zaxy_security":{"sensitivity":"restricted","redacted_paths":["api_key"]}},"#,
    r#""integrity":{"hash":"#,
    r#""sha256:53390580c676ae7603ccf03be991352abc1f5edd07e747e9df3a7db69226d799","#,
    r#""previousHash":"#,
    r#""sha256:de9ae4a341cb2975c5385a9830351ad69a95356911b2228ff8b92cc5e63bbad5"}}"#,
);

/// A first line that is sealed as the fifth.
const NUMBERED_FIVE: &str = concat!(
    r#"{"id":"evt_zaxy_000000000005_0123456789abcdef","type":"goal.created","actorId":"user","threadId":"s","#,
    r#""parentEventId":null,"causedBy":[],"timestamp":"2026-01-02T03:04:05Z","payload":{},"#,
    r#""integrity":{"hash":""#,
    r#"sha256:0de018c161bbafa2f45dff0ccf21bf92121a1c40d9f22ea552a178cb402e33a8","previousHash":null}}"#,
);

/// The line that the import names, or `None` where it accepts the log.
fn named_line(log: &[u8]) -> Option<u64> {
    let error = read(Format::Eventloom, log).pop()?.err()?;
    match error {
        ImportError::Chain { place, .. }
        | ImportError::Line { place, .. }
        | ImportError::NotThisFormat { place, .. } => Some(place.line),
        other => panic!("{other}"),
    }
}

#[test]
fn the_golden_vectors_verify() {
    let log = format!("{GOLDEN_A}\n{GOLDEN_B}\n");
    assert_eq!(named_line(log.as_bytes()), None);
    assert_eq!(named_line(GOLDEN_B.as_bytes()), Some(1), "the start is missing");
}

#[test]
fn it_is_said_which_dialect_verified() {
    for (log, expected) in [
        (LOG, "eventloom-v1/python: 9"),
        (LEGACY, "legacy: 3"),
        (JAVASCRIPT, "eventloom-v1/python: 1, eventloom-v1/javascript: 2"),
    ] {
        let mut reader = Reader::new(Format::Eventloom, log, Options::default());
        assert!(reader.by_ref().all(|imported| imported.is_ok()));
        let dialects: Vec<String> =
            reader.dialects().iter().map(|(dialect, n)| format!("{dialect}: {n}")).collect();
        assert_eq!(dialects.join(", "), expected);
    }
}

#[test]
fn a_changed_byte_is_named_by_its_line() {
    for log in [LOG, LEGACY, JAVASCRIPT] {
        let mut line = 1;
        for index in 0..log.len() {
            for bit in 0..8 {
                let mut changed = log.to_vec();
                changed[index] ^= 1 << bit;
                let named = named_line(&changed);
                let at_end = index + 1 == log.len();
                assert!(
                    named == Some(line) || at_end && named.is_none(),
                    "byte {index}, bit {bit}: {named:?}, not {line}"
                );
            }
            line += u64::from(log[index] == b'\n');
        }
    }
}

#[test]
fn a_line_that_is_missing_moved_or_cut_is_named() {
    let lines: Vec<&[u8]> = LOG.split_inclusive(|&byte| byte == b'\n').collect();
    let without_third = [&lines[..2], &lines[3..]].concat().concat();
    let swapped = [lines[0], lines[2], lines[1]].concat();
    let twice = [lines[0], lines[1], lines[1]].concat();
    assert_eq!(named_line(&without_third), Some(3));
    assert_eq!(named_line(&swapped), Some(2));
    assert_eq!(named_line(&twice), Some(3));
    for cut in lines[0].len() + 2..lines[0].len() + lines[1].len() - 1 {
        assert_eq!(named_line(&LOG[..cut]), Some(2), "{cut}");
    }
    // Sealed lines of other logs: the number fits and not the link, and the reverse.
    let foreign = format!("{}{GOLDEN_B}", std::str::from_utf8(lines[0]).unwrap());
    assert_eq!(named_line(foreign.as_bytes()), Some(2));
    assert_eq!(named_line(NUMBERED_FIVE.as_bytes()), Some(1));
    // What a chain can't show: its last lines are missing.
    assert_eq!(named_line(&lines[..3].concat()), None);
}

#[test]
fn what_hashes_alike_but_reads_differently_is_refused() {
    let text = std::str::from_utf8(LEGACY).unwrap();
    for (from, to) in [
        ("\"id\":null", "\"id\":\"x\""),
        ("\"caused_by\":[]", "\"caused_by\":[1]"),
        ("\"seq\":1,", "\"seq\":1,\"seq\":1,"),
        ("\"seq\":1,", "\"seq\":1,\"more\":1,"),
    ] {
        assert_eq!(named_line(text.replacen(from, to, 1).as_bytes()), Some(1), "{to}");
    }
    let capitals = std::str::from_utf8(LOG).unwrap().replacen("\\u00f6", "\\u00F6", 1);
    assert_eq!(named_line(capitals.as_bytes()), Some(1));
}

#[test]
fn lines_before_a_broken_one_are_yielded() {
    let mut log = LOG.to_vec();
    let fifth: usize = log.split_inclusive(|&byte| byte == b'\n').take(4).map(<[u8]>::len).sum();
    log[fifth + 300] ^= 1;
    let read = read(Format::Eventloom, &log);
    let events = read.iter().filter(|imported| matches!(imported, Ok(Imported::Event(_)))).count();
    assert_eq!(events, 5, "a session and four events");
    let error = read.last().unwrap().as_ref().unwrap_err().to_string();
    assert!(error.starts_with("line 5 (byte "), "{error}");
}
