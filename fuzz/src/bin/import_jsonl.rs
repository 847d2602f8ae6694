//! Any bytes as our own export: what is taken in hashes as its lines say, and the ledger
//! that it makes is sound and can be exported and read again.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use memlith::{
    Caller, Ledger, Options, Rank, RecordId, Seq, Timestamp,
    prove::{Level, verify_in},
    storage::{Durability, Env, FixedClock, MemoryDisk, SeededRng},
};
use memlith_log::{Digest, payload_digest, record_hash};
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let disk = MemoryDisk::new();
    let (ledger, first) = import(&disk, input);
    if first.is_ok() {
        check_hashes(input);
    }
    let ids = ids(&ledger);
    // The empty ledger is that of nearly every input.
    if ids.len() < 2 {
        return;
    }
    let mut export = Vec::new();
    ledger.export_jsonl(&mut export).expect("an export");
    drop(ledger);
    let report = verify_in(&env(&disk), Level::Full).expect("a report");
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let (again, second) = import(&MemoryDisk::new(), &export);
    second.expect("an export can be read");
    check_hashes(&export);
    assert_eq!(self::ids(&again)[1..], ids[1..], "an export is read otherwise");
});

fn import(disk: &MemoryDisk, input: &[u8]) -> (Ledger, Result<u64, memlith::Error>) {
    let options = Options {
        durability: Durability::Buffered,
        segment_lens: [16 << 10; 4],
        ..Options::default()
    };
    let ledger = Ledger::create_in(env(disk), options).expect("a ledger");
    let caller = Caller::new("default", "olga", Rank::Owner);
    let imported = ledger.import_jsonl(&caller, input).map(|report| report.added);
    (ledger, imported)
}

/// The lines of an export that was taken in: each hashes as it says.
fn check_hashes(export: &[u8]) {
    let lines = export.split_inclusive(|byte| *byte == b'\n').skip(1);
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        // A line without its end was cut: what came before it is taken in.
        if !line.ends_with(b"\n") {
            continue;
        }
        let line: Value = serde_json::from_slice(line).expect("a line of JSON");
        // The last line counts the records and is none.
        if line.get("memlith_export_end").is_some() {
            continue;
        }
        let hash = digest(&line["hash"]).expect("a hash");
        assert_eq!(hash_of(&line), Some(hash), "{line}");
    }
}

/// The record's hash, from the fields of its line.
fn hash_of(line: &Value) -> Option<Digest> {
    let number = |name: &str| line[name].as_i64().or_else(|| line[name].as_u64().map(|n| n as i64));
    let mut header = Vec::new();
    for (name, len) in [
        ("seq", 8),
        ("recorded_at_us", 8),
        ("payload_len", 4),
        ("kind", 2),
        ("kind_version", 1),
        ("codec", 1),
        ("flags", 2),
        ("batch_pos", 2),
        ("batch_len", 2),
    ] {
        header.extend(&number(name)?.to_le_bytes()[..len]);
    }
    header.extend([0; 2]);
    let payload = match digest(&line["erased_payload_digest"]) {
        Some(erased) => erased,
        None => {
            let blind: [u8; 16] = base64(line["blind"].as_str()?)?.try_into().ok()?;
            payload_digest(&blind, &base64(line["body"].as_str()?)?)
        }
    };
    Some(record_hash(header.as_slice().try_into().ok()?, &payload))
}

fn digest(value: &Value) -> Option<Digest> {
    Digest::from_hex(value.as_str()?).ok()
}

fn base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == byte)? as u32;
        (bits, count) = (bits << 6 | digit, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

fn ids(ledger: &Ledger) -> Vec<RecordId> {
    let records = ledger.records(Seq::GENESIS, None).expect("records");
    records.map(|record| record.expect("a record").id()).collect()
}

fn env(disk: &MemoryDisk) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_640_400_000_000))),
        rng: Arc::new(SeededRng::new(1)),
    }
}
