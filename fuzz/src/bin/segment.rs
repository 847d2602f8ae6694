//! Any bytes as the only segment of a ledger: what is read back is what lies there.
//!
//! A checksum lets one mutated frame in 2^32 through and a hash none, so the first byte
//! says how much of that is made right before the file is read.
#![no_main]

use std::collections::BTreeSet;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use memlith_fuzz::crc_of;
use memlith_log::{
    Digest, Durability, Env, FRAME_HEAD_LEN, FixedClock, Flags, Level, Log, LogEvent, LogOptions,
    MemoryDisk, NewRecord, Payload, Record, SEGMENT_HEADER_LEN, SeededRng, Seq, Timestamp,
    frame_len, link, payload_digest, record_hash, rewritten_footer, rewritten_header, verify,
};

const SEGMENT: &str = "seg-0000000000";

const HEADER_LEN: usize = SEGMENT_HEADER_LEN as usize;

const HEAD_LEN: usize = FRAME_HEAD_LEN as usize;

fuzz_target!(|input: &[u8]| {
    let Some((mode, file)) = input.split_first() else { return };
    let mut file = file.to_vec();
    if mode & 1 != 0 {
        make_right(&mut file, mode & 2 != 0);
    }
    check_ends(&file);
    let disk = MemoryDisk::new();
    disk.set_bytes(SEGMENT, file.clone());
    // No capacity that a header claims is given.
    disk.set_space(Some(1 << 20));
    let report = verify(&env(&disk), Level::Full).unwrap();
    let read = read(&disk);
    assert_eq!(disk.bytes(SEGMENT).as_ref(), Some(&file), "a reader changed the file");
    let mut offset = HEADER_LEN;
    let records = read.as_deref().unwrap_or_default();
    let named = named(&file, records);
    for record in records {
        check_portable(&file, offset, record, &named);
        offset += frame_len(record.payload_len) as usize;
    }
    // There is no mark, which is one finding.
    if report.findings.iter().all(|finding| finding.file == "mark") {
        let count = read.as_ref().map(Vec::len);
        assert_eq!(count, Some(report.records as usize), "verified, and read otherwise");
    }
    check_writer(&disk, read.as_deref());
});

/// A header and a footer that are accepted are written the same again.
fn check_ends(file: &[u8]) {
    if let Some(written) = rewritten_header(file) {
        assert_eq!(written, file[..HEADER_LEN], "the header");
        let salt = u32::from_le_bytes(file[60..64].try_into().unwrap());
        let footers = file.windows(4).enumerate().filter(|(_, four)| four == b"MLE1");
        for footer in footers.map(|(at, _)| &file[at..]) {
            if let Some(written) = rewritten_footer(footer, salt) {
                assert_eq!(written, footer, "the footer");
            }
        }
    }
}

/// Every record, where the ledger opens and all of them can be read.
fn read(disk: &MemoryDisk) -> Option<Vec<Record>> {
    let options = LogOptions { read_only: true, ..LogOptions::default() };
    let log = Log::open(env(disk), options).ok()?;
    log.scan(Seq::GENESIS, log.head().seq).collect::<Result<_, _>>().ok()
}

/// Returns the records that the erasures among these name; read from the file, for an erasure
/// may name itself.
fn named(file: &[u8], records: &[Record]) -> BTreeSet<Seq> {
    let mut named = BTreeSet::new();
    let mut offset = HEADER_LEN;
    for record in records {
        let slot = &file[offset + HEAD_LEN..];
        let body = slot.get(16..16 + record.payload_len as usize);
        if file[offset + 16] == 0
            && let Some((LogEvent::Erasure { targets, .. }, _)) =
                body.and_then(|body| LogEvent::decode(record.kind, body))
        {
            named.extend(targets.into_iter().map(|(seq, _)| seq));
        }
        offset += frame_len(record.payload_len) as usize;
    }
    named
}

