use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use memlith::measured::{
    CountedStorage, Counters, Counts, FIRST_EVENT_KIND, Flags, Log, LogOptions, NewRecord,
    frame_len,
};
use memlith::storage::{Durability, Env, LocalStorage};
use rustix::fs::{FallocateFlags, fallocate};

use crate::append::{AppendArgs, WARMING_UP};
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

/// The least that a durable append can cost: a write and a sync in a file whose space was
/// reserved, of as many bytes as the log needs for a record.
pub(crate) struct Bare {
    file: File,
    bytes: Vec<u8>,
    offset: u64,
}

impl Bare {
    pub(crate) fn new(path: &Path, args: &AppendArgs) -> Result<Bare> {
        let file = File::create_new(path).with_context(|| format!("create {}", path.display()))?;
        let len = frame_len(u32::try_from(args.payload).unwrap_or(u32::MAX));
        let bytes = vec![0x5a; usize::try_from(len).unwrap_or_default()];
        let space = len * (args.single as u64 + WARMING_UP);
        fallocate(&file, FallocateFlags::empty(), 0, space).context("reserve space")?;
        file.sync_all().context("sync a new file")?;
        Ok(Bare { file, bytes, offset: 0 })
    }

    /// Writes and syncs once.
    pub(crate) fn append(&mut self) -> Result<()> {
        self.file.write_all_at(&self.bytes, self.offset).context("write")?;
        self.file.sync_data().context("sync")?;
        self.offset += self.bytes.len() as u64;
        Ok(())
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
