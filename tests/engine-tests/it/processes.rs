//! Real processes on one real folder.

use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use memlith::{
    CheckoutRequest, Ledger, Options, RecordId,
    storage::{Clock, SystemClock},
};
use memlith_log::{Access, Durability, Env, Flags, Log, LogOptions, NewRecord, Seq};
use memlith_testkit::{Touch, Watched};

use crate::world::{World, ana, digest, ids, invalidate, look, owner, say};

/// Remembers of each writer in the default run; the whole of it is
/// `cargo run --release -p memlith-engine-tests --bin race -- 2500`.
const WRITES: &str = "150";

/// Operations of each of the eight; the whole of it is
/// `cargo run --release -p memlith-engine-tests --bin crowd -- 2000`.
const OPERATIONS: &str = "60";

#[test]
fn threads_share_one_handle() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(folder.path(), Options::default()).unwrap();
    let ledger = &ledger;
    std::thread::scope(|scope| {
        for writer in 0..3 {
            scope.spawn(move || {
                for number in 0..40 {
                    let id = say(ledger, &format!("Thread {writer} says number {number}."));
                    if number % 5 == 0 {
                        invalidate(ledger, id);
                    }
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(move || {
                for number in 0..60 {
                    let query = format!("what was number {}", number % 40);
                    let request = CheckoutRequest::new(query);
                    let checkout = ledger.checkout(&ana(), &request).unwrap();
                    assert!(checkout.pack.receipt.view <= ledger.head().seq);
                }
            });
        }
        scope.spawn(move || {
            for _ in 0..10 {
                assert!(ledger.checkpoints().write().is_ok());
                assert_eq!(
                    ledger.audit().state().unwrap().iter().find(|a| a.verdict.is_err()),
                    None
                );
            }
        });
    });
    assert_eq!(ledger.audit().digest().unwrap().digest, digest(ledger));
    let audits = ledger.audit().receipts().unwrap();
    assert!(audits.iter().all(|audit| audit.verdict == memlith::read::Verdict::Reproduced));
    assert_eq!(memlith::verify(folder.path(), memlith::prove::Level::Full).unwrap().findings, []);
}

/// Acknowledgments of threads, and those that a power cut before a sync takes.
#[derive(Clone)]
struct Told<T> {
    told: Arc<Mutex<Vec<T>>>,
    lost: Arc<Mutex<Vec<(u64, T)>>>,
    cuts: Arc<AtomicU64>,
}

impl<T: Copy + std::fmt::Debug + PartialEq + Send + 'static> Told<T> {
    /// The storage of `world`, whose power goes before each sync; `gone` names what of all that
    /// was told until then isn't there.
    fn watching(world: &World, gone: fn(&World, Vec<T>) -> Vec<T>) -> (Told<T>, Env) {
        let (told, lost, cuts) = Default::default();
        let all = Told { told, lost, cuts };
        let (disk, seen) = (world.disk.clone(), all.clone());
        let env = Watched::env(world.env(), move |_, touch| {
            if touch == Touch::Sync {
                // While this thread syncs, the others write what the next sync is for, and
                // whoever is told of it too early is told now.
                SystemClock::new().pause(Duration::from_millis(2));
                let before = seen.told.lock().unwrap().clone();
                let cut = seen.cuts.fetch_add(1, Ordering::Relaxed);
                let left = World::on(disk.after_power_cut(), 900 + cut);
                let gone = gone(&left, before).into_iter().map(|one| (cut, one));
                seen.lost.lock().unwrap().extend(gone);
            }
            Ok(())
        });
        (all, env)
    }

    /// Has as many threads write as often, and looks whether anything was lost.
    fn check(&self, threads: usize, writes: usize, write: impl Fn(&str) -> T + Sync) {
        std::thread::scope(|scope| {
            for writer in 0..threads {
                let write = &write;
                scope.spawn(move || {
                    for number in 0..writes {
                        let one = write(&format!("Thread {writer} says number {number}."));
                        self.told.lock().unwrap().push(one);
                    }
                });
            }
        });
        let lost = self.lost.lock().unwrap().clone();
        assert_eq!(lost.first(), None, "(cut, record), of {}", lost.len());
        assert_eq!(self.told.lock().unwrap().len(), threads * writes);
        assert!(self.cuts.load(Ordering::Relaxed) >= writes as u64);
    }
}

/// Threads that share a sync are told of it when it is done, whoever did it: the power goes
/// before each sync, and what any of them had been told by then is there.
#[test]
fn what_threads_are_told_is_durable_survives_a_power_cut() {
    let world = World::new();
    let options = Options { segment_lens: [64 << 10; 4], ..Options::default() };
    drop(Ledger::create_in(world.env(), options.clone()).unwrap());
    let (told, env) = Told::watching(&world, |left, ids: Vec<RecordId>| {
        let ledger = left.open();
        ids.into_iter().filter(|id| ledger.show(&owner(), *id).is_err()).collect()
    });
    let ledger = Ledger::open_in(env, options).unwrap();
    told.check(3, 40, |text| say(&ledger, text));
}

/// A record that one thread of a log writes for others that wait survives a power cut.
#[test]
fn what_one_thread_writes_for_others_survives_a_power_cut() {
    let world = World::new();
    let options = LogOptions { segment_lens: [64 << 10; 4], ..LogOptions::default() };
    drop(Log::create(world.env(), options.clone()).unwrap());
    let (told, env) = Told::watching(&world, |left, seqs: Vec<Seq>| {
        let head = Log::open(left.env(), LogOptions::default()).unwrap().head().seq;
        seqs.into_iter().filter(|seq| *seq > head).collect()
    });
    let log = Log::open(env, options).unwrap();
    told.check(6, 40, |text| {
        let body = text.as_bytes();
        let record = NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body };
        log.append(&[record], Durability::Immediate).unwrap()[0].seq
    });
}

