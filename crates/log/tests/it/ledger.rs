use std::io;
use std::sync::Arc;

use memlith_log::{
    Durability, Env, Error, FixedClock, Flags, Log, LogOptions, MemoryDisk, NewRecord, Record,
    SeededRng, Seq, Timestamp,
};
use memlith_testkit::{Touch, Watched};

/// The time that test ledgers begin at.
pub(crate) const NOW: Timestamp = Timestamp(1_777_636_800_000_000);

/// Segments so small that a few records fill one.
pub(crate) fn small() -> LogOptions {
    LogOptions { segment_lens: [4 << 10; 4], reserve_len: 4 << 10, ..LogOptions::default() }
}

/// A fresh process on `disk`.
pub(crate) fn env(disk: &MemoryDisk) -> Env {
    env_at(disk, NOW)
}

pub(crate) fn env_at(disk: &MemoryDisk, now: Timestamp) -> Env {
    env_seeded(disk, now, 7)
}

pub(crate) fn env_seeded(disk: &MemoryDisk, now: Timestamp, seed: u64) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(now)),
        rng: Arc::new(SeededRng::new(seed)),
    }
}

/// A fresh process on `disk` that asks `watch` before every reading, which may have it fail.
pub(crate) fn watched(
    disk: &MemoryDisk,
    watch: impl Fn(Touch) -> io::Result<()> + Send + Sync + 'static,
) -> Env {
    Watched::env(env_seeded(disk, NOW, 11), move |_, touch| match touch.is_reading() {
        true => watch(touch),
        false => Ok(()),
    })
}

pub(crate) fn record(body: &[u8]) -> NewRecord<'_> {
    NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body }
}

pub(crate) fn append(log: &Log, bodies: &[&str]) -> Result<Vec<Seq>, Error> {
    append_with(log, bodies, Durability::Immediate)
}

pub(crate) fn append_with(
    log: &Log,
    bodies: &[&str],
    durability: Durability,
) -> Result<Vec<Seq>, Error> {
    let records: Vec<_> = bodies.iter().map(|body| record(body.as_bytes())).collect();
    let appended = log.writer()?.append(&records, durability)?;
    Ok(appended.into_iter().map(|appended| appended.seq).collect())
}

pub(crate) fn all(log: &Log) -> Result<Vec<Record>, Error> {
    log.scan(Seq(0), Seq::MAX).collect()
}

/// The bodies of the records that are not the log's own.
pub(crate) fn bodies(log: &Log) -> Result<Vec<String>, Error> {
    let records = all(log)?;
    let events = records.iter().filter(|record| record.kind >= 64);
    Ok(events
        .map(|record| match record.body() {
            Some(body) => String::from_utf8_lossy(body).into_owned(),
            None => "-".to_owned(),
        })
        .collect())
}
