use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::{
    Durability, Env, Error, Fault, FaultKind, FixedClock, Flags, Level, Log, LogOptions,
    MemoryDisk, NewRecord, SeededRng, Seq, Timestamp, verify,
};

fn env(disk: &MemoryDisk) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
        rng: Arc::new(SeededRng::new(7)),
    }
}

fn create(disk: &MemoryDisk) -> Log {
    let options = LogOptions { reserve_len: 0, ..LogOptions::default() };
    Log::create(env(disk), options).unwrap()
}

fn record(body: &[u8]) -> NewRecord<'_> {
    NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body }
}

fn append(log: &Log, body: &[u8], durability: Durability) -> Result<Seq, Error> {
    log.append(&[record(body)], durability).map(|appended| appended[0].seq)
}

/// Waits until so many threads are ahead, or behind one who is.
fn arrived(log: &Log, count: usize) {
    while log.group.state.lock().ahead + log.queue.len().saturating_sub(1) < count {
        thread::yield_now();
    }
}

/// Threads append one batch each, all of which come while this one has its turn.
fn together<const N: usize>(
    log: &Log,
    batches: [(&[u8], Durability); N],
) -> Vec<Result<Seq, Error>> {
    let writer = log.writer().unwrap();
    thread::scope(|scope| {
        let threads =
            batches.map(|(body, durability)| scope.spawn(move || append(log, body, durability)));
        arrived(log, N + 1);
        drop(writer);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn three(log: &Log, durabilities: [Durability; 3]) -> Vec<Result<Seq, Error>> {
    together(log, durabilities.map(|durability| (&b"shared"[..], durability)))
}

use Durability::{Buffered, Group, Immediate};

#[test]
fn threads_that_append_at_once_share_one_sync_and_one_mark() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    append(&log, b"before", Immediate).unwrap();
    disk.set_fault(None);
    let appended = three(&log, [Immediate, Group, Immediate]);
    // The holder's name, the mark that says unclean, the three batches, a sync and a mark.
    assert_eq!(disk.operations(), 5);
    let mut seqs: Vec<_> = appended.into_iter().map(Result::unwrap).collect();
    seqs.sort_unstable();
    assert_eq!(seqs, [Seq(2), Seq(3), Seq(4)]);
    assert_eq!(log.synced(), Some(Seq(4)));
    let cut = disk.after_power_cut();
    assert_eq!(Log::open(env(&cut), LogOptions::default()).unwrap().head().seq, Seq(4));
    log.close().unwrap();
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
}

#[test]
fn one_thread_syncs_once_and_at_once() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    append(&log, b"before", Immediate).unwrap();
    for durability in [Immediate, Group] {
        disk.set_fault(None);
        let seq = append(&log, b"alone", durability).unwrap();
        assert_eq!(disk.operations(), 5, "name, unclean, frames, sync, mark");
        assert_eq!(log.synced(), Some(seq));
    }
}

#[test]
fn a_failed_sync_fails_all_who_share_it_and_poisons_the_handle() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    append(&log, b"before", Immediate).unwrap();
    disk.set_fault(Some(Fault { at: 3, kind: FaultKind::Fail(io::ErrorKind::Other) }));
    let outcomes = three(&log, [Immediate, Immediate, Group]);
    let of_sync =
        |told: &&Result<Seq, Error>| matches!(told, Err(Error::Io { operation: "sync", .. }));
    let of_group = |told: &&Result<Seq, Error>| matches!(told, Err(Error::SharedSync { .. }));
    assert_eq!(outcomes.iter().filter(of_sync).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(of_group).count(), 2, "{outcomes:?}");
    assert!(matches!(append(&log, b"after", Immediate), Err(Error::Poisoned)));
    assert_eq!(log.synced(), Some(Seq(1)));
    drop(log);
    let log = Log::open(env(&disk), LogOptions::default()).unwrap();
    append(&log, b"again", Immediate).unwrap();
}

#[test]
fn a_failed_write_fails_who_waits_for_a_sync() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    append(&log, b"before", Immediate).unwrap();
    // The three batches.
    disk.set_fault(Some(Fault { at: 2, kind: FaultKind::Fail(io::ErrorKind::Other) }));
    let outcomes = three(&log, [Immediate; 3]);
    assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
}

#[test]
fn who_wants_no_sync_waits_for_none_and_syncs_for_who_does() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    append(&log, b"before", Immediate).unwrap();
    disk.set_fault(None);
    let appended = three(&log, [Buffered, Immediate, Buffered]);
    assert!(appended.iter().all(Result::is_ok));
    assert_eq!(disk.operations(), 5);
    disk.set_fault(None);
    three(&log, [Buffered; 3]);
    // Nobody is owed a sync: a name, the mark that says unclean, three batches.
    assert_eq!(disk.operations(), 3);
}

