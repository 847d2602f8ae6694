//! Full disks, clocks, locks, and what a writer refuses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use memlith_log::{
    Clock, Durability, Env, Error, Fault, FaultKind, FixedClock, Log, LogOptions, MemoryDisk,
    SeededRng, Seq, Timestamp,
};

use crate::ledger::{NOW, all, append, append_with, bodies, env, env_at, record, small};

const DAY_US: i64 = Timestamp::DAY_US;

#[test]
fn a_full_disk_stops_ordinary_appends_and_lets_urgent_ones_and_erasures_finish() {
    let disk = MemoryDisk::new();
    let options = LogOptions { reserve_len: 16 << 10, ..small() };
    let log = Log::create(env(&disk), options.clone()).unwrap();
    append(&log, &["secret"]).unwrap();
    disk.set_space(Some(disk.used()));
    let body = "n".repeat(700);
    let refused = (0..10).find_map(|_| append(&log, &[&body]).err()).unwrap();
    assert!(matches!(refused, Error::NoSpace { .. }), "{refused}");
    let before = bodies(&log).unwrap();
    let mut writer = log.writer().unwrap();
    let tick = writer.tick().unwrap();
    writer.append_urgent(tick, &[record(body.as_bytes())], Durability::Immediate).unwrap();
    writer.erase(1, &[Seq(1)]).unwrap();
    drop(writer);
    let after = bodies(&log).unwrap();
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after[0], "-");
    disk.set_space(None);
    append(&log, &["room again"]).unwrap();
    drop(log);
    assert_eq!(bodies(&Log::open(env(&disk), options).unwrap()).unwrap().len(), after.len() + 1);
}

#[test]
fn a_failed_sync_poisons_the_writer_until_the_ledger_is_opened_again() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    append(&log, &["a"]).unwrap();
    // The holder is written down; then the mark is unset, frames written, synced, the mark set.
    for at in 1..5 {
        let disk = disk.after_kill();
        let log = Log::open(env(&disk), small()).unwrap();
        drop(log.writer().unwrap());
        disk.set_fault(Some(Fault { at, kind: FaultKind::Fail(std::io::ErrorKind::Other) }));
        assert!(matches!(append(&log, &["b"]), Err(Error::Io { .. })), "{at}");
        assert!(matches!(append(&log, &["c"]), Err(Error::Poisoned)), "{at}");
        assert_eq!(bodies(&log).unwrap(), ["a"], "{at}");
        drop(log);
        // What a later process was shown stays, though the system believes that
        // the bytes of the failed sync are on the medium.
        let killed = disk.after_kill();
        let log = Log::open(env(&killed), small()).unwrap();
        drop(log.writer().unwrap());
        let shown = bodies(&log).unwrap();
        let cut = Log::open(env(&killed.after_power_cut()), small()).unwrap();
        assert_eq!(bodies(&cut).unwrap(), shown, "{at}");
        let log = Log::open(env(&disk), small()).unwrap();
        append(&log, &["d"]).unwrap();
        let found = bodies(&log).unwrap();
        assert!(found == ["a", "d"] || found == ["a", "b", "d"], "{at}: {found:?}");
        assert_eq!(
            bodies(&Log::open(env(&disk.after_power_cut()), small()).unwrap()).unwrap(),
            found
        );
    }
}

