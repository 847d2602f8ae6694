//! Erasures that fail half way, and other processes that had read on meanwhile.

use std::io;

use memlith_log::{
    Durability, Error, Fault, FaultKind, Level, Log, LogOptions, MAX_ERASURE_TARGETS, MemoryDisk,
    Payload, Seq, verify,
};

use crate::ledger::{append, append_with, env, small};

const SECRET: &str = "the first secret";
const TARGET: Seq = Seq(1);
/// The record that the erasure of [`TARGET`] gets.
const ERASURE: Seq = Seq(4);

/// Two processes on one disk; the first has begun an erasure that failed at operation `at`.
struct HalfErased {
    disk: MemoryDisk,
    eraser: Log,
    other: Log,
    /// Whether there is an operation `at`; not every failure is one of the erasure.
    reached: bool,
}

fn half_erased(at: u64, other_has_written: bool) -> HalfErased {
    let disk = MemoryDisk::new();
    let eraser = Log::create(env(&disk), options()).unwrap();
    append(&eraser, &[SECRET, "the second secret", "a fact"]).unwrap();
    let other = Log::open(env(&disk), options()).unwrap();
    if other_has_written {
        drop(other.writer().unwrap());
    }
    disk.set_fault(Some(Fault { at, kind: FaultKind::Fail(io::ErrorKind::Other) }));
    let erased = eraser.writer().and_then(|mut writer| writer.erase(1, &[TARGET]));
    let reached = disk.operations() > at;
    disk.set_fault(None);
    assert!(reached || erased.is_ok());
    HalfErased { disk, eraser, other, reached }
}

fn options() -> LogOptions {
    LogOptions { reserve_len: 0, ..small() }
}

impl HalfErased {
    fn has_secret(&self) -> bool {
        self.disk.names().iter().any(|name| {
            let bytes = self.disk.bytes(name).unwrap();
            bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
        })
    }
}

/// Runs `check` for a failure at every operation of an erasure, and for none.
fn at_every_operation(check: impl Fn(HalfErased, &str)) {
    for other_has_written in [false, true] {
        for at in 0.. {
            let half = half_erased(at, other_has_written);
            let reached = half.reached;
            check(half, &format!("operation {at}, other has written: {other_has_written}"));
            if !reached {
                assert!(at > 10, "an erasure has more operations than {at}");
                break;
            }
        }
    }
}

#[test]
fn a_reader_that_passes_an_erasure_shows_nothing_of_what_it_takes() {
    // An eraser seals the last segment before it replaces it. A reader that caught up in
    // between did not walk through the sealed segment, did not meet the erasure, and
    // showed the text; an engine over it folded it for good.
    at_every_operation(|half, place| {
        let head = half.other.refresh().unwrap();
        let record = half.other.read(TARGET).unwrap();
        let shown = matches!(record.payload, Payload::Present { .. });
        assert_eq!(shown, head.seq < ERASURE, "{place}");
    });
}

#[test]
fn a_writer_whose_handle_has_read_on_finishes_an_erasure() {
    // Whether an erasure was unfinished was asked only where the writer's walk had moved
    // the end. A reader of the same handle had moved it before: the next event hid the
    // erasure for ever, and the text stayed in the file.
    at_every_operation(|half, place| {
        let head = half.other.refresh().unwrap();
        append_with(&half.other, &["afterwards"], Durability::Buffered).unwrap();
        assert!(!half.has_secret() || head.seq < ERASURE, "{place}");
    });
}

#[test]
fn a_writer_copies_no_segment_that_was_replaced_since_it_was_opened() {
    // A handle that was opened half way held the old file. Its first taking of the lock
    // passed the end of the erasure and did not open the files again; an erasure of its own
    // then copied the text that was gone back into the ledger.
    at_every_operation(|half, place| {
        let late = Log::open(env(&half.disk), options()).unwrap();
        let finisher = Log::open(env(&half.disk), options()).unwrap();
        drop(finisher.writer().unwrap());
        let is_gone = !half.has_secret();
        late.writer().unwrap().erase(1, &[Seq(2)]).unwrap();
        assert!(!is_gone || !half.has_secret(), "{place}");
        drop((late, finisher));
        drop(half.eraser);
        assert_eq!(verify(&env(&half.disk), Level::Full).unwrap().findings, [], "{place}");
    });
}

#[test]
fn an_erasure_takes_as_many_targets_as_the_format_says() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), LogOptions::default()).unwrap();
    let most = u64::try_from(MAX_ERASURE_TARGETS).unwrap();
    let erase = |count| {
        let targets: Vec<_> = (1..=count).map(Seq).collect();
        log.writer().unwrap().erase(1, &targets).unwrap_err()
    };
    for count in [0, most + 1] {
        assert!(matches!(erase(count), Error::ErasureTarget { .. }), "{count}");
    }
    // It is not their number that is refused, but that there are no such records.
    for count in [1, most] {
        assert!(matches!(erase(count), Error::OutOfRange { .. }), "{count}");
    }
}

#[test]
fn an_erasure_that_was_cut_short_is_heeded_by_who_only_reads() {
    let mut begun = 0;
    for at in 0..64 {
        let disk = MemoryDisk::new();
        let log = Log::create(env(&disk), small()).unwrap();
        append(&log, &["secret"]).unwrap();
        disk.set_fault(Some(Fault { at, kind: FaultKind::Stop }));
        let erased = log.writer().and_then(|mut writer| writer.erase(1, &[Seq(1)]));
        let reader = LogOptions { read_only: true, ..small() };
        let reader = Log::open(env(&disk.after_kill()), reader).unwrap();
        // The erasure stands behind the record that it names.
        let is_begun = reader.head().seq > Seq(1);
        assert_eq!(reader.read(Seq(1)).unwrap().body().is_none(), is_begun, "{at}");
        begun += u32::from(is_begun);
        if erased.is_ok() {
            break;
        }
    }
    assert!(begun > 10, "{begun}");
}
