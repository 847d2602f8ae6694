//! Every bit of every file is flipped, and every file cut at every byte.

use memlith_log::{Durability, Level, Log, LogOptions, MemoryDisk, Record, Seq, verify};

use crate::ledger::{all, append, append_with, env, small};

/// A ledger of two segments whose process died with the last batch unsynced.
fn sample(close: bool) -> (MemoryDisk, Vec<Record>) {
    let disk = MemoryDisk::new();
    let options = LogOptions { reserve_len: 0, ..small() };
    let log = Log::create(env(&disk), options).unwrap();
    for n in 0..9 {
        append(&log, &[&format!("{n} {}", "f".repeat(n * 60)), "second"]).unwrap();
    }
    log.writer().unwrap().erase(1, &[Seq(4)]).unwrap();
    append(&log, &["last"]).unwrap();
    if !close {
        append_with(&log, &["unsynced"], Durability::Buffered).unwrap();
    }
    let records = all(&log).unwrap();
    let image = disk.after_kill();
    if close {
        log.close().unwrap();
        return (disk, records);
    }
    (image, records)
}

/// Checks a damaged disk with a reader and then with a writer.
fn outcome(disk: &MemoryDisk, records: &[Record], synced: usize, what: &str) {
    let options = LogOptions { read_only: true, ..small() };
    if let Ok(log) = Log::open(env(disk), options)
        && let Ok(found) = all(&log)
    {
        assert!(found.len() >= synced, "{what}: {} of {synced} shown", found.len());
        assert_eq!(found, records[..found.len()], "{what}: shown");
    }
    let copy = disk.after_kill();
    if let Ok(log) = Log::open(env(&copy), small())
        && append(&log, &["more"]).is_ok()
    {
        for record in &records[..synced] {
            if let Ok(read) = log.read(record.seq) {
                assert_eq!(read, *record, "{what}: after a writer");
            }
        }
        assert!(log.head().seq.0 >= u64::try_from(synced).unwrap(), "{what}: head");
    }
}

#[test]
fn every_flipped_bit_is_found_or_harmless() {
    let (disk, records) = sample(true);
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
    let mut silent = Vec::new();
    for name in disk.names() {
        let bytes = disk.bytes(&name).unwrap();
        for at in 0..bytes.len() {
            // Stretches of zeros behave alike; each is tried at every 16th byte.
            let near = &bytes[at.saturating_sub(16)..(at + 16).min(bytes.len())];
            if near.iter().all(|byte| *byte == 0) && at % 16 != 0 {
                continue;
            }
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                let damaged = disk.after_kill();
                damaged.set_bytes(&name, flipped);
                let what = format!("{name} byte {at} bit {bit}");
                let report = verify(&env(&damaged), Level::Full).unwrap();
                if report.is_ok() {
                    silent.push(name.clone());
                }
                outcome(&damaged, &records, records.len(), &what);
            }
        }
    }
    silent.dedup();
    assert_eq!(silent, ["LOCK"], "files in which a flip is not found");
}

#[test]
fn every_truncation_of_every_file_is_refused_found_or_harmless() {
    for close in [true, false] {
        let (disk, records) = sample(close);
        let synced = if close { records.len() } else { records.len() - 1 };
        for name in disk.names() {
            let bytes = disk.bytes(&name).unwrap();
            for len in 0..bytes.len() {
                let damaged = disk.after_kill();
                damaged.set_bytes(&name, bytes[..len].to_vec());
                let what = format!("{name} cut to {len}");
                verify(&env(&damaged), Level::Full).expect(&what);
                outcome(&damaged, &records, synced, &what);
            }
            let damaged = disk.after_kill();
            damaged.delete(&name);
            let what = format!("{name} deleted");
            if damaged.names().iter().any(|name| name.starts_with("seg-")) {
                let report = verify(&env(&damaged), Level::Full).expect(&what);
                let matters = name.starts_with("seg-") || name == "mark";
                assert!(!matters || !report.is_ok(), "{what}");
            }
            outcome(&damaged, &records, synced, &what);
        }
    }
}

#[test]
fn a_flip_in_an_unsynced_tail_never_costs_an_acknowledged_record() {
    let (disk, records) = sample(false);
    let synced = records.len() - 1;
    let name = disk.names().into_iter().rfind(|name| name.starts_with("seg-")).unwrap();
    let bytes = disk.bytes(&name).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    for at in 128..=used {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let damaged = disk.after_kill();
            damaged.set_bytes(&name, flipped);
            outcome(&damaged, &records, synced, &format!("byte {at} bit {bit}"));
        }
    }
}
