//! Any bytes as the two slots of a mark: the ledger opens, or says why not, exactly as a
//! second reading of the slots foretells.
//!
//! The first byte says what is made right in each slot: the checksum (1, 2), the ledger
//! (4, 8), the chain (16, 32); and whether the segment's last record is damaged (64). 128
//! bytes for each slot follow; a slot that isn't all there is zeros.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use memlith_fuzz::crc_of;
use memlith_log::{
    Durability, Env, Error, FixedClock, Flags, Log, LogOptions, MemoryDisk, NewRecord, Record,
    SeededRng, Seq, Timestamp, rewritten_mark,
};

const SEGMENT: &str = "seg-0000000000";
const SLOT_LEN: usize = 128;
const SLOT_OFFSETS: [usize; 2] = [0, 4_096];

/// A ledger of single records and one batch of two, all of them synced.
static LEDGER: LazyLock<Ledger> = LazyLock::new(Ledger::write);

struct Ledger {
    segment: Vec<u8>,
    id: [u8; 16],
    records: Vec<Record>,
}

/// Content of a slot, as `docs/format.md` has it.
struct Slot {
    ledger: [u8; 16],
    seq: u64,
    epoch: u64,
    chain: [u8; 32],
}

fuzz_target!(|input: &[u8]| {
    let Some((mode, bytes)) = input.split_first() else { return };
    let mut mark = vec![0; 8_192];
    for (index, (slot, at)) in bytes.chunks_exact(SLOT_LEN).zip(SLOT_OFFSETS).enumerate() {
        let mut slot = slot.to_vec();
        make_right(&mut slot, mode >> index);
        mark[at..at + SLOT_LEN].copy_from_slice(&slot);
    }
    let damaged = mode & 64 != 0;
    let mut segment = LEDGER.segment.clone();
    let mut records = LEDGER.records.as_slice();
    if damaged {
        let last = records.last().unwrap();
        let at = find(&segment, &last.chain.0) - 24;
        segment[at + 4] ^= 1;
        records = &records[..records.len() - 1];
    }
    let disk = MemoryDisk::new();
    disk.set_bytes(SEGMENT, segment);
    disk.set_bytes("mark", mark.clone());
    let read = read(&disk);
    let slots = SLOT_OFFSETS.map(|at| &mark[at..at + SLOT_LEN]);
    let said: Vec<Slot> = slots.iter().filter_map(|slot| Slot::of(slot)).collect();
    for (slot, is_valid) in slots.iter().map(|slot| (slot, Slot::of(slot).is_some())) {
        let written = rewritten_mark(slot);
        assert_eq!(written.is_some(), is_valid, "{slot:?}");
        assert!(written.is_none_or(|written| written == **slot), "{slot:?}");
    }
    let expected = expected(&said, records, damaged);
    match (&read, expected) {
        (Ok(read), Expected::Opens) => assert_eq!(read, records, "less than there is"),
        (Err(Error::Corrupt { .. }), Expected::Corrupt) => {}
        (Err(Error::TailLost { .. }), Expected::TailLost) => {}
        (Err(Error::HeadMismatch { .. }), Expected::HeadMismatch) => {}
        (read, expected) => panic!("{expected:?}, not {:?}", read.as_ref().map(Vec::len)),
    }
    // Writing costs a sync more than reading: a few inputs are enough.
    if read.is_ok() && bytes.first().is_some_and(|byte| byte % 8 == 0) {
        check_writer(&disk, records);
    }
});

#[derive(Debug)]
enum Expected {
    Opens,
    Corrupt,
    TailLost,
    HeadMismatch,
}

