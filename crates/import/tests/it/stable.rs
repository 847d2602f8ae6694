//! Keys name the same line whenever it is read.

use std::collections::BTreeMap;

use memlith_event::{Body, Event, IdempotencyKey, SessionEvent};
use memlith_import::{Format, Imported};

use crate::fixtures::FIXTURES;
use crate::render::{read, read_at};

/// The events by tenant, actor and key, as a ledger knows them; none comes twice.
fn by_key(format: Format, input: &[u8]) -> BTreeMap<(String, IdempotencyKey), Body<'static>> {
    let mut bodies = BTreeMap::new();
    for imported in read(format, input) {
        if let Ok(Imported::Event(body)) = imported {
            let key = (body.envelope.actor.name.to_string(), body.envelope.key.unwrap());
            let twice = bodies.insert(key, *body);
            assert_eq!(twice, None);
        }
    }
    bodies
}

#[test]
fn reading_again_yields_the_same() {
    for (format, name, input, _) in FIXTURES {
        assert_eq!(by_key(*format, input), by_key(*format, input), "{name}");
    }
}

#[test]
fn a_file_that_grew_yields_what_it_yielded_before() {
    for (format, name, input, _) in FIXTURES.iter().filter(|(format, ..)| *format != Format::Locomo)
    {
        let whole = by_key(*format, input);
        let ends = input.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        for (end, _) in ends {
            for (key, body) in by_key(*format, &input[..=end]) {
                if body.event == Event::Session(SessionEvent::Ended) {
                    continue;
                }
                // One exception: a message on display, whose item is yet to come.
                let known = whole.get(&key) == Some(&body);
                let displayed = *name == "codex" && end < input.len() - 1;
                assert!(known || displayed && !whole.contains_key(&key), "{name}@{end}: {body:?}");
            }
        }
    }
}

#[test]
fn sessions_end_anew_only_when_they_grew() {
    let (format, _, input, _) = FIXTURES[0];
    let ends = |input: &[u8]| -> Vec<_> {
        let ended = Event::Session(SessionEvent::Ended);
        by_key(format, input)
            .into_iter()
            .filter(|(_, body)| body.event == ended)
            .map(|(key, body)| (body.envelope.scope.session, key))
            .collect()
    };
    let grown = [input, b"{\"type\":\"user\",\"uuid\":\"z\",\"parentUuid\":\"u22\",\"sessionId\":\"s2\",\"timestamp\":\"2026-05-01T13:00:00Z\",\"message\":{\"role\":\"user\",\"content\":\"go on\"}}"].concat();
    let (before, after) = (ends(input), ends(&grown));
    assert_eq!(before.len(), after.len());
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    assert_eq!(after.iter().filter(|end| !before.contains(end)).count(), 1, "{changed}");
}

/// The keys of the ends that are found in an input at an instant.
fn ends_at(format: Format, input: &[u8], now: &str) -> Vec<IdempotencyKey> {
    let ended = Event::Session(SessionEvent::Ended);
    let events = read_at(format, input, now).into_iter().filter_map(|read| match read.unwrap() {
        Imported::Event(body) => Some(body),
        Imported::Reinforced(_) | Imported::Skipped { .. } => None,
    });
    events.filter(|body| body.event == ended).map(|body| body.envelope.key.unwrap()).collect()
}

#[test]
fn a_session_has_no_end_while_its_last_line_is_young() {
    for (format, name, input, _) in FIXTURES.iter().filter(|(format, ..)| *format != Format::Locomo)
    {
        assert_eq!(ends_at(*format, input, "2025-07-01T10:29:59Z"), [], "{name}");
        let all = ends_at(*format, input, "2100-01-01T00:00:00Z");
        assert_eq!(ends_at(*format, input, "2026-05-02T08:30:03Z"), all, "{name}");
        assert_ne!(all, [], "{name}");
    }
}

#[test]
fn what_a_program_adds_behind_its_end_moves_no_end() {
    let line = |uuid: &str, words: &str| {
        let message = serde_json::json!({"role": "user", "content": words});
        let line = serde_json::json!({
            "type": "user", "uuid": uuid, "sessionId": "s",
            "timestamp": "2026-05-01T12:00:00Z", "message": message,
        });
        format!("{line}\n")
    };
    let command = "<command-message>exit</command-message>\n<command-name>/exit</command-name>";
    let left = [line("a", "find the bug"), line("b", command)].concat();
    let ends = |input: &str| ends_at(Format::ClaudeCode, input.as_bytes(), "2026-05-01T12:00:00Z");
    let [end] = ends(&left)[..] else { panic!("it has ended: {:?}", ends(&left)) };
    let told = left.clone() + &line("c", "<local-command-stdout>Bye!</local-command-stdout>");
    assert_eq!(ends(&told), [end]);
    // To say so is not to do so.
    let said = line("a", "why does <command-name>/exit</command-name> stand there?");
    assert_eq!(ends(&said), []);
    // A turn resumes it: the end stands before the turn, and another is to come.
    let resumed = told + &line("d", "one more thing");
    assert_eq!(ends(&resumed), [end]);
    let left_again = resumed + &line("e", command);
    let [first, second] = ends(&left_again)[..] else { panic!("two ends") };
    assert!(first == end && second != end);
}