#[test]
fn a_sync_that_was_left_to_who_gives_up_is_done_all_the_same() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    let mut writer = log.sharing_writer_within(Duration::ZERO).unwrap();
    let seq = writer.append(&[record(b"left")], Immediate).unwrap()[0].seq;
    thread::scope(|scope| {
        // It waits for a turn, refuses what it sees and appends nothing.
        let other = scope.spawn(|| drop(log.writer().unwrap()));
        arrived(&log, 2);
        writer.finish().unwrap();
        assert!(log.synced() >= Some(seq));
        other.join().unwrap();
    });
    // One that has not the patience to wait for its turn.
    thread::scope(|scope| {
        let arrival = super::Arrival::at(&log);
        let left = scope.spawn(|| append(&log, b"left", Immediate));
        while !log.group.state.lock().kept {
            thread::yield_now();
        }
        assert_eq!(log.synced(), Some(seq));
        drop(arrival);
        assert_eq!(log.synced(), Some(seq.next()));
        assert_eq!(left.join().unwrap().unwrap(), seq.next());
    });
    assert_eq!(log.group.state.lock().ahead, 0);
}

#[test]
fn a_group_ends_so_that_other_processes_have_their_turn() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    let arrival = super::Arrival::at(&log);
    let mut given_back = 0;
    for turn in 1..=super::TURNS_MAX + 3 {
        append(&log, b"turn", Buffered).unwrap();
        if log.gate.lock().kept.is_none() {
            assert_eq!(turn, super::TURNS_MAX);
            let other = Log::open(env(&disk), LogOptions::default()).unwrap();
            append(&other, b"theirs", Immediate).unwrap();
            given_back += 1;
        }
    }
    assert_eq!(given_back, 1);
    drop(arrival);
    assert!(log.gate.lock().kept.is_none());
}

/// A batch that may not be written is refused at once, and costs those that wait nothing.
#[test]
fn a_batch_that_is_refused_is_told_so_alone() {
    let disk = MemoryDisk::new();
    let options = LogOptions { reserve_len: 0, max_body_len: 100, ..LogOptions::default() };
    let log = Log::create(env(&disk), options).unwrap();
    let writer = log.writer().unwrap();
    thread::scope(|scope| {
        let threads = [b"one", b"two"].map(|body| scope.spawn(|| append(&log, body, Immediate)));
        arrived(&log, 3);
        let refused = append(&log, &[b'x'; 101], Immediate);
        assert!(matches!(refused, Err(Error::BodyTooLong { len: 101, limit: 100 })));
        let empty = log.append(&[], Immediate);
        assert!(matches!(empty, Err(Error::BatchLimit { records: 0, .. })));
        drop(writer);
        assert!(threads.into_iter().all(|thread| thread.join().unwrap().is_ok()));
    });
    let cut = disk.after_power_cut();
    assert_eq!(Log::open(env(&cut), LogOptions::default()).unwrap().head().seq, Seq(2));
}

/// A disk without room for three batches together may have room for each.
#[test]
fn batches_without_room_together_are_written_one_by_one() {
    let disk = MemoryDisk::new();
    let log = create(&disk);
    append(&log, b"before", Immediate).unwrap();
    // The zeros ahead of all three of them.
    disk.set_fault(Some(Fault { at: 1, kind: FaultKind::Fail(io::ErrorKind::StorageFull) }));
    let told = together(&log, [(&[b'x'; 30 << 10][..], Immediate); 3]);
    assert!(told.iter().all(Result::is_ok), "{told:?}");
    assert!(disk.operations() > 1);
    let cut = disk.after_power_cut();
    assert_eq!(Log::open(env(&cut), LogOptions::default()).unwrap().head().seq, Seq(4));
    assert_eq!(log.queue.len(), 0);
}

/// A leader that gives up leaves the queue to the next one, who has waited as long.
#[test]
fn who_has_no_patience_leaves_the_queue_to_the_next_one() {
    let disk = MemoryDisk::new();
    let options = LogOptions {
        reserve_len: 0,
        lock_timeout: Duration::from_millis(20),
        ..LogOptions::default()
    };
    let log = Log::create(env(&disk), options).unwrap();
    let writer = log.writer().unwrap();
    let told: Vec<_> = thread::scope(|scope| {
        let threads = [b"one", b"two"].map(|body| scope.spawn(|| append(&log, body, Immediate)));
        threads.map(|thread| thread.join().unwrap()).into()
    });
    let timed_out = |told: &Result<Seq, Error>| matches!(told, Err(Error::LockTimeout { .. }));
    assert!(told.iter().all(timed_out), "{told:?}");
    drop(writer);
    assert_eq!(log.queue.len(), 0);
    append(&log, b"three", Immediate).unwrap();
    assert_eq!(log.head().seq, Seq(1));
}
