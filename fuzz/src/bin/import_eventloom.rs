//! Any bytes as a log of Zaxy: besides what is checked of every format, no line is
//! believed whose link or hash a second implementation finds wrong.
//!
//! The first byte says what is made right first: the links (1), the hashes (2).
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_import::Format;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

fuzz_target!(|input: &[u8]| {
    let Some((mode, bytes)) = input.split_first() else { return };
    let right = if mode & 3 == 0 { None } else { make_right(bytes, *mode) };
    let bytes = right.as_deref().unwrap_or(bytes);
    let outcome = memlith_fuzz::read(Format::Eventloom, bytes);
    let mut last = Value::Null;
    let blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !blank(line));
    for line in lines.take(outcome.verified as usize) {
        // What serde_json refuses, the importer refuses after its hash.
        let Ok(Value::Object(event)) = serde_json::from_slice(line) else { return };
        let integrity = event.get("integrity").and_then(Value::as_object);
        let (hash, previous) = match integrity {
            Some(integrity) => (integrity.get("hash"), integrity.get("previousHash")),
            None => (event.get("hash"), event.get("prev_hash")),
        };
        assert_eq!(previous, Some(&last), "a link that doesn't hold");
        last = hash.expect("a hash").clone();
        // Numbers hash as they stand: only where serde_json writes them alike can it tell.
        let same =
            integrity.is_some() && line == Value::Object(event.clone()).to_string().as_bytes();
        if same && line.is_ascii() {
            assert_eq!(last, hash_of(&event), "a hash that doesn't match");
        }
    }
});

/// The lines up to the first that is no event, hashed anew.
fn make_right(bytes: &[u8], mode: u8) -> Option<Vec<u8>> {
    let mut last = Value::Null;
    let mut lines = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(mut event)) = serde_json::from_slice(line) else { break };
        if !event.get("integrity").is_some_and(Value::is_object) {
            break;
        }
        if mode & 1 != 0 {
            event["integrity"]["previousHash"] = last;
        }
        if mode & 2 != 0 {
            event["integrity"]["hash"] = hash_of(&event);
        }
        last = event["integrity"]["hash"].clone();
        lines.extend(ascii(&Value::Object(event)).into_bytes());
        lines.push(b'\n');
    }
    (!lines.is_empty()).then_some(lines)
}

/// The hash of version 1, as Python writes canonical JSON.
fn hash_of(event: &Map<String, Value>) -> Value {
    let mut covered = event.clone();
    covered.remove("integrity");
    let previous = event["integrity"].get("previousHash").cloned().unwrap_or_default();
    let covered = json!({ "event": covered, "previousHash": previous });
    let digest = Sha256::digest(ascii(&covered).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Value::from(format!("sha256:{hex}"))
}

/// Compact JSON, everything outside printable ASCII escaped; names come sorted.
fn ascii(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match c {
            ' '..='~' => out.push(c),
            _ => {
                out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")))
            }
        }
    }
    out
}
