//! Tests of the bytes read and written where nothing, or little, is to be done.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memlith_log::{
    Durability, Env, Error, Fault, FaultKind, Log, LogOptions, MemoryDisk, Position, Resume, Seq,
};
use memlith_testkit::Touch;

use crate::ledger::{append, append_with, bodies, env, small, watched};

const CAPACITY: usize = 1 << 20;

/// One segment that takes long to scan.
fn large() -> LogOptions {
    LogOptions { segment_lens: [1 << 20; 4], reserve_len: 0, ..LogOptions::default() }
}

/// Readings and bytes that were counted.
#[derive(Default)]
struct Meter {
    readings: AtomicUsize,
    bytes: AtomicUsize,
}

impl Meter {
    /// A process on `disk` whose readings are counted.
    fn on(disk: &MemoryDisk) -> (Env, Arc<Meter>) {
        let meter = Arc::new(Meter::default());
        let counting = meter.clone();
        let watch = move |reading: Touch| {
            counting.readings.fetch_add(1, Ordering::Relaxed);
            if let Touch::Read(len) = reading {
                counting.bytes.fetch_add(len, Ordering::Relaxed);
            }
            Ok(())
        };
        (watched(disk, watch), meter)
    }

    /// The readings and the bytes since this was last asked.
    fn take(&self) -> (usize, usize) {
        let take = |number: &AtomicUsize| number.swap(0, Ordering::Relaxed);
        (take(&self.readings), take(&self.bytes))
    }
}

/// A closed ledger of many records, and where its last record lies.
fn closed() -> (MemoryDisk, Position) {
    closed_of(0..400, 1)
}

/// One that fills most of a segment.
fn long() -> (MemoryDisk, Position) {
    closed_of(0..500, 1_000)
}

fn closed_of(records: std::ops::Range<u32>, len: usize) -> (MemoryDisk, Position) {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), large()).unwrap();
    for n in records {
        append_with(&log, &[&format!("{n:0len$}")], Durability::Buffered).unwrap();
    }
    log.writer().unwrap().sync().unwrap();
    let position = log.position(log.head().seq).unwrap();
    log.close().unwrap();
    filled_up(&disk);
    (disk, position)
}

/// With as many zeros behind the end of the only segment as it may have.
fn filled_up(disk: &MemoryDisk) {
    let name = "seg-0000000000";
    let mut bytes = disk.bytes(name).unwrap();
    bytes.resize(CAPACITY, 0);
    disk.set_bytes(name, bytes);
}

#[test]
fn only_a_clean_mark_of_this_boot_saves_the_scan_behind_the_end() {
    let (disk, position) = closed();
    let resume = LogOptions { resume: Some(position.into()), ..large() };
    let read = |disk: &MemoryDisk, changed: &dyn Fn(&MemoryDisk)| {
        let disk = disk.after_kill();
        changed(&disk);
        let (env, meter) = Meter::on(&disk);
        Log::open(env, LogOptions { read_only: true, ..resume.clone() }).unwrap();
        meter.take().1
    };
    let unclean = |disk: &MemoryDisk| {
        let log = Log::open(env(disk), resume.clone()).unwrap();
        append_with(&log, &["not synced"], Durability::Buffered).unwrap();
        // The process dies.
        std::mem::forget(log);
    };
    assert!(read(&disk, &|_| {}) < 128 << 10);
    assert!(read(&disk.after_power_cut(), &|_| {}) > CAPACITY / 2);
    assert!(read(&disk, &|disk| disk.delete("mark")) > CAPACITY / 2);
    assert!(read(&disk, &unclean) > CAPACITY / 2);
    // The first writer of a boot renews the mark, whatever it then appends.
    let cut = disk.after_power_cut();
    drop(Log::open(env(&cut), resume.clone()).unwrap().writer().unwrap());
    assert!(read(&cut, &|_| {}) < 128 << 10);
}

#[test]
fn the_look_for_an_unfinished_erasure_goes_back_to_the_last_event() {
    let (disk, position) = closed();
    let (env, meter) = Meter::on(&disk);
    let log = Log::open(env, LogOptions { resume: Some(position.into()), ..large() }).unwrap();
    let (readings, _) = meter.take();
    assert!(readings < 40, "{readings} of a log of 400 records");
    drop(log.writer().unwrap());
    let (readings, _) = meter.take();
    assert!(readings < 40, "{readings} of a log of 400 records");
}

#[test]
fn a_catch_up_costs_the_same_however_many_segments_there_are() {
    let mut costs = Vec::new();
    for segments in [1, 9] {
        let disk = MemoryDisk::new();
        let (env, meter) = Meter::on(&disk);
        let log = Log::create(env, small()).unwrap();
        while !disk.names().contains(&format!("seg-{:010}", segments - 1)) {
            append(&log, &[&"s".repeat(900)]).unwrap();
        }
        drop(log.writer().unwrap());
        meter.take();
        log.refresh().unwrap();
        let (refreshed, _) = meter.take();
        drop(log.writer().unwrap());
        costs.push((refreshed, meter.take().0));
    }
    assert_eq!(costs[0], costs[1]);
}

#[test]
fn a_writer_does_not_look_again_behind_what_it_left_unsynced() {
    let disk = MemoryDisk::new();
    let (env, meter) = Meter::on(&disk);
    let log = Log::create(env, large()).unwrap();
    append_with(&log, &["one"], Durability::Buffered).unwrap();
    filled_up(&disk);
    meter.take();
    disk.set_fault(None);
    drop(log.writer().unwrap());
    let (_, bytes) = meter.take();
    assert!(bytes < 128 << 10, "{bytes}");
    assert_eq!(disk.operations(), 1, "its own bytes are not written again");
    // Another process was here: it may have failed to sync them.
    let other = Log::open(crate::ledger::env(&disk), large()).unwrap();
    append_with(&other, &["two"], Durability::Buffered).unwrap();
    drop(log.writer().unwrap());
    let (_, bytes) = meter.take();
    assert!(bytes > CAPACITY / 2, "{bytes}");
}

