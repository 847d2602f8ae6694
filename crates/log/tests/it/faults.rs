//! One reading, write or sync goes wrong, and nothing that was acknowledged suffers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memlith_log::{
    Durability, Env, Error, FixedClock, Level, Log, LogOptions, MemoryDisk, SeededRng, Seq, verify,
};
use memlith_testkit::Touch;
use memlith_testkit::sim::{
    At, Chance, Cut, FailedSync, Fault, FaultKind, OperationKind, Progress, SimDisk,
};

use crate::ledger::{NOW, append, append_with, bodies, small, watched};

fn env(disk: &SimDisk) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(NOW)),
        rng: Arc::new(SeededRng::new(7)),
    }
}

fn open(disk: &SimDisk) -> Result<Log, Error> {
    Log::open(env(disk), LogOptions { reserve_len: 0, ..small() })
}

fn create(disk: &SimDisk) -> Log {
    Log::create(env(disk), LogOptions { reserve_len: 0, ..small() }).expect("a new ledger")
}

/// Does `work` on a copy of `disk` with every reading of it failing once, by a
/// flipped bit and by an error, until a copy is done with fewer readings.
fn with_every_reading_wrong(disk: &SimDisk, mut work: impl FnMut(&SimDisk, &str)) {
    for kind in [FaultKind::Flip, FaultKind::Fail(io::ErrorKind::Other)] {
        // Three bits, for there is more than one field to a reading.
        for (read, seed) in (0..).flat_map(|read| (0..3).map(move |seed| (read, seed))) {
            let copy = disk.moment().killed(Progress::Before, &mut Chance::new(0)).seeded(seed);
            copy.plan(Fault { at: At::Read(read), kind });
            work(&copy, &format!("{kind:?} at reading {read}, seed {seed}"));
            if copy.reads() < read {
                break;
            }
        }
    }
}

#[test]
fn a_bit_that_flips_while_a_tail_is_taken_over_is_not_written_back() {
    // A writer read a dead process's tail to write it again, and wrote the flipped
    // bit; or took a flipped frame for the end, and cut off what was sound.
    let disk = SimDisk::new();
    let log = create(&disk);
    append(&log, &["synced"]).unwrap();
    for text in ["one", "two", "three"] {
        append_with(&log, &[text, &text.repeat(200)], Durability::Buffered).unwrap();
    }
    let written = bodies(&log).unwrap();
    with_every_reading_wrong(&disk, |copy, what| {
        let taken = open(copy).and_then(|log| append(&log, &["next", &"next".repeat(500)]));
        copy.mend();
        let log = open(copy).expect(what);
        drop(log.writer().expect(what));
        let found = bodies(&log).expect(what);
        assert!(found.starts_with(&written), "{what}");
        assert!(taken.is_err() || found.len() == written.len() + 2, "{what}");
        log.close().expect(what);
        assert_eq!(verify(&env(copy), Level::Full).expect(what).findings, [], "{what}");
    });
}

#[test]
fn an_erasure_whose_target_cannot_be_read_is_not_passed_over() {
    // A reading failed while an erasure looked at its targets; it took them for
    // others than it had named, returned as if it had erased them, and no later
    // writer came back to it. A flipped bit was also copied into the new segment.
    let disk = SimDisk::new();
    let log = create(&disk);
    for text in ["one", "two", "three"] {
        append(&log, &[text]).unwrap();
    }
    log.close().unwrap();
    with_every_reading_wrong(&disk, |copy, what| {
        let erased = open(copy).and_then(|log| log.writer()?.erase(1, &[Seq(2)]));
        copy.mend();
        let log = open(copy).expect(what);
        drop(log.writer().expect(what));
        let found = bodies(&log).expect(what);
        let done = found == ["one", "-", "three"];
        assert!(done || erased.is_err() && found == ["one", "two", "three"], "{what}: {found:?}");
        log.close().expect(what);
        assert_eq!(verify(&env(copy), Level::Full).expect(what).findings, [], "{what}");
    });
}

#[test]
fn a_writer_does_not_count_on_its_own_bytes_after_another_process_failed_to_sync_them() {
    // The second process wrote the first one's tail again and could not sync it: the
    // system gave the bytes up. The first one's next sync succeeded without them.
    let disk = SimDisk::new();
    let first = create(&disk);
    // Longer than a sector, which the next sync would bring along.
    let mine = "mine".repeat(400);
    append_with(&first, &[&mine], Durability::Buffered).unwrap();
    let second = open(&disk).unwrap();
    let kind = FaultKind::Fail(io::ErrorKind::Other);
    disk.plan(Fault { at: At::Next(OperationKind::Sync, 0), kind });
    append(&second, &["never written"]).unwrap_err();
    append(&first, &["next"]).unwrap();
    for seed in 0..8 {
        let cut = disk.moment().cut(Cut::Nothing, &mut Chance::new(seed));
        assert_eq!(bodies(&open(&cut).unwrap()).unwrap(), [&mine, "next"]);
    }
}

