use std::collections::BTreeMap;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::eventloom::canonical::{self, Spelling};
use crate::eventloom::fields::{Fields, Node};
use crate::{Format, ImportError, Place};

/// How a line's hash was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Version 1, as Python writes canonical JSON. A line of ASCII without exponents
    /// hashes alike in both dialects of version 1, and counts here.
    Python,
    /// Version 1, as JavaScript writes it.
    JavaScript,
    /// The flat shape before version 1.
    Legacy,
}

/// The state of a chain after the lines so far.
#[derive(Default)]
pub(crate) struct Chain {
    count: u64,
    /// The last line's hash, without prefix.
    last: Option<String>,
    dialects: BTreeMap<Dialect, u64>,
}

/// A line that fits the chain.
pub(crate) struct Link {
    pub(crate) seq: u64,
    /// Without prefix.
    pub(crate) hash: String,
}

impl Dialect {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Python => "eventloom-v1/python",
            Dialect::JavaScript => "eventloom-v1/javascript",
            Dialect::Legacy => "legacy",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Chain {
    pub(crate) fn dialects(&self) -> &BTreeMap<Dialect, u64> {
        &self.dialects
    }

    /// Verifies the next line: its own hash, its link to the one before, its sequence.
    pub(crate) fn verify(&mut self, place: Place, line: &str) -> Result<Link, ImportError> {
        let seq = self.count + 1;
        let broken = |reason: String| ImportError::Chain { place, reason };
        let line_error = |reason: String| ImportError::Line { place, reason };
        let foreign = || match self.count {
            0 => ImportError::NotThisFormat {
                place,
                format: Format::Eventloom,
                expected: "each line is an event with `integrity`, or with `hash` and `prev_hash`",
            },
            _ => line_error("the line is no event of this log".to_owned()),
        };
        if !line.starts_with('{') {
            return Err(foreign());
        }
        let fields = Fields::parse(line).map_err(line_error)?;
        let shape = Shape::of(&fields).ok_or_else(foreign)?;
        shape.covers(&fields).map_err(broken)?;
        let (hash, previous) = shape
            .hashes(&fields)
            .ok_or_else(|| broken(format!("event {seq} has no valid hash or previous hash")))?;
        let dialect = shape
            .dialect(&fields, hash)
            .ok_or_else(|| broken(format!("the hash of event {seq} does not match its content")))?;
        if previous != self.last.as_deref() {
            return Err(broken(match seq {
                1 => "the first event names a previous hash: the log's start is missing".to_owned(),
                _ => format!("event {seq} does not name the hash of the event before it"),
            }));
        }
        if let Some(own) = shape.seq(&fields)
            && own != seq
        {
            return Err(broken(format!("event {seq} is numbered {own}")));
        }
        self.count = seq;
        self.last = Some(hash.to_owned());
        *self.dialects.entry(dialect).or_insert(0) += 1;
        Ok(Link { seq, hash: hash.to_owned() })
    }
}

/// Which of the two shapes a line has.
#[derive(Clone, Copy)]
enum Shape {
    V1,
    Legacy,
}

/// Fields that a hash of the flat shape covers; `security` only where it is set.
const LEGACY_HASHED: [&str; 7] =
    ["actor", "payload", "prev_hash", "seq", "thread", "timestamp", "type"];

/// Further fields of the flat shape, and the only values they can have there.
const LEGACY_FIXED: [(&str, &str); 4] = [
    ("caused_by", "[]"),
    ("envelope_version", "\"zaxy.legacy\""),
    ("id", "null"),
    ("parent_event_id", "null"),
];

impl Shape {
    fn of(fields: &Fields<'_>) -> Option<Shape> {
        if fields.get("integrity").is_some() && fields.get("type").is_some() {
            Some(Shape::V1)
        } else if fields.get("hash").is_some() && fields.get("prev_hash").is_some() {
            Some(Shape::Legacy)
        } else {
            None
        }
    }

