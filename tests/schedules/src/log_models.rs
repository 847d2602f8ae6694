//! Models of threads over the log, for either explorer.

use memlith_log::{Durability, Payload, Seq};

use crate::disk::is_synced;
use crate::ground::{Ground, Seen};
use crate::thread::{join, spawn};

/// A small program of several threads that checks itself.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) run: fn(),
}

/// Every model of the log.
pub(crate) const LOG_MODELS: [Model; 9] = [
    Model { name: "published end", run: published_end },
    Model { name: "group commit", run: group_commit },
    Model { name: "shared sync", run: shared_sync },
    Model { name: "shared sync, two processes", run: shared_sync_of_two_processes },
    Model { name: "published end, disk", run: published_end_on_disk },
    Model { name: "another process reads", run: another_process_reads },
    Model { name: "two processes write", run: two_processes_write },
    Model { name: "erasure", run: erasure },
    Model { name: "erasures elsewhere", run: erasures_elsewhere },
];

/// A writer and a reader of one handle: the end, the floor and the mark.
fn published_end() {
    publish(&Ground::new(false));
}

/// Publishes the end of the log, with every operation of the disk as a step.
fn published_end_on_disk() {
    publish(&Ground::new(true));
}

fn publish(ground: &std::sync::Arc<Ground>) {
    let log = ground.create();
    let writer = spawn({
        let (ground, log) = (ground.clone(), log.clone());
        move || {
            ground.append(&log, &["a pair", "of records"], Durability::Immediate);
            ground.append(&log, &["one that waits"], Durability::Buffered);
            ground.sync(&log);
        }
    });
    let reader = spawn({
        let (ground, log) = (ground.clone(), log.clone());
        move || {
            let mut seen = Seen::default();
            ground.look(&log, &mut seen);
            let head = log.refresh().expect("the log is sound");
            ground.saw(&log, head, &mut seen);
            ground.look(&log, &mut seen);
        }
    });
    join([writer, reader]);
    ground.finish([log]);
}

/// Three threads of one handle, each with another durability.
fn group_commit() {
    let ground = Ground::new(false);
    let log = ground.create();
    let durabilities = [Durability::Immediate, Durability::Group, Durability::Buffered];
    let threads = durabilities.map(|durability| {
        let (ground, log) = (ground.clone(), log.clone());
        spawn(move || {
            ground.append(&log, &["first", "second"], durability);
            if durability == Durability::Buffered {
                ground.sync(&log);
            }
        })
    });
    join(threads);
    assert_eq!(log.head().seq, Seq(6));
    assert!(is_synced(ground.disk(), Seq(6)));
    ground.finish([log]);
}

/// Threads of one handle that leave each other the sync, and one that only takes its turn.
fn shared_sync() {
    let ground = Ground::new(false);
    let log = ground.create();
    let appends = [Durability::Immediate, Durability::Group].map(|durability| {
        let (ground, log) = (ground.clone(), log.clone());
        spawn(move || ground.append_shared(&log, &["first", "second"], durability))
    });
    let passer = spawn({
        let log = log.clone();
        move || drop(log.writer().expect("the lock comes free"))
    });
    join(appends.into_iter().chain([passer]));
    assert!(is_synced(ground.disk(), Seq(4)));
    ground.finish([log]);
}

/// Shares syncs among threads beside another process, with every operation of the disk as a step.
fn shared_sync_of_two_processes() {
    let ground = Ground::new(true);
    let log = ground.create();
    let other = ground.open(false);
    let handles = [log.clone(), log.clone(), other.clone()];
    let durabilities = [Durability::Immediate, Durability::Buffered, Durability::Immediate];
    let threads = handles.into_iter().zip(durabilities).map(|(log, durability)| {
        let ground = ground.clone();
        spawn(move || {
            let mut seen = Seen::default();
            ground.append_shared(&log, &["first", "second"], durability);
            ground.look(&log, &mut seen);
            ground.append_shared(&log, &["third"], durability);
            ground.look(&log, &mut seen);
        })
    });
    join(threads.collect::<Vec<_>>());
    assert_eq!(log.refresh().expect("the log is sound").seq, Seq(9));
    ground.finish([log, other]);
}