#[test]
fn a_mark_that_a_close_made_durable_survives_one_power_cut_after_another() {
    // The next writer went on in the slot that it had read, the only one with the
    // mark of the close in it; a second cut in that write left no mark at all, and
    // nobody would have known how far the log had been synced.
    let disk = SimDisk::new();
    let log = create(&disk);
    append(&log, &["one", "two"]).unwrap();
    let last = log.head().seq;
    log.close().unwrap();
    for first in [Cut::Nothing, Cut::Garbage, Cut::Torn] {
        for seed in 0..64 {
            let cut = disk.moment().cut(first, &mut Chance::new(seed));
            let log = open(&cut).unwrap();
            append_with(&log, &["three"], Durability::Buffered).unwrap();
            let again = cut.moment().cut(Cut::Garbage, &mut Chance::of(&[seed, 1]));
            let floor = open(&again).unwrap().synced();
            assert!(floor >= Some(last), "{first:?}, seed {seed}: {floor:?}");
        }
    }
}

#[test]
fn no_reading_that_fails_is_taken_for_an_absence() {
    // Openings, lists, lengths, places and bytes alike: of each the error is told.
    let disk = MemoryDisk::new();
    let log = Log::create(crate::ledger::env(&disk), small()).unwrap();
    for _ in 0..5 {
        append(&log, &[&"r".repeat(1_200)]).unwrap();
    }
    log.close().unwrap();
    disk.set_bytes("next.tmp", vec![0; 4 << 10]);
    for at in 0.. {
        let env = || {
            let count = AtomicU64::new(0);
            let watch = move |_: Touch| match count.fetch_add(1, Ordering::Relaxed) == at {
                true => Err(io::Error::other("the disk is gone")),
                false => Ok(()),
            };
            watched(&disk, watch)
        };
        let opened = Log::open(env(), LogOptions { read_only: true, ..small() });
        let verified = verify(&env(), Level::Full);
        assert!(!matches!(opened, Err(Error::NoLedger { .. })), "{at}");
        assert!(!matches!(verified, Err(Error::NoLedger { .. })), "{at}");
        if opened.is_ok() {
            assert!(at > 10, "{at}");
        }
        match verified {
            Ok(report) if report.is_ok() => {
                assert!(opened.is_ok() && at > 20, "{at}");
                break;
            }
            Ok(_) | Err(_) => {}
        }
    }
}

#[test]
fn a_record_that_was_taken_back_is_not_built_upon() {
    // A sync that failed took back what another process had written and not synced, and a
    // third one wrote in its place. The first took the rest of that for a tail, and zeroed
    // it: a sound ledger was corrupt from then on.
    for theirs in [None, Some(3), Some(40), Some(600)] {
        let disk = SimDisk::new().failing(FailedSync::Revert);
        let first = create(&disk);
        append(&first, &["kept"]).unwrap();
        append_with(&first, &[&"m".repeat(40)], Durability::Buffered).unwrap();
        let reader = open(&disk).unwrap();
        let second = open(&disk).unwrap();
        let kind = FaultKind::Fail(io::ErrorKind::Other);
        disk.plan(Fault { at: At::Next(OperationKind::Sync, 0), kind });
        append(&second, &["lost"]).unwrap_err();
        disk.mend_next();
        let mut expected = vec!["kept".to_owned()];
        if let Some(len) = theirs {
            expected.push("t".repeat(len));
            let third = open(&disk).unwrap();
            append_with(&third, &[&"t".repeat(len)], Durability::Buffered).unwrap();
        }
        for told in [append(&first, &["next"]).map(drop), reader.refresh().map(drop)] {
            assert!(matches!(told, Err(Error::TakenBack { seq: Seq(2) })), "{theirs:?}: {told:?}");
        }
        let after = open(&disk).unwrap();
        append(&after, &["next"]).unwrap();
        expected.push("next".to_owned());
        assert_eq!(bodies(&after).unwrap(), expected);
        after.close().unwrap();
        let report = verify(&env(&disk), Level::Full).unwrap();
        assert_eq!(report.findings, [], "{theirs:?}");
    }
}