    /// Whether every field of the line is under its hash, or can't say anything.
    fn covers(self, fields: &Fields<'_>) -> Result<(), String> {
        let outside = |name: &str, node: &Node<'_>| match self {
            Shape::V1 => {
                let inner = |(name, _): &(String, Node<'_>)| {
                    !matches!(name.as_str(), "hash" | "previousHash")
                };
                matches!(node, Node::Object(fields) if name == "integrity" && fields.iter().any(inner))
            }
            Shape::Legacy => {
                let fixed = LEGACY_FIXED.iter().find(|(fixed, _)| *fixed == name);
                let hashed = LEGACY_HASHED.contains(&name) || matches!(name, "hash" | "security");
                !hashed && fixed.is_none_or(|(_, value)| node.raw() != *value)
            }
        };
        match fields.iter().find(|(name, node)| outside(name, node)) {
            None => Ok(()),
            Some((name, _)) => Err(format!("`{name}` holds what its hash does not cover")),
        }
    }

    /// The line's hash and the previous one's, without prefixes.
    fn hashes<'a>(self, fields: &'a Fields<'a>) -> Option<(&'a str, Option<&'a str>)> {
        let (hash, previous, prefix) = match self {
            Shape::V1 => {
                let Some(Node::Object(integrity)) = fields.get("integrity") else { return None };
                (integrity.get("hash")?, integrity.get("previousHash")?, "sha256:")
            }
            Shape::Legacy => (fields.get("hash")?, fields.get("prev_hash")?, ""),
        };
        let digits = |node: &'a Node<'a>| {
            let digits = node.plain_string()?.strip_prefix(prefix)?;
            (digits.len() == 64).then_some(digits)
        };
        let previous = match previous.raw() {
            "null" => None,
            _ => Some(digits(previous)?),
        };
        Some((digits(hash)?, previous))
    }

    /// The dialect in which the line hashes to `hash`.
    fn dialect(self, fields: &Fields<'_>, hash: &str) -> Option<Dialect> {
        let matches = |canonical: String| hex(&Sha256::digest(canonical.as_bytes())) == hash;
        match self {
            Shape::V1 => {
                let python = matches(envelope(fields, Spelling::Python)?);
                if python {
                    return Some(Dialect::Python);
                }
                matches(envelope(fields, Spelling::JavaScript)?).then_some(Dialect::JavaScript)
            }
            Shape::Legacy => matches(flat(fields)).then_some(Dialect::Legacy),
        }
    }

    /// The sequence that the line claims, where it claims one.
    fn seq(self, fields: &Fields<'_>) -> Option<u64> {
        match self {
            Shape::V1 => {
                let rest = fields.get("id")?.plain_string()?.strip_prefix("evt_zaxy_")?;
                rest.get(..12)?.parse().ok()
            }
            Shape::Legacy => fields.get("seq")?.raw().parse().ok(),
        }
    }
}

/// The text that a hash of version 1 is taken over.
fn envelope(fields: &Fields<'_>, spelling: Spelling) -> Option<String> {
    let Some(Node::Object(integrity)) = fields.get("integrity") else { return None };
    let mut output = String::from("{\"event\":");
    let event = fields.iter().filter(|(name, _)| name.as_str() != "integrity");
    canonical::object(event, spelling, &mut output);
    output.push_str(",\"previousHash\":");
    canonical::value(integrity.get("previousHash")?, spelling, &mut output);
    output.push('}');
    Some(output)
}

/// The text that a hash of the flat shape is taken over.
fn flat(fields: &Fields<'_>) -> String {
    let hashed = |name: &str, node: &Node<'_>| {
        LEGACY_HASHED.contains(&name) || name == "security" && node.raw() != "null"
    };
    let mut output = String::new();
    let covered = fields.iter().filter(|(name, node)| hashed(name, node));
    canonical::object(covered, Spelling::PythonNumbers, &mut output);
    output
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