/// A process that only reads catches up with one that writes, without a lock.
fn another_process_reads() {
    let ground = Ground::new(true);
    let log = ground.create();
    let other = ground.open(true);
    let writer = spawn({
        let (ground, log) = (ground.clone(), log.clone());
        move || {
            ground.append(&log, &["a pair", "of records"], Durability::Buffered);
            ground.append(&log, &[&"x".repeat(3_000)], Durability::Immediate);
            ground.append(&log, &[&"y".repeat(3_000)], Durability::Group);
        }
    });
    let reader = spawn({
        let (ground, other) = (ground.clone(), other.clone());
        move || {
            let mut seen = Seen::default();
            for _ in 0..2 {
                other.refresh().expect("what was acknowledged is there");
                ground.look(&other, &mut seen);
            }
        }
    });
    join([writer, reader]);
    ground.finish([log, other]);
}

/// Two processes take turns, one of them with two threads.
fn two_processes_write() {
    let ground = Ground::new(true);
    let log = ground.create();
    let other = ground.open(false);
    let handles = [log.clone(), log.clone(), other.clone()];
    let durabilities = [Durability::Buffered, Durability::Immediate, Durability::Buffered];
    let threads = handles.into_iter().zip(durabilities).map(|(log, durability)| {
        let ground = ground.clone();
        spawn(move || {
            let mut seen = Seen::default();
            ground.append(&log, &["first", "second"], durability);
            log.refresh().expect("what was acknowledged is there");
            ground.look(&log, &mut seen);
            ground.append(&log, &["third"], durability);
            ground.look(&log, &mut seen);
        })
    });
    join(threads.collect::<Vec<_>>());
    assert_eq!(log.refresh().expect("the log is sound").seq, Seq(9));
    ground.finish([log, other]);
}

/// One thread erases, which seals a segment and replaces it, while another one reads.
fn erasure() {
    let ground = Ground::new(true);
    let log = ground.create();
    ground.append(&log, &["a secret", "a fact"], Durability::Immediate);
    let eraser = spawn({
        let (ground, log) = (ground.clone(), log.clone());
        move || {
            let mut writer = log.writer().expect("the lock comes free");
            let erased = writer.erasure().erase(1, &[Seq(1)]).expect("the disk is sound");
            ground.acknowledged(&[erased], Durability::Immediate);
            drop(writer);
            let record = log.read(Seq(1)).expect("it was replaced");
            assert!(matches!(record.payload, Payload::Erased { .. }), "it is shown");
        }
    });
    let reader = spawn({
        let (ground, log) = (ground.clone(), log.clone());
        move || {
            let mut seen = Seen::default();
            ground.look(&log, &mut seen);
            let head = log.refresh().expect("what was acknowledged is there");
            ground.saw(&log, head, &mut seen);
            ground.append(&log, &["afterwards"], Durability::Buffered);
            ground.look(&log, &mut seen);
        }
    });
    join([eraser, reader]);
    let record = log.read(Seq(1)).expect("it was replaced");
    assert!(matches!(record.payload, Payload::Erased { .. }), "it is shown again");
    ground.finish([log]);
}

/// One process erases what it wrote last, twice, so that each time the last segment is
/// sealed and replaced; another one reads on meanwhile.
fn erasures_elsewhere() {
    let ground = Ground::new(true);
    let log = ground.create();
    let other = ground.open(true);
    let eraser = spawn({
        let (ground, log) = (ground.clone(), log.clone());
        move || {
            for secret in ["a secret", "another"] {
                ground.append(&log, &[secret], Durability::Immediate);
                let mut writer = log.writer().expect("the lock comes free");
                let target = writer.head().seq;
                let erased = writer.erasure().erase(1, &[target]).expect("the disk is sound");
                ground.acknowledged(&[erased], Durability::Immediate);
            }
        }
    });
    let reader = spawn({
        let (ground, other) = (ground.clone(), other.clone());
        move || {
            let mut seen = Seen::default();
            for _ in 0..4 {
                other.refresh().expect("what was acknowledged is there");
                ground.look(&other, &mut seen);
            }
        }
    });
    join([eraser, reader]);
    ground.finish([log, other]);
}