#[test]
fn time_never_goes_back_and_does_not_leap() {
    let disk = MemoryDisk::new();
    let clock = Arc::new(FixedClock::new(NOW));
    let env = Env {
        storage: Arc::new(disk.process()),
        clock: clock.clone(),
        rng: Arc::new(SeededRng::new(7)),
    };
    let log = Log::create(env, small()).unwrap();
    clock.set(NOW.plus_us(-DAY_US));
    let tick = log.writer().unwrap().tick().unwrap();
    assert_eq!((tick.raw, tick.recorded_at, tick.clamped), (NOW.plus_us(-DAY_US), NOW, true));
    append(&log, &["back"]).unwrap();
    let record = log.read(Seq(1)).unwrap();
    assert_eq!(record.recorded_at, NOW);
    assert!(record.flags.contains(memlith_log::Flags::CLAMPED));

    clock.set(NOW.plus_us(400 * DAY_US));
    append(&log, &["at the limit"]).unwrap();
    let ten_years = NOW.plus_us(3_650 * DAY_US);
    clock.set(ten_years);
    assert!(matches!(append(&log, &["leap"]), Err(Error::ClockJump { .. })));
    drop(log);
    let accepting = LogOptions { accept_clock_jump: true, ..small() };
    let log = Log::open(env_at(&disk, ten_years), accepting).unwrap();
    append(&log, &["leap"]).unwrap();
    drop(log);

    let log = Log::open(env_at(&disk, NOW), small()).unwrap();
    append(&log, &["clamped"]).unwrap();
    assert_eq!(log.head().recorded_at, ten_years);
    log.writer().unwrap().rebase_clock().unwrap();
    append(&log, &["right again"]).unwrap();
    assert_eq!(log.head().recorded_at, NOW);
    drop(log);
    let log = Log::open(env_at(&disk, NOW), small()).unwrap();
    assert_eq!(all(&log).unwrap().len(), 7);
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), LogOptions { max_body_len: 10, ..small() }).unwrap();
    let mut writer = log.writer().unwrap();
    let mut try_append =
        |records: &[memlith_log::NewRecord<'_>]| writer.append(records, Durability::Immediate);
    assert!(matches!(try_append(&[]), Err(Error::BatchLimit { records: 0, .. })));
    assert!(matches!(try_append(&[record(&[0; 11])]), Err(Error::BodyTooLong { len: 11, .. })));
    let many = vec![record(b""); 4_097];
    assert!(matches!(try_append(&many), Err(Error::BatchLimit { .. })));
    let mut reserved = record(b"");
    reserved.kind = 63;
    assert!(matches!(try_append(&[reserved]), Err(Error::ReservedKind { kind: 63 })));
    assert!(try_append(&many[..4_096]).is_ok());
    drop(writer);
    assert_eq!(log.head().seq, Seq(4_096));
    let reader = Log::open(env(&disk), LogOptions { read_only: true, ..small() }).unwrap();
    assert!(matches!(reader.writer(), Err(Error::ReadOnly)));
    assert!(matches!(Log::create(env(&disk), small()), Err(Error::AlreadyExists { .. })));
    let empty = MemoryDisk::new();
    assert!(matches!(Log::open(env(&empty), small()), Err(Error::NoLedger { .. })));
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_its_holder_named() {
    let disk = MemoryDisk::new();
    let a = Log::create(env(&disk), small()).unwrap();
    let b = Log::open(env(&disk), small()).unwrap();
    let held = a.writer().unwrap();
    let refused = b.writer().err().unwrap();
    let holder = a.env().storage.process();
    assert!(matches!(refused, Error::LockTimeout { holder: named } if named == holder));
    b.refresh().unwrap();
    drop(held);
    assert!(b.writer().is_ok());
}

/// A clock whose second reading of the elapsed time is `jump` after the first, as if
/// the first of two locks had taken so long, and which counts what is waited after.
#[derive(Debug)]
struct LateClock {
    jump: Duration,
    readings: AtomicU64,
    waited: Mutex<Duration>,
}

impl Clock for LateClock {
    fn now(&self) -> Timestamp {
        NOW
    }

    fn elapsed(&self) -> Duration {
        let late = self.readings.fetch_add(1, Ordering::Relaxed) > 0;
        let jump = if late { self.jump } else { Duration::ZERO };
        jump + *self.waited.lock().unwrap()
    }

    fn pause(&self, time: Duration) {
        *self.waited.lock().unwrap() += time;
    }
}

#[test]
fn the_wait_for_both_locks_has_one_deadline() {
    let disk = MemoryDisk::new();
    let holder = Log::create(env(&disk), small()).unwrap();
    let clock = Arc::new(LateClock {
        jump: Duration::from_millis(40),
        readings: AtomicU64::new(1),
        waited: Mutex::default(),
    });
    let other = Log::open(Env { clock: clock.clone(), ..env(&disk) }, small()).unwrap();
    let held = holder.writer().unwrap();
    clock.readings.store(0, Ordering::Relaxed);
    let refused = other.writer_within(Duration::from_millis(50)).unwrap_err();
    assert!(matches!(refused, Error::LockTimeout { .. }));
    let waited = *clock.waited.lock().unwrap();
    assert!((10..15).contains(&waited.as_millis()), "{waited:?}");
    drop(held);
}

#[test]
fn a_due_sync_does_not_wait_for_another_writer() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    append_with(&log, &["buffered"], Durability::Buffered).unwrap();
    let other = Log::open(env(&disk), small()).unwrap();
    let held = other.writer().unwrap();
    log.env().clock.pause(Duration::from_secs(1));
    let before = log.env().clock.elapsed();
    log.sync_if_due().unwrap();
    assert_eq!((log.env().clock.elapsed(), log.synced()), (before, Some(Seq(0))));
    drop(held);
    log.sync_if_due().unwrap();
    assert_eq!(log.synced(), Some(Seq(1)));
}

/// An erasure that ended for lack of room said what any write says then; the words were there.
#[test]
fn an_erasure_without_room_says_that_the_words_are_still_there() {
    let disk = MemoryDisk::new();
    let options = LogOptions { reserve_len: 0, ..small() };
    let log = Log::create(env(&disk), options.clone()).unwrap();
    append(&log, &["marigold"]).unwrap();
    drop(log);
    let holds = |disk: &MemoryDisk| {
        let bytes = disk.names().into_iter().flat_map(|name| disk.bytes(&name));
        bytes.into_iter().any(|bytes| bytes.windows(8).any(|at| at == b"marigold"))
    };
    let mut pending = 0;
    for room in 0.. {
        let disk = disk.after_kill();
        let log = Log::open(env(&disk), options.clone()).unwrap();
        disk.set_space(Some(disk.used() + room * 128));
        let erased = log.writer().and_then(|mut writer| writer.erase(1, &[Seq(1)]));
        disk.set_space(None);
        match erased {
            Ok(_) => break,
            Err(Error::ErasurePending { erasure, needed }) => {
                assert_eq!((erasure, needed), (Seq(2), 4 << 10), "{room}");
                assert!(holds(&disk), "{room}: so it says");
                assert_eq!(bodies(&log).unwrap(), ["-"], "{room}: nobody is shown them");
                pending += 1;
            }
            Err(error) => assert!(matches!(error, Error::NoSpace { .. }), "{room}: {error}"),
        }
        let log = Log::open(env(&disk), options.clone()).unwrap();
        if bodies(&log).unwrap() == ["-"] {
            append(&log, &["room again"]).unwrap();
            assert!(!holds(&disk), "{room}: the next write finishes it");
        }
    }
    assert!(pending > 3, "{pending}");
}
