//! Tests of the records walked at opening, handed on to one who reads them next.

use memlith_log::{Error, Log, LogOptions, MemoryDisk, Payload, Record, Seq, Tail};

use crate::ledger::{all, append, env};

/// All in one segment.
fn options() -> LogOptions {
    LogOptions { segment_lens: [8 << 20; 4], reserve_len: 0, ..LogOptions::default() }
}

fn open(disk: &MemoryDisk) -> (Log, Tail) {
    Log::open_with_tail(env(disk), options()).unwrap()
}

fn over(log: &Log, tail: &Tail, from: u64, to: u64) -> Result<Vec<Record>, Error> {
    log.scan_over(tail, Seq(from), Seq(to)).collect()
}

/// A closed log of one record for each body, and the genesis before them.
fn written(bodies: &[String]) -> MemoryDisk {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), options()).unwrap();
    for batch in bodies.chunks(7) {
        append(&log, &batch.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    }
    log.close().unwrap();
    disk
}

/// Changes every place where `text` stands in the log.
fn damage(disk: &MemoryDisk, text: &str) {
    let mut bytes = disk.bytes("seg-0000000000").unwrap();
    let places = bytes.windows(text.len()).enumerate();
    let places: Vec<usize> =
        places.filter(|(_, found)| *found == text.as_bytes()).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] ^= 1);
    disk.set_bytes("seg-0000000000", bytes);
}

#[test]
fn what_was_walked_is_given_as_it_was_verified() {
    // More than is read at once, in records that fit no reading.
    let body = |n: usize| format!("{n} harbour {}", "t".repeat(n * 37 % 5_000));
    let disk = written(&(0..300).map(body).collect::<Vec<_>>());
    let (log, tail) = open(&disk);
    let expected = all(&log).unwrap();
    let last = expected.len() as u64 - 1;
    let part = |from: u64, to: u64| {
        expected.iter().filter(move |one| (from..=to).contains(&one.seq.0)).cloned()
    };
    for (from, to) in [(0, last), (0, 0), (1, last), (150, 160), (last - 1, last), (last, u64::MAX)]
    {
        let given = over(&log, &tail, from, to).unwrap();
        assert!(given.into_iter().eq(part(from, to)), "{from} to {to}");
    }
    damage(&disk, " harbour ");
    assert!(all(&log).is_err(), "the bytes of the file are others now");
    assert!(over(&log, &tail, 1, last).unwrap().into_iter().eq(part(1, last)));
    assert!(over(&log, &Tail::default(), 1, last).is_err());
}

#[test]
fn a_long_tail_is_read_again() {
    let disk = written(&vec!["harbour ".repeat(100_000); 6]);
    let (log, tail) = open(&disk);
    assert_eq!(over(&log, &tail, 0, u64::MAX).unwrap(), all(&log).unwrap());
    damage(&disk, "harbour h");
    assert!(over(&log, &tail, 0, u64::MAX).is_err());
}

#[test]
fn what_was_erased_meanwhile_is_not_given() {
    let disk = written(&["a".to_owned(), "the secret".to_owned()]);
    let (log, tail) = open(&disk);
    let eraser = Log::open(env(&disk), options()).unwrap();
    eraser.writer().unwrap().erase(1, &[Seq(2)]).unwrap();
    log.refresh().unwrap();
    let given = over(&log, &tail, 0, u64::MAX).unwrap();
    assert!(matches!(given[2].payload, Payload::Erased { .. }));
    assert_eq!(given, all(&log).unwrap());
}
