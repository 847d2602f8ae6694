//! Files of format 1 that every later version must read, and write again byte for byte.

use std::path::{Path, PathBuf};

use memlith_log::{Durability, Level, Log, LogOptions, MemoryDisk, Seq, verify};

use crate::ledger::{all, append, append_with, env, small};

const FILES: [&str; 3] = ["seg-0000000000", "seg-0000000001", "mark"];

/// Folders of one ledger as it was written at first, and with the dense offsets of ADR 0047.
const FOLDERS: [&str; 2] = ["v1", "v1-dense"];

fn golden(folder: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder).join(name)
}

/// A sealed segment with a batch and an erased payload, and an active one.
fn written() -> MemoryDisk {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), LogOptions { reserve_len: 0, ..small() }).unwrap();
    append(&log, &["The meeting is on Tuesday."]).unwrap();
    append(&log, &["It moved to Friday.", "Room 4."]).unwrap();
    append(&log, &["a secret"]).unwrap();
    log.writer().unwrap().erase(1, &[Seq(4)]).unwrap();
    append_with(&log, &["after the erasure"], Durability::Immediate).unwrap();
    log.close().unwrap();
    disk
}

#[test]
fn the_golden_ledger_is_written_again_byte_for_byte() {
    let disk = written();
    for name in FILES {
        let expected = std::fs::read(golden("v1-dense", name)).unwrap();
        let found = disk.bytes(name).unwrap();
        let differs = expected.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!((differs, expected.len()), (None, found.len()), "{name}");
    }
}

#[test]
fn the_golden_ledger_is_read() {
    FOLDERS.into_iter().for_each(is_read);
}

fn is_read(folder: &str) {
    let disk = MemoryDisk::new();
    for name in FILES {
        disk.set_bytes(name, std::fs::read(golden(folder, name)).unwrap());
    }
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
    let log = Log::open(env(&disk), small()).unwrap();
    let texts: Vec<_> = all(&log)
        .unwrap()
        .iter()
        .map(|record| (record.kind, record.body().map(<[u8]>::to_vec)))
        .map(|(kind, body)| (kind, body.map(|body| String::from_utf8_lossy(&body).into_owned())))
        .filter(|(kind, _)| *kind >= 64)
        .map(|(_, body)| body)
        .collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        texts,
        [
            text("The meeting is on Tuesday."),
            text("It moved to Friday."),
            text("Room 4."),
            None,
            text("after the erasure"),
        ]
    );
}

/// The lines of the worked example: an offset, bytes in hex, two spaces, a meaning.
fn worked_example() -> Vec<u8> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```hex\n").nth(1).unwrap().split("```").next().unwrap();
    let mut bytes = Vec::new();
    for line in block.lines() {
        let (offset, rest) = line.split_once("  ").unwrap();
        assert_eq!(usize::from_str_radix(offset, 16).unwrap(), bytes.len(), "{line}");
        let hex = rest.split("  ").next().unwrap();
        bytes.extend(hex.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    bytes
}

#[test]
fn the_worked_example_of_the_format_page_is_what_is_written() {
    let example = worked_example();
    assert_eq!(example.len(), 128 + 120);
    let disk = written();
    assert_eq!(example, disk.bytes(FILES[0]).unwrap()[..example.len()]);
}
