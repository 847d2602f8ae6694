//! Input that nobody meant.

use std::io::{BufReader, Cursor, Read, repeat};

use memlith_event::{Event, TurnEvent};
use memlith_import::{Format, ImportError, Imported, Options, Reader, SkipReason};
use proptest::prelude::*;

use crate::fixtures::FIXTURES;
use crate::render::{long_after, read};

const TRANSCRIPTS: [Format; 3] = [Format::ClaudeCode, Format::Codex, Format::Messages];

/// A first line of each transcript format.
fn first_line(format: Format) -> &'static [u8] {
    let fixture = FIXTURES.iter().find(|(fixture, ..)| *fixture == format).unwrap();
    fixture.2.split_inclusive(|&byte| byte == b'\n').next().unwrap()
}

#[test]
fn a_bad_line_of_a_transcript_is_counted() {
    let deep = "[".repeat(10_000);
    let deep_object = "{\"type\":".repeat(10_000);
    for format in TRANSCRIPTS {
        for (line, reason) in [
            (&b"{"[..], SkipReason::InvalidJson),
            (b"\xff\xfe{}", SkipReason::InvalidUtf8),
            (b"[1]", SkipReason::InvalidJson),
            (b"\x00", SkipReason::InvalidJson),
            (deep.as_bytes(), SkipReason::InvalidJson),
            (deep_object.as_bytes(), SkipReason::InvalidJson),
        ] {
            let input = [first_line(format), line, b"\n"].concat();
            let skipped = Imported::Skipped { line: 2, reason };
            let read = read(format, &input);
            assert!(
                read.iter().any(|imported| imported.as_ref().ok() == Some(&skipped)),
                "{format}: {read:?}"
            );
        }
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_is_stepped_over() {
    for format in Format::ALL {
        let start = match format {
            Format::Locomo => &b"[\""[..],
            _ => first_line(format),
        };
        let long = repeat(b'x').take(100 << 20);
        let input = BufReader::new(start.chain(long).chain(&b"\n{}\n"[..]));
        let options = Options { document_max_bytes: 1 << 20, ..Options::default() };
        let read: Vec<_> = Reader::new(format, input, options).collect();
        let skipped = Imported::Skipped { line: 2, reason: SkipReason::LineTooLong };
        match format {
            Format::ClaudeCode | Format::Codex | Format::Messages => {
                assert!(read.iter().any(|imported| imported.as_ref().ok() == Some(&skipped)));
                assert!(read.iter().all(Result::is_ok));
            }
            Format::Eventloom => {
                let error = read.last().unwrap().as_ref().unwrap_err();
                assert!(matches!(error, ImportError::LineTooLong { place, .. } if place.line == 2));
            }
            Format::Locomo => {
                assert!(matches!(read[..], [Err(ImportError::DocumentTooLong { .. })]));
            }
            _ => panic!("a format without a test"),
        }
    }
}

#[test]
fn another_format_is_refused() {
    for (format, ..) in FIXTURES {
        for (other, name, input, _) in FIXTURES.iter().filter(|(other, ..)| other != format) {
            let read = read(*format, input);
            let last = read.last().unwrap();
            assert!(
                matches!(last, Err(ImportError::NotThisFormat { format: named, .. }) if named == format),
                "{name} ({other}) read as {format}: {last:?}"
            );
        }
        assert_eq!(read(*format, b"").len(), usize::from(*format == Format::Locomo), "{format}");
    }
}

#[test]
fn a_broken_document_names_its_place() {
    for (input, line, offset) in [
        ("[\n{\"conversation\": {,\n", 2, 20),
        ("[{\"conversation\": 5}]", 1, 18),
        ("[{\"conversation\": {\"session_1\": []}}]", 1, 0),
        (
            "[{\"conversation\": {\"session_1\": [{}], \"session_1_date_time\": \"1:00 pm on 8 May, 2023\"}}]",
            1,
            0,
        ),
        ("[{\"conversation\": {\"session_1\": [], \"session_1_date_time\": \"8 May\"}}]", 1, 0),
    ] {
        let read = read(Format::Locomo, input.as_bytes());
        let [Err(ImportError::Document { place, .. })] = &read[..] else { panic!("{read:?}") };
        assert_eq!((place.line, place.offset), (line, offset), "{input}");
    }
}

#[test]
fn a_long_output_keeps_head_and_tail() {
    let output = format!("head{}tail", "é".repeat(100_000));
    let line = |kind: &str, block: serde_json::Value| {
        serde_json::json!({
            "type": kind, "uuid": kind, "sessionId": "s", "timestamp": "2026-05-01T12:00:00Z",
            "message": { "role": kind, "content": [block] },
        })
    };
    let call = serde_json::json!({ "type": "tool_use", "id": "t", "name": "Write", "input": { "content": "x".repeat(2 << 20) } });
    let result =
        serde_json::json!({ "type": "tool_result", "tool_use_id": "t", "content": output });
    let input = format!("{}\n{}\n", line("assistant", call), line("user", result));
    let ran =
        read(Format::ClaudeCode, input.as_bytes()).into_iter().find_map(|imported| match imported
            .unwrap()
        {
            Imported::Event(body) => match body.event {
                Event::Turn(TurnEvent::ToolRan(ran)) => Some(ran),
                _ => None,
            },
            _ => None,
        });
    let ran = ran.unwrap();
    assert!(
        ran.output.len() <= 64 << 10
            && ran.output.starts_with("head")
            && ran.output.ends_with("tail")
    );
    assert_eq!(ran.output_len, Some(output.len() as u64));
    assert!(ran.arguments.len() <= 512 << 10);
    assert!(serde_json::from_str::<serde_json::Value>(&ran.arguments).is_ok());
}

/// A fixture with some bytes changed and some lines moved.
fn mangled() -> impl Strategy<Value = (Format, Vec<u8>)> {
    let fixture = (0..FIXTURES.len()).prop_map(|index| (FIXTURES[index].0, FIXTURES[index].2));
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8);
    let moves = prop::collection::vec(any::<[prop::sample::Index; 2]>(), 0..4);
    (fixture, changes, moves).prop_map(|((format, input), changes, moves)| {
        let mut input = input.to_vec();
        for (index, byte) in changes {
            let index = index.index(input.len());
            input[index] = byte;
        }
        let mut lines: Vec<&[u8]> = input.split_inclusive(|&byte| byte == b'\n').collect();
        for [one, other] in moves {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            lines.swap(one, other);
        }
        (format, lines.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_bytes_are_taken(input in prop::collection::vec(any::<u8>(), 0..512)) {
        for format in Format::ALL {
            let read = read(format, &input);
            let errors = read.iter().filter(|imported| imported.is_err()).count();
            prop_assert!(errors <= 1 && read.last().is_none_or(|last| last.is_err() == (errors == 1)));
        }
    }

    #[test]
    fn any_mangled_file_is_taken((format, input) in mangled()) {
        let read = read(format, &input);
        for imported in &read {
            if let Err(error) = imported {
                let foreign = matches!(error, ImportError::NotThisFormat { .. });
                prop_assert!(foreign || !TRANSCRIPTS.contains(&format), "{error}");
            }
        }
        // In pieces of any size, the same.
        let pieces = BufReader::with_capacity(7, Cursor::new(&input));
        let again: Vec<_> = Reader::new(format, pieces, long_after()).collect();
        prop_assert_eq!(format!("{read:?}"), format!("{again:?}"));
    }

    #[test]
    fn any_json_line_of_a_transcript_is_taken(
        texts in prop::collection::vec("[a-z<>]{0,8}", 8),
        keys in prop::collection::vec(prop::sample::select(vec![
            "type", "uuid", "parentUuid", "sessionId", "timestamp", "message", "content", "role",
            "payload", "id", "call_id", "output", "arguments", "name", "input", "tool_use_id",
        ]), 8),
        values in prop::collection::vec(prop::sample::select(vec![
            "user", "assistant", "tool_use", "tool_result", "message", "response_item", "event_msg",
            "function_call", "function_call_output", "web_search_call", "2026-05-01T12:00:00Z", "t1",
        ]), 8),
    ) {
        let mut inner = serde_json::Map::new();
        let mut outer = serde_json::Map::new();
        for ((key, value), text) in keys.iter().zip(&values).zip(&texts) {
            inner.insert((*key).to_owned(), serde_json::json!([{ (*key): value, "type": value }, text]));
            outer.insert((*key).to_owned(), serde_json::Value::from(*value));
        }
        outer.insert("message".to_owned(), inner.clone().into());
        outer.insert("payload".to_owned(), inner.into());
        let line = serde_json::Value::from(outer).to_string();
        for format in TRANSCRIPTS {
            let input = [first_line(format), line.as_bytes()].concat();
            prop_assert!(read(format, &input).iter().all(Result::is_ok));
        }
    }
}
