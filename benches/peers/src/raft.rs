//! raft-engine, TiKV's log: keys and values of one group, without compression.

use std::path::Path;

use anyhow::{Context, Result};
use raft_engine::{Config, Engine, LogBatch, ReadableSize};

use crate::store::{Store, Sync};

struct Raft(Engine);

/// The group that holds everything.
const GROUP: u64 = 1;

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    let config = Config {
        dir: folder.to_str().context("a folder's name is not UTF-8")?.to_owned(),
        // What the others don't do.
        batch_compression_threshold: ReadableSize(0),
        ..Config::default()
    };
    Ok(Box::new(Raft(Engine::open(config)?)))
}

impl Store for Raft {
    fn append(&mut self, first: u64, payloads: &[Vec<u8>], sync: Sync) -> Result<()> {
        let mut batch = LogBatch::with_capacity(payloads.len());
        for (seq, payload) in (first..).zip(payloads) {
            batch.put(GROUP, seq.to_be_bytes().to_vec(), payload.clone())?;
        }
        self.0.write(&mut batch, sync == Sync::Yes)?;
        Ok(())
    }

    fn count(&self) -> Result<u64> {
        let mut count = 0;
        self.0.scan_raw_messages(GROUP, None, None, false, |_, _| {
            count += 1;
            true
        })?;
        Ok(count)
    }
}
