//! The disk and clock that a model runs on, and its notes to be compared with the log at the end.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memlith_log::{
    Appended, Durability, Env, Flags, Head, Level, Log, LogEvent, LogOptions, MemoryDisk,
    NewRecord, SeededRng, Seq, verify,
};

use crate::clock::Turns;
use crate::disk::{Step, Stepped, head_after_a_kill, is_synced};

/// The kind of an erasure, as `docs/format.md` gives it.
const ERASURE: u16 = 1;

/// A disk that several processes share, and what their threads saw.
pub(crate) struct Ground {
    disk: MemoryDisk,
    step: Step,
    processes: AtomicU64,
    // Not the explorer's: what is noted here is not under test.
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    heads: Vec<Head>,
    acknowledged: Vec<Appended>,
}

/// How far a reader has seen; it never goes back.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    end: u64,
    synced: Option<Seq>,
}

impl Ground {
    /// A disk; `stepped` if every operation of it is one of the explorer's steps.
    pub(crate) fn new(stepped: bool) -> Arc<Ground> {
        Arc::new(Ground {
            disk: MemoryDisk::new(),
            step: Step::new(stepped),
            processes: AtomicU64::new(0),
            noted: Mutex::new(Noted::default()),
        })
    }

    /// The world of a further process.
    pub(crate) fn env(&self) -> Env {
        let seed = self.processes.fetch_add(1, Ordering::Relaxed);
        Env {
            storage: Arc::new(Stepped::new(&self.disk, &self.step)),
            clock: Arc::new(Turns::new()),
            rng: Arc::new(SeededRng::new(seed)),
        }
    }

    /// A new log, whose segments are full after a few records.
    pub(crate) fn create(&self) -> Arc<Log> {
        Arc::new(Log::create(self.env(), options(false)).expect("an empty disk takes a log"))
    }

    /// The log in a further process.
    pub(crate) fn open(&self, read_only: bool) -> Arc<Log> {
        Arc::new(Log::open(self.env(), options(read_only)).expect("the log is sound"))
    }

    pub(crate) fn disk(&self) -> &MemoryDisk {
        &self.disk
    }

    /// Appends one batch; what is acknowledged is as durable as was asked for.
    pub(crate) fn append(&self, log: &Log, texts: &[&str], durability: Durability) {
        let mut writer = log.writer().expect("the lock comes free");
        let appended = writer.append(&records(texts), durability).expect("the disk is sound");
        self.acknowledged(&appended, durability);
        assert_eq!(writer.head().seq, appended.last().expect("a batch").seq);
    }

    /// Appends texts and notes the acknowledgment, sharing its sync with other threads.
    pub(crate) fn append_shared(&self, log: &Log, texts: &[&str], durability: Durability) {
        let appended = log.append(&records(texts), durability).expect("the disk is sound");
        self.acknowledged(&appended, durability);
    }

    /// Makes durable what was acknowledged before.
    pub(crate) fn sync(&self, log: &Log) {
        let before = self.noted(|noted| noted.acknowledged.iter().map(|one| one.seq).max());
        log.writer().and_then(|mut writer| writer.sync()).expect("the disk is sound");
        if let Some(seq) = before {
            assert!(is_synced(&self.disk, seq), "record {seq} was synced and is lost by a cut");
        }
    }

    pub(crate) fn acknowledged(&self, appended: &[Appended], durability: Durability) {
        let last = appended.last().expect("a batch").seq;
        match durability {
            Durability::Immediate | Durability::Group => {
                assert!(is_synced(&self.disk, last), "record {last} is lost by a power cut");
            }
            Durability::Buffered => {
                let left = head_after_a_kill(&self.disk);
                assert!(left.is_some_and(|head| head.seq >= last), "{last} is lost by a kill");
            }
        }
        self.noted(|noted| noted.acknowledged.extend_from_slice(appended));
    }

    /// Looks at the log as a reader: what it is told exists, and it never goes back.
    pub(crate) fn look(&self, log: &Log, seen: &mut Seen) {
        let synced = log.synced();
        assert!(synced >= seen.synced, "the floor went back to {synced:?}");
        if let Some(seq) = synced {
            assert!(is_synced(&self.disk, seq), "{seq} is told synced and is lost by a cut");
        }
        let head = log.head();
        self.saw(log, head, seen);
        seen.synced = synced;
    }

    /// Everything up to a head that a reader was told is there, and ends a batch; what an
    /// erasure among it takes is not shown.
    pub(crate) fn saw(&self, log: &Log, head: Head, seen: &mut Seen) {
        assert!(head.seq.0 + 1 >= seen.end, "the end went back to {}", head.seq);
        let (mut next, mut chain, mut whole) = (0, None, false);
        let (mut shown, mut taken) = (BTreeSet::new(), BTreeSet::new());
        for record in log.scan(Seq::GENESIS, head.seq) {
            let record = record.unwrap_or_else(|error| panic!("below the end: {error}"));
            assert_eq!(record.seq, Seq(next), "a record is missing");
            match record.body() {
                Some(body) if record.kind == ERASURE => taken.extend(targets(body)),
                Some(_) => _ = shown.insert(record.seq),
                None => {}
            }
            (next, chain, whole) = (next + 1, Some(record.chain), record.ends_batch());
        }
        assert_eq!((next, chain, whole), (head.seq.0 + 1, Some(head.chain), true));
        assert!(shown.is_disjoint(&taken), "what {} takes is shown", head.seq);
        seen.end = head.seq.0 + 1;
        self.noted(|noted| noted.heads.push(head));
    }

    /// Compares all that was noted with what is left at the end.
    pub(crate) fn finish(&self, logs: impl IntoIterator<Item = Arc<Log>>) {
        for log in logs {
            let log = Arc::into_inner(log).expect("every thread has let go");
            log.close().expect("the disk is sound");
        }
        let log = self.open(true);
        let noted = self.noted(std::mem::take);
        for head in noted.heads {
            let record = log.read(head.seq).expect("a head that was told stays");
            assert!(record.ends_batch(), "{} is inside of a batch", head.seq);
            assert_eq!(record.chain, head.chain, "another history at {}", head.seq);
        }
        for one in noted.acknowledged {
            let record = log.read(one.seq).expect("an acknowledged record stays");
            assert_eq!(record.record_hash, one.record_hash, "another record at {}", one.seq);
        }
        let report = verify(&self.env(), Level::Full).expect("a log is there");
        assert_eq!(report.findings, []);
    }

    fn noted<T>(&self, note: impl FnOnce(&mut Noted) -> T) -> T {
        note(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Records of the first kind that is not the log's own.
pub(crate) fn records<'a>(texts: &[&'a str]) -> Vec<NewRecord<'a>> {
    let record = |text: &&'a str| NewRecord {
        kind: memlith_log::FIRST_EVENT_KIND,
        kind_version: 0,
        codec: 0,
        flags: Flags::NONE,
        body: text.as_bytes(),
    };
    texts.iter().map(record).collect()
}

fn targets(erasure: &[u8]) -> Vec<Seq> {
    match LogEvent::decode(ERASURE, erasure) {
        Some((LogEvent::Erasure { targets, .. }, _)) => {
            targets.into_iter().map(|(seq, _)| seq).collect()
        }
        other => panic!("no erasure but {other:?}"),
    }
}

fn options(read_only: bool) -> LogOptions {
    LogOptions {
        read_only,
        mmap: false,
        segment_lens: [4 << 10; 4],
        reserve_len: 0,
        ..LogOptions::default()
    }
}