#[test]
fn a_tail_of_another_process_is_written_again_in_large_pieces() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), large()).unwrap();
    let text = "t".repeat(2_000);
    for _ in 0..300 {
        append_with(&log, &[&text], Durability::Buffered).unwrap();
    }
    let disk = disk.after_kill();
    let log = Log::open(env(&disk), large()).unwrap();
    disk.set_fault(None);
    drop(log.writer().unwrap());
    // Three pieces, two marks, two syncs, the folder and the holder's name.
    assert!(disk.operations() < 12, "{}", disk.operations());
    let cut = disk.after_power_cut();
    assert_eq!(bodies(&Log::open(env(&cut), large()).unwrap()).unwrap().len(), 300);
}

#[test]
fn the_next_segment_is_prepared_once_three_quarters_of_one_are_used() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    let is_prepared = |disk: &MemoryDisk| disk.names().iter().any(|name| name == "next.tmp");
    let mut used = 128 + 120;
    while used <= 3_072 {
        assert!(!is_prepared(&disk), "{used}");
        append(&log, &[&"p".repeat(500)]).unwrap();
        used += 88 + 520;
    }
    assert!(is_prepared(&disk), "{used}");
    assert_eq!(disk.bytes("next.tmp").unwrap(), [0; 4_096]);
}

#[test]
fn a_segment_that_cannot_be_prepared_is_tried_again_with_the_rotation_only() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), LogOptions { reserve_len: 0, ..small() }).unwrap();
    append(&log, &[&"p".repeat(1_000), &"p".repeat(1_000)]).unwrap();
    disk.set_space(Some(disk.used()));
    let mut operations = Vec::new();
    for _ in 0..3 {
        disk.set_fault(None);
        append(&log, &[&"p".repeat(300)]).unwrap();
        operations.push(disk.operations());
    }
    assert_eq!(operations[2], 5, "{operations:?}");
    let refused = append(&log, &[&"p".repeat(3_000)]).unwrap_err();
    assert!(matches!(refused, Error::NoSpace { .. }), "{refused}");
    assert!(disk.bytes("next.tmp").is_none(), "what was begun would keep the disk full");
    disk.set_space(None);
    append(&log, &[&"p".repeat(3_000)]).unwrap();
}

#[test]
fn only_a_full_disk_is_called_full() {
    for kind in [io::ErrorKind::Other, io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
        let disk = MemoryDisk::new();
        let log = Log::create(env(&disk), LogOptions { reserve_len: 0, ..small() }).unwrap();
        append(&log, &[&"p".repeat(1_000)]).unwrap();
        // The holder's name, then the creation of the file.
        disk.set_fault(Some(Fault { at: 2, kind: FaultKind::Fail(kind) }));
        let refused = append(&log, &[&"p".repeat(3_000)]).unwrap_err();
        let called_full = matches!(refused, Error::NoSpace { .. });
        assert_eq!(called_full, kind != io::ErrorKind::Other, "{kind}: {refused}");
        append(&log, &[&"p".repeat(3_000)]).unwrap();
        assert_eq!(log.head().seq, Seq(2));
    }
}

#[test]
fn hints_that_are_wrong_cost_a_walk_and_change_no_answer() {
    let (disk, _) = long();
    let log = Log::open(env(&disk), large()).unwrap();
    let payloads = |log: &Log| -> Vec<_> {
        (0..=log.head().seq.0).map(|seq| log.read(Seq(seq)).unwrap().payload).collect()
    };
    let expected = payloads(&log);
    let sound = log.resume(log.head().seq).unwrap();
    assert!(sound.before.len() > 1, "the ledger is too short for hints");
    drop(log);
    type Change = fn(&mut (Seq, u64));
    let changes: [Change; 5] = [
        |(seq, _)| seq.0 += 1,
        |(_, offset)| *offset += 8,
        |(_, offset)| *offset += 1,
        |(_, offset)| *offset = 0,
        |(_, offset)| *offset = u64::MAX - 7,
    ];
    for (at, change) in (0..sound.before.len()).flat_map(|at| changes.map(|change| (at, change))) {
        let mut resume = sound.clone();
        change(&mut resume.before[at]);
        let options = LogOptions { resume: Some(resume), ..large() };
        let log = Log::open(env(&disk.after_kill()), options.clone()).unwrap();
        assert_eq!(payloads(&log), expected, "hint {at}");
        let log = Log::open(env(&disk.after_kill()), options).unwrap();
        for seq in (0..=log.head().seq.0).rev().step_by(7) {
            assert_eq!(log.position(Seq(seq)).unwrap().seq, Seq(seq));
        }
    }
}

#[test]
fn a_lookup_before_the_resumed_place_reads_little() {
    let (disk, position) = long();
    let log = Log::open(env(&disk), large()).unwrap();
    let resume = log.resume(position.seq).unwrap();
    drop(log);
    let read = |resume: Resume| {
        let (env, meter) = Meter::on(&disk);
        let log = Log::open(env, LogOptions { resume: Some(resume), ..large() }).unwrap();
        meter.take();
        log.read(position.seq.previous().unwrap()).unwrap();
        meter.take().1
    };
    let (with, without) = (read(resume), read(position.into()));
    assert!(with < 2 * (64 << 10) && 3 * with < without, "{with} and {without} bytes");
}
