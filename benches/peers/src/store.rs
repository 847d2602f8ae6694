use std::path::Path;

use anyhow::Result;

use crate::{fjall, jsonl, lmdb, memlith, raft, redb, sqlite};

/// Whether a commit is on the disk when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    Yes,
    No,
}

/// A store under the same workload as the others.
pub(crate) trait Store {
    /// Sets the sync mode before a series, outside of its time.
    fn mode(&mut self, sync: Sync) -> Result<()> {
        let _ = sync;
        Ok(())
    }

    /// Commits `payloads` together, under keys that ascend from `first`.
    fn append(&mut self, first: u64, payloads: &[Vec<u8>], sync: Sync) -> Result<()>;

    /// Events that it holds.
    fn count(&self) -> Result<u64>;
}

/// Opens a store in a folder that is empty.
pub(crate) type Open = fn(&Path) -> Result<Box<dyn Store>>;

/// All of them; what the others are compared with comes first.
pub(crate) const STORES: [(&str, Open); 7] = [
    ("memlith", memlith::open),
    ("jsonl-sha256", jsonl::open),
    ("sqlite", sqlite::open),
    ("redb", redb::open),
    ("fjall", fjall::open),
    ("raft-engine", raft::open),
    ("lmdb", lmdb::open),
];
