use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use memlith::measured::{
    CountedStorage, Counters, Counts, FIRST_EVENT_KIND, Flags, Log, LogOptions, NewRecord,
};
use memlith::storage::{Durability, Env, LocalStorage};

use crate::append::AppendArgs;
use crate::extent::extent;
use crate::words::Random;

/// A log without folds, whose syncs are counted.
pub(crate) struct Subject {
    log: Log,
    dir: PathBuf,
    counters: Arc<Counters>,
    random: Random,
    payload: usize,
}

impl Subject {
    /// Makes the log in `dir`.
    pub(crate) fn new(dir: &Path, args: &AppendArgs) -> Result<Subject> {
        let storage = CountedStorage::new(LocalStorage::create(dir)?);
        let counters = storage.counters();
        let log = Log::create(Env::system(storage), LogOptions::default())?;
        Ok(Subject {
            log,
            dir: dir.to_owned(),
            counters,
            random: Random::new(args.seed),
            payload: args.payload,
        })
    }

    /// Bodies that differ.
    pub(crate) fn bodies(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| body(&mut self.random, self.payload)).collect()
    }

    /// Appends `bodies` as one batch.
    pub(crate) fn append(&self, bodies: &[Vec<u8>], durability: Durability) -> Result<()> {
        let records: Vec<NewRecord<'_>> = bodies.iter().map(|body| record(body)).collect();
        self.log.append(&records, durability)?;
        Ok(())
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counters.now()
    }

    /// Its bytes up to the last record.
    pub(crate) fn extent(&self) -> Result<u64> {
        extent(&self.log, &self.dir)
    }

    /// The events that it holds.
    pub(crate) fn events(&self) -> u64 {
        // The genesis is none.
        self.log.head().seq.0
    }

    /// Closes the log.
    ///
    /// # Errors
    /// The last sync failed, or a record that was appended can't be read.
    pub(crate) fn finish(self) -> Result<()> {
        let head = self.log.head().seq;
        let last = self.log.read(head)?;
        let len = last.body().map_or(0, <[u8]>::len);
        ensure!(len == self.payload, "the last body has {len} bytes, not {}", self.payload);
        Ok(self.log.close()?)
    }
}

/// A record of any kind that is an event's: nothing decodes it.
fn record(body: &[u8]) -> NewRecord<'_> {
    NewRecord { kind: FIRST_EVENT_KIND, kind_version: 0, codec: 1, flags: Flags::NONE, body }
}

/// Text of an alphabet of 64.
pub(crate) fn body(random: &mut Random, len: usize) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .";
    let mut body = Vec::with_capacity(len + 8);
    while body.len() < len {
        let bytes = random.next().to_le_bytes();
        body.extend(bytes.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 64))));
    }
    body.truncate(len);
    body
}