/// The record's 64 portable bytes and its slot, written anew, are those of the file.
///
/// Only of what is `named` by an erasure that nobody has finished less is shown than is
/// there: the digest.
fn check_portable(file: &[u8], offset: usize, record: &Record, named: &BTreeSet<Seq>) {
    let slot_len = frame_len(record.payload_len) as usize - HEAD_LEN;
    let (head, slot) = file[offset..offset + HEAD_LEN + slot_len].split_at(HEAD_LEN);
    let written = [&record.chain.0[..], &record.header().encode()].concat();
    assert_eq!(head[24..], written, "{record:?}");
    let mut written = match &record.payload {
        Payload::Erased { payload_digest } if head[16] == 0 => {
            assert!(named.contains(&record.seq), "nobody erased it: {record:?}");
            assert_eq!(slot_digest(head, slot), Some(*payload_digest), "{record:?}");
            return;
        }
        Payload::Present { blind, body } => [blind, body.as_slice()].concat(),
        Payload::Erased { payload_digest } => payload_digest.0.to_vec(),
        Payload::Destroyed => Vec::new(),
    };
    written.resize(slot_len, 0);
    assert_eq!(slot, written, "{record:?}");
}

/// A writer keeps what a reader sees, and what it leaves can be read.
fn check_writer(disk: &MemoryDisk, before: Option<&[Record]>) {
    let options = LogOptions {
        segment_lens: [4 << 10; 4],
        reserve_len: 0,
        lock_timeout: std::time::Duration::ZERO,
        ..LogOptions::default()
    };
    let Ok(log) = Log::open(env(disk), options) else { return };
    let record =
        NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body: b"more" };
    let Ok(Ok(appended)) =
        log.writer().map(|mut writer| writer.append(&[record], Durability::Immediate))
    else {
        return;
    };
    let (Some(before), Some(after)) = (before, read(disk)) else {
        assert!(before.is_none(), "what was written can't be read");
        return;
    };
    // An unfinished erasure is finished by the writer: payloads may go, records may not.
    let hashes = |records: &[Record]| records.iter().map(Record::id).collect::<Vec<_>>();
    assert_eq!(hashes(&after)[..before.len()], hashes(before), "a record is gone");
    assert!(after.iter().any(|record| record.id() == appended[0].id));
}

fn env(disk: &MemoryDisk) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_640_400_000_000))),
        rng: Arc::new(SeededRng::new(1)),
    }
}

/// Makes the checksums of the header and of every frame right, and the chain if asked.
fn make_right(file: &mut [u8], links: bool) {
    let Some((header, mut frames)) = file.split_at_mut_checked(HEADER_LEN) else { return };
    let crc = crc_of(0, &[&header[..4], &header[8..]]);
    header[4..8].copy_from_slice(&crc);
    let salt = u32::from_le_bytes(header[60..64].try_into().unwrap());
    let mut chain = Digest(header[64..96].try_into().unwrap());
    while frames.len() >= HEAD_LEN {
        if frames.starts_with(b"MLE1") {
            let crc = crc_of(salt, &[&frames[..4], &frames[8..]]);
            frames[4..8].copy_from_slice(&crc);
        }
        if !frames.starts_with(b"MLF1") {
            return;
        }
        let frame_len = u32::from_le_bytes(frames[8..12].try_into().unwrap()) as usize;
        if frame_len < HEAD_LEN + 32 || frame_len > frames.len() {
            return;
        }
        let (frame, rest) = frames.split_at_mut(frame_len);
        frames = rest;
        let (head, slot) = frame.split_at_mut(HEAD_LEN);
        if let (true, Some(digest)) = (links, slot_digest(head, slot)) {
            let hash = record_hash(head[56..88].try_into().unwrap(), &digest);
            chain = link(&chain, &hash);
            head[24..56].copy_from_slice(&chain.0);
        }
        let crc = crc_of(salt, &[slot]);
        head[20..24].copy_from_slice(&crc);
        let crc = crc_of(salt, &[&head[..4], &head[8..]]);
        head[4..8].copy_from_slice(&crc);
    }
}

fn slot_digest(head: &[u8], slot: &[u8]) -> Option<Digest> {
    let payload_len = u32::from_le_bytes(head[72..76].try_into().unwrap()) as usize;
    match head[16] {
        0 => Some(payload_digest(slot.first_chunk()?, slot.get(16..payload_len.checked_add(16)?)?)),
        1 => Some(Digest(*slot.first_chunk()?)),
        _ => None,
    }
}
