//! Keys name the same line whenever it is read.

use std::collections::BTreeMap;

use memlith_event::{Body, Event, IdempotencyKey, SessionEvent};
use memlith_import::{Format, Imported};

use crate::fixtures::FIXTURES;
use crate::render::read;

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
