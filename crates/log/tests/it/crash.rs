//! A process is stopped at every operation on its disk, and the next one must
//! find all that was acknowledged, nothing that was not attempted, and go on.

use std::io;

use memlith_log::{
    Durability, Error, Fault, FaultKind, Level, Log, LogOptions, MemoryDisk, Seq, verify,
};

use crate::ledger::{append, append_with, bodies, env, small};

/// Knowledge of an outside observer after a script ended or died.
#[derive(Default, Debug)]
struct Told {
    created: bool,
    attempted: Vec<String>,
    /// Bodies whose append returned, synced or not.
    written: usize,
    synced: usize,
    /// Whether the erasure of record 2 was begun, and whether it returned.
    erasing: bool,
    erased: bool,
}

fn options() -> LogOptions {
    LogOptions { segment_lens: [4 << 10; 4], reserve_len: 4 << 10, ..small() }
}

/// Creates a ledger, appends in all durabilities over several segments, erases, closes.
fn script(disk: &MemoryDisk, told: &mut Told) -> Result<(), Error> {
    let log = Log::create(env(disk), options())?;
    told.created = true;
    for n in 0..14 {
        let durability = if n % 5 == 3 { Durability::Buffered } else { Durability::Immediate };
        let texts: Vec<_> =
            (0..1 + n % 3).map(|m| format!("{n}.{m} {}", "b".repeat(n * 37))).collect();
        let batch: Vec<_> = texts.iter().map(String::as_str).collect();
        told.attempted.extend(texts.iter().cloned());
        append_with(&log, &batch, durability)?;
        told.written = told.attempted.len();
        if durability == Durability::Immediate {
            told.synced = told.written;
        }
        if n == 10 {
            told.erasing = true;
            log.writer()?.erase(1, &[Seq(2)])?;
            (told.erased, told.synced) = (true, told.written);
        }
    }
    log.close()?;
    told.synced = told.written;
    Ok(())
}

fn check(disk: &MemoryDisk, told: &Told, known: usize, what: &str) {
    let log = match Log::open(env(disk), options()) {
        Ok(log) => log,
        Err(Error::NoLedger { .. }) if !told.created => {
            Log::create(env(disk), options()).expect(what);
            return;
        }
        Err(error) => panic!("{what}: {error}"),
    };
    let before = bodies(&log).expect(what);
    drop(log.writer().unwrap_or_else(|error| panic!("{what}: {error}")));
    let found = bodies(&log).expect(what);
    assert_eq!(before, found, "{what}: what was shown stays");
    assert!(found.len() >= known, "{what}: {} of {known} acknowledged", found.len());
    assert!(found.len() <= told.attempted.len(), "{what}");
    for (n, (found, attempted)) in found.iter().zip(&told.attempted).enumerate() {
        let gone = n == 1 && told.erasing && found == "-";
        assert!(gone || found == attempted, "{what}: {n}");
    }
    assert!(!told.erased || found[1] == "-", "{what}: the erased body came back");
    append(&log, &["after"]).unwrap_or_else(|error| panic!("{what}: {error}"));
    log.close().expect(what);
    let log = Log::open(env(disk), options()).expect(what);
    let again = bodies(&log).expect(what);
    assert_eq!(again.len(), found.len() + 1, "{what}");
    drop(log);
    let report = verify(&env(disk), Level::Full).expect(what);
    assert_eq!(report.findings, [], "{what}");
}

/// The operations of the whole script.
fn operations() -> u64 {
    let disk = MemoryDisk::new();
    disk.set_fault(None);
    let mut told = Told::default();
    script(&disk, &mut told).unwrap();
    check(&disk, &told, told.synced, "without a fault");
    disk.operations()
}

#[test]
fn a_stop_at_every_operation_loses_nothing_acknowledged() {
    let count = operations();
    assert!(count > 150, "{count} operations");
    for at in 0..count {
        for kind in [FaultKind::Stop, FaultKind::Tear] {
            let disk = MemoryDisk::new();
            disk.set_fault(Some(Fault { at, kind }));
            let mut told = Told::default();
            let _ = script(&disk, &mut told);
            let (written, synced) = (told.written, told.synced);
            check(&disk.after_kill(), &told, written, &format!("{kind:?} at {at}, killed"));
            let what = format!("{kind:?} at {at}, power cut");
            check(&disk.after_power_cut(), &told, synced, &what);
        }
    }
}

#[test]
fn a_failure_of_every_operation_loses_nothing_acknowledged() {
    for at in 0..operations() {
        for kind in [io::ErrorKind::Other, io::ErrorKind::StorageFull] {
            let disk = MemoryDisk::new();
            disk.set_fault(Some(Fault { at, kind: FaultKind::Fail(kind) }));
            let mut told = Told::default();
            let ended = script(&disk, &mut told);
            let known = if ended.is_ok() { told.written } else { told.synced };
            check(&disk.after_kill(), &told, known, &format!("{kind:?} at {at}, killed"));
            let what = format!("{kind:?} at {at}, power cut");
            check(&disk.after_power_cut(), &told, told.synced, &what);
        }
    }
}

#[test]
fn a_second_stop_during_recovery_loses_nothing_either() {
    let count = operations();
    for at in (0..count).step_by(7) {
        let disk = MemoryDisk::new();
        disk.set_fault(Some(Fault { at, kind: FaultKind::Tear }));
        let mut told = Told::default();
        let _ = script(&disk, &mut told);
        if !told.created {
            continue;
        }
        for again in 0..12 {
            let cut = disk.after_kill();
            cut.set_fault(Some(Fault { at: again, kind: FaultKind::Tear }));
            if let Ok(log) = Log::open(env(&cut), options()) {
                let _ = log.writer();
            }
            let what = format!("at {at}, then {again} of recovery");
            check(&cut.after_power_cut(), &told, told.synced, &what);
            check(&cut.after_kill(), &told, told.synced, &what);
        }
    }
}

#[test]
fn what_was_taken_over_from_a_killed_process_survives_a_power_cut() {
    // Two stories. A process was killed between the rename of a new segment and the
    // sync of the folder; the next one appended to a file whose name was not durable.
    // A process was killed between writing a footer and syncing it; the next one
    // believed the footer, began the segment after it, and never synced the one before.
    for at in 0..operations() {
        let disk = MemoryDisk::new();
        disk.set_fault(Some(Fault { at, kind: FaultKind::Stop }));
        let mut told = Told::default();
        let _ = script(&disk, &mut told);
        if !told.created {
            continue;
        }
        let killed = disk.after_kill();
        let what = format!("killed at {at}, taken over, power cut");
        let log = Log::open(env(&killed), options()).expect(&what);
        append(&log, &["taken over"]).expect(&what);
        let before = bodies(&log).expect(&what);
        let after = Log::open(env(&killed.after_power_cut()), options()).expect(&what);
        assert_eq!(before, bodies(&after).expect(&what), "{what}");
    }
}