#[test]
fn two_processes_write_while_a_third_reads() {
    let output = Command::new(env!("CARGO_BIN_EXE_race")).arg(WRITES).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{complaint}");
    assert!(said.contains("600 events"), "{said}");
}

#[test]
fn eight_processes_do_everything_at_once_and_some_are_killed() {
    let output = Command::new(env!("CARGO_BIN_EXE_crowd")).arg(OPERATIONS).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{complaint}");
    for kind in ["writes", "observed checkouts", "checkpoints sealed", "erasures", "kills"] {
        assert!(said.lines().any(|line| line.ends_with(kind)), "no {kind}: {said}");
    }
}

#[test]
fn a_forked_child_writes_nothing_and_leaves_its_parents_lock_alone() {
    // A child that inherited a writer with the lock held could append through it, at the
    // same end as its parent.
    let output = Command::new(env!("CARGO_BIN_EXE_fork")).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{complaint}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "6 forks: no child wrote or unlocked"
    );
}

#[test]
fn a_later_question_makes_a_buffered_write_durable() {
    let world = World::new();
    let options =
        Options { durability: memlith::storage::Durability::Buffered, ..Options::default() };
    drop(world.init());
    let ledger = world.open_with(options).unwrap();
    let id = say(&ledger, "The cat is called Momo.");
    let after_a_cut = || {
        let cut = World::on(world.disk.after_power_cut(), 70);
        ids(&look(&cut.open(), "cat", None))
    };
    look(&ledger, "cat", None);
    assert_eq!(after_a_cut(), []);
    memlith::storage::Clock::pause(&*world.clock, std::time::Duration::from_secs(1));
    look(&ledger, "cat", None);
    assert_eq!(after_a_cut(), [id]);
}

#[test]
fn a_file_that_goes_while_it_is_verified_is_no_error() {
    // A writer that rotates gives the prepared file another name. A verification that had
    // listed it before could not open it, and failed as on a broken disk.
    for gone in ["next.tmp", "seg-0000000000.tmp"] {
        for openings in [1, 2] {
            let world = World::new();
            drop(world.init());
            world.disk.set_bytes(gone, vec![0; 4096]);
            let disk = world.disk.clone();
            let left = AtomicU32::new(openings);
            let watched = Watched::env(world.env(), move |name, touch| {
                let is_it = touch == Touch::Open(Access::Read) && name == gone;
                if is_it && left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    disk.delete(gone);
                }
                Ok(())
            });
            memlith::prove::verify_in(&watched, memlith::prove::Level::Full).unwrap();
        }
    }
}
