use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use memlith_event::{Body, Event, TurnEvent};
use memlith_import::{Format, ImportError, Imported, Options, Reader};
use serde_json::Value;

use crate::instant;

/// Result of reading an input.
pub struct Outcome {
    pub imported: Vec<Imported>,
    /// Lines that verified, where the format has a chain.
    pub verified: u64,
    pub error: Option<ImportError>,
}

/// Names that the importers give where a source names nothing.
const OWN_NAMES: [&str; 4] = ["command", "local_shell", "unknown", "web_search"];

/// Reads an input, and checks what holds for every format: an event has a body that is
/// read back as it was, and a key; it says nothing that the input doesn't; and in whatever
/// pieces the input comes, it is read alike.
pub fn read(format: Format, bytes: &[u8]) -> Outcome {
    let outcome = through(format, bytes);
    // The dates of LoCoMo are words; its own target reads them.
    let said = (format != Format::Locomo).then(|| Said::of(bytes)).flatten();
    for imported in &outcome.imported {
        let Imported::Event(body) = imported else { continue };
        let encoded = body.encode();
        let decoded = Body::decode(body.event.kind(), &encoded);
        assert_eq!(decoded.as_ref(), Ok(body.as_ref()));
        assert!(body.envelope.key.is_some(), "it would be imported again: {body:?}");
        if let Some(said) = &said {
            said.check(format, body);
        }
    }
    // A quarter of the inputs is enough to see that pieces don't matter.
    if bytes.len() % 4 == 0 {
        let piece_len = 1 + bytes.len() / 4 % 61;
        let pieces = through(format, BufReader::with_capacity(piece_len, bytes));
        assert_eq!(pieces.imported, outcome.imported, "in pieces of {piece_len}");
        let told = |outcome: &Outcome| outcome.error.as_ref().map(ToString::to_string);
        assert_eq!(told(&pieces), told(&outcome), "in pieces of {piece_len}");
    }
    outcome
}

fn through(format: Format, input: impl BufRead) -> Outcome {
    let mut reader = Reader::new(format, input, Options::default());
    let (mut imported, mut error) = (Vec::new(), None);
    for one in reader.by_ref() {
        match one {
            Ok(one) => imported.push(one),
            Err(other) => error = Some(other),
        }
    }
    assert!(reader.next().is_none(), "a reader that ended goes on");
    Outcome { imported, verified: reader.dialects().values().sum(), error }
}

/// Everything that an input says.
struct Said {
    strings: BTreeSet<String>,
    /// The lines of the strings.
    lines: BTreeSet<String>,
    instants: BTreeSet<i64>,
}

impl Said {
    /// `None` where halves of surrogate pairs are escaped, which serde_json can't read.
    fn of(bytes: &[u8]) -> Option<Said> {
        if bytes.windows(3).any(|three| matches!(three, [b'\\', b'u', b'd' | b'D'])) {
            return None;
        }
        let mut said = Said {
            strings: BTreeSet::new(),
            lines: BTreeSet::from([String::new()]),
            instants: BTreeSet::new(),
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(value) = serde_json::from_slice(line) {
                said.take(&value);
            }
        }
        Some(said)
    }

    fn take(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.lines.extend(text.split('\n').map(str::to_owned));
                self.instants.extend(instant(text));
                self.strings.insert(text.clone());
                // Some tools answer with JSON in a string.
                if let Some(inner) = text.starts_with('{').then(|| serde_json::from_str(text).ok())
                    && let Some(inner) = inner
                {
                    self.take(&inner);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.take(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.take(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn check(&self, format: Format, body: &Body<'_>) {
        let at = body.envelope.occurred_at.0;
        assert!(self.instants.contains(&at), "nothing happened at {at}: {body:?}");
        let text = match &body.event {
            Event::Turn(TurnEvent::Said(said)) => said.text.as_str(),
            Event::Turn(TurnEvent::ToolRan(ran)) => {
                let tool = ran.tool.as_str();
                let own = OWN_NAMES.contains(&tool) || tool == format.name();
                assert!(own || self.strings.contains(tool), "no tool {tool:?}");
                ran.output.as_str()
            }
            Event::Session(_)
            | Event::Memory(_)
            | Event::Reconcile(_)
            | Event::Outcome(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Foreign(_) => "",
        };
        for line in text.split('\n') {
            assert!(self.lines.contains(line), "nobody said {line:?}");
        }
    }
}
