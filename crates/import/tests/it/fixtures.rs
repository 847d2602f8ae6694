//! Each fixture is read, and compared with what stands beside it.

use std::fmt::Write;

use memlith_import::{DEMO_SESSION, Format, Imported};

use crate::render::{read, render};

macro_rules! fixture {
    ($format:expr, $name:literal, $file:literal) => {
        (
            $format,
            $name,
            include_bytes!(concat!("../fixtures/", $file)).as_slice(),
            include_str!(concat!("../fixtures/", $name, ".expected")),
        )
    };
}

type Fixture = (Format, &'static str, &'static [u8], &'static str);

pub(crate) const FIXTURES: &[Fixture] = &[
    fixture!(Format::ClaudeCode, "claude-code", "claude-code.jsonl"),
    fixture!(Format::Codex, "codex", "codex.jsonl"),
    fixture!(Format::Codex, "codex-older", "codex-older.jsonl"),
    fixture!(Format::Eventloom, "eventloom", "eventloom.jsonl"),
    fixture!(Format::Eventloom, "eventloom-javascript", "eventloom-javascript.jsonl"),
    fixture!(Format::Eventloom, "eventloom-legacy", "eventloom-legacy.jsonl"),
    fixture!(Format::Locomo, "locomo", "locomo.json"),
    fixture!(Format::Messages, "messages", "messages.jsonl"),
];

#[test]
fn fixtures_read_as_expected() {
    for (format, name, input, expected) in FIXTURES {
        let mut found = String::new();
        for imported in read(*format, input) {
            writeln!(found, "{}", render(&imported.unwrap())).unwrap();
        }
        assert!(found == *expected, "{name} reads as:\n{found}");
    }
}

#[test]
fn the_demo_session_is_read_whole() {
    let read = read(Format::ClaudeCode, DEMO_SESSION.as_bytes());
    let mut skipped = Vec::new();
    let mut events = 0;
    for imported in read {
        match imported.unwrap() {
            Imported::Event(_) => events += 1,
            Imported::Skipped { reason, .. } => skipped.push(reason.to_string()),
            Imported::Reinforced(_) => panic!("a transcript reinforces nothing"),
        }
    }
    assert_eq!(events, 32);
    assert_eq!(skipped, ["type:file-history-snapshot", "type:block-thinking", "type:summary"]);
}