/// Returns the expected outcome for a ledger with these records, of which one more was there
/// before the damage.
fn expected(said: &[Slot], records: &[Record], damaged: bool) -> Expected {
    if said.iter().any(|slot| slot.ledger != LEDGER.id) {
        return Expected::Corrupt;
    }
    let mut best: Option<&Slot> = None;
    for slot in said {
        if best.is_none_or(|best| slot.epoch > best.epoch) {
            best = Some(slot);
        }
    }
    let Some(best) = best else { return Expected::Opens };
    match records.get(usize::try_from(best.seq).unwrap_or(usize::MAX)) {
        Some(record) if record.chain.0 == best.chain => Expected::Opens,
        Some(_) => Expected::HeadMismatch,
        None if damaged => Expected::Corrupt,
        None => Expected::TailLost,
    }
}

impl Slot {
    fn of(bytes: &[u8]) -> Option<Slot> {
        let sound = bytes[4..8] == crc_of(0, &[&bytes[..4], &bytes[8..]]);
        let padded = bytes[88] < 2 && bytes[89..].iter().all(|byte| *byte == 0);
        (bytes.starts_with(b"MLK1") && sound && padded).then(|| Slot {
            ledger: bytes[8..24].try_into().unwrap(),
            seq: u64::from_le_bytes(bytes[24..32].try_into().unwrap()),
            epoch: u64::from_le_bytes(bytes[32..40].try_into().unwrap()),
            chain: bytes[40..72].try_into().unwrap(),
        })
    }
}

/// A writer keeps all that is there and leaves a mark that the next one believes.
fn check_writer(disk: &MemoryDisk, records: &[Record]) {
    let appended = {
        let log = Log::open(env(disk), options()).unwrap();
        let mut writer = log.writer().unwrap();
        let body = b"more".as_slice();
        let record = NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body };
        writer.append(&[record], Durability::Immediate).unwrap()[0].id
    };
    let after = read(disk).unwrap();
    assert_eq!(after[..records.len()], *records, "a record is gone");
    assert_eq!(after[records.len()..].iter().map(Record::id).collect::<Vec<_>>(), [appended]);
}

fn read(disk: &MemoryDisk) -> Result<Vec<Record>, Error> {
    let log = Log::open(env(disk), LogOptions { read_only: true, ..options() })?;
    log.scan(Seq::GENESIS, log.head().seq).collect()
}

impl Ledger {
    fn write() -> Ledger {
        let disk = MemoryDisk::new();
        let log = Log::create(env(&disk), options()).unwrap();
        let record =
            |body| NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body };
        for bodies in [&[b"one".as_slice()][..], &[b"two", b"three"], &[b"four"]] {
            let batch: Vec<NewRecord<'_>> = bodies.iter().map(|body| record(body)).collect();
            log.writer().unwrap().append(&batch, Durability::Immediate).unwrap();
        }
        let id = log.ledger_id().0;
        drop(log);
        let mut segment = disk.bytes(SEGMENT).unwrap();
        // The zeros behind the records say nothing, and a short file is read alike.
        let records = read(&disk).unwrap();
        let end = find(&segment, &records.last().unwrap().chain.0) + 64 + 32;
        segment.truncate(end.next_multiple_of(8).max(1_024));
        Ledger { segment, id, records }
    }
}

fn find(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).position(|window| window == part).unwrap()
}

fn make_right(slot: &mut [u8], mode: u8) {
    if mode & 4 != 0 {
        slot[8..24].copy_from_slice(&LEDGER.id);
    }
    if mode & 16 != 0 {
        let seq = u64::from_le_bytes(slot[24..32].try_into().unwrap());
        let record = usize::try_from(seq).ok().and_then(|seq| LEDGER.records.get(seq));
        if let Some(record) = record {
            slot[40..72].copy_from_slice(&record.chain.0);
        }
    }
    if mode & 1 != 0 {
        let crc = crc_of(0, &[&slot[..4], &slot[8..]]);
        slot[4..8].copy_from_slice(&crc);
    }
}

fn env(disk: &MemoryDisk) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_640_400_000_000))),
        rng: Arc::new(SeededRng::new(1)),
    }
}

fn options() -> LogOptions {
    LogOptions {
        segment_lens: [4 << 10; 4],
        reserve_len: 0,
        lock_timeout: Duration::ZERO,
        ..LogOptions::default()
    }
}
