//! Tests of reading while another process writes: the writer goes on at every reading in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use memlith_log::{Env, Level, Log, LogOptions, MemoryDisk, Seq, verify};
use memlith_testkit::Touch;

use crate::ledger::{append, bodies, env, small, watched};

/// A ledger with two batches, so long that the next segment is prepared, and the process
/// that wrote them.
fn ledger() -> (MemoryDisk, Arc<Log>) {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    append(&log, &["one", "two"]).unwrap();
    append(&log, &[&"three".repeat(600)]).unwrap();
    assert!(disk.names().iter().any(|name| name == "next.tmp"));
    (disk, Arc::new(log))
}

/// Act of the other process, done once.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Does {
    AppendsOne,
    /// Appends two batches.
    Appends,
    /// Appends until two segments are full.
    Rotates,
    Erases,
}

impl Does {
    const ALL: [Does; 4] = [Does::AppendsOne, Does::Appends, Does::Rotates, Does::Erases];

    fn run(self, log: &Log) {
        match self {
            Does::AppendsOne => {
                append(log, &["four", "five"]).unwrap();
            }
            Does::Appends => {
                append(log, &["four", "five"]).unwrap();
                append(log, &["six"]).unwrap();
            }
            Does::Rotates => {
                for _ in 0..5 {
                    append(log, &["long".repeat(300).as_str(), "short"]).unwrap();
                }
            }
            Does::Erases => {
                log.writer().unwrap().erase(1, &[Seq(2)]).unwrap();
            }
        }
    }
}

/// Has `work` done by a process that reads, with another one that `does` something before
/// the reading of each number in turn, until there are fewer readings; then `check`s it.
fn at_every_reading<T, U>(
    does: Does,
    prepare: impl Fn(Env) -> T,
    work: impl Fn(&T, &str) -> U,
    check: impl Fn(&MemoryDisk, (T, U), &str),
) {
    for at in 0.. {
        let (disk, log) = ledger();
        // Below zero nothing is at stake.
        let count = Arc::new(AtomicI64::new(i64::MIN));
        let counted = count.clone();
        let watch = move |_: Touch| {
            if counted.fetch_add(1, Ordering::Relaxed) == at {
                does.run(&log);
            }
            Ok(())
        };
        let what = format!("{does:?} at reading {at}");
        let prepared = prepare(watched(&disk, watch));
        count.store(0, Ordering::Relaxed);
        let done = work(&prepared, &what);
        let readings = count.swap(i64::MIN, Ordering::Relaxed);
        check(&disk, (prepared, done), &what);
        if readings <= at {
            assert!(at > 4, "{does:?}: {readings} readings");
            break;
        }
    }
}

fn read_only() -> LogOptions {
    LogOptions { read_only: true, ..small() }
}

/// Checks that whole batches are shown that the other process wrote or left.
fn check(log: &Log, disk: &MemoryDisk, what: &str) {
    let shown = bodies(log).expect(what);
    let all = bodies(&Log::open(env(disk), read_only()).expect(what)).expect(what);
    assert!(shown.len() >= 3 && shown.len() <= all.len(), "{what}: {}", shown.len());
    for (shown, there) in shown.iter().zip(&all) {
        assert!(shown == there || shown == "two" && there == "-", "{what}");
    }
    assert!(![4].contains(&shown.len()) || all.get(4).is_none(), "{what}: half a batch");
}

#[test]
fn a_reader_is_told_of_no_loss_and_shows_whole_batches() {
    for does in Does::ALL {
        let open = |env: &Env, what: &str| Log::open(env.clone(), read_only()).expect(what);
        at_every_reading(does, |env| env, open, |disk, (_, log), what| check(&log, disk, what));
        let open = |env| Log::open(env, read_only()).unwrap();
        let refresh = |log: &Log, what: &str| log.refresh().map(drop).expect(what);
        at_every_reading(does, open, refresh, |disk, (log, ()), what| {
            check(&log, disk, what);
            log.refresh().expect(what);
            let all = bodies(&Log::open(env(disk), read_only()).expect(what));
            assert_eq!(bodies(&log).expect(what), all.expect(what), "{what}");
        });
    }
}

#[test]
fn a_verification_finds_nothing_wrong_with_a_ledger_that_is_written_to() {
    // A segment that was sealed, and so cut, between the walk and the look behind the end
    // was said to be shorter than its capacity; or its footer, or a batch that was appended
    // then, to be bytes that nobody acknowledged.
    for does in [Does::AppendsOne, Does::Appends, Does::Rotates] {
        for level in [Level::Sealed, Level::Full] {
            let work = |env: &Env, what: &str| verify(env, level).expect(what);
            at_every_reading(
                does,
                |env| env,
                work,
                |_, (_, report), what| {
                    assert_eq!(report.findings, [], "{what}");
                },
            );
        }
    }
}

#[test]
fn a_verification_follows_no_writer_that_never_rests() {
    // It walked again for as long as there was something new behind the end.
    let levels = [Level::Sealed, Level::Full];
    for (level, every) in levels.into_iter().flat_map(|level| (1..=4).map(move |n| (level, n))) {
        let (disk, log) = ledger();
        let (readings, appended) = (AtomicI64::new(0), Arc::new(AtomicI64::new(0)));
        let counted = appended.clone();
        let watch = move |_: Touch| {
            if readings.fetch_add(1, Ordering::Relaxed) % every == 0 {
                let nth = appended.fetch_add(1, Ordering::Relaxed);
                assert!(nth < 1_000, "it never ends");
                append(&log, &["on"]).unwrap();
            }
            Ok(())
        };
        let report = verify(&watched(&disk, watch), level).unwrap();
        let what = format!("{level:?}, a batch before every {every} readings");
        assert_eq!(report.findings, [], "{what}");
        assert!(counted.load(Ordering::Relaxed) > 4, "{what}: nothing was written meanwhile");
    }
}

#[test]
fn a_segment_on_the_way_to_its_name_is_no_damage() {
    let (rotated, log) = ledger();
    Does::Rotates.run(&log);
    let header = rotated.bytes("seg-0000000001").unwrap()[..128].to_vec();
    let (disk, _) = ledger();
    let mut prepared = disk.bytes("next.tmp").unwrap();
    prepared[..128].copy_from_slice(&header);
    for (at, findings) in [(None, 0), (Some(100), 1), (Some(128), 1), (Some(4_000), 1)] {
        let mut bytes = prepared.clone();
        at.into_iter().for_each(|at: usize| bytes[at] ^= 1);
        disk.set_bytes("next.tmp", bytes);
        let found = verify(&env(&disk), Level::Sealed).unwrap().findings;
        assert_eq!(found.len(), findings, "{at:?}: {found:?}");
        assert!(found.iter().all(|finding| finding.file == "next.tmp"), "{at:?}: {found:?}");
    }
}
