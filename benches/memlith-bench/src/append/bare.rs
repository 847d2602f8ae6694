use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::measured::frame_len;
use rustix::fs::{FallocateFlags, fallocate};

use crate::append::AppendArgs;
use memlith_verbs::wall::Stopwatch;

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
        let space = len * (args.single as u64 + super::series::WARMING_UP);
        fallocate(&file, FallocateFlags::empty(), 0, space).context("reserve space")?;
        file.sync_all().context("sync a new file")?;
        Ok(Bare { file, bytes, offset: 0 })
    }

    /// Writes and syncs once.
    pub(crate) fn append(&mut self) -> Result<Duration> {
        let watch = Stopwatch::start();
        self.file.write_all_at(&self.bytes, self.offset).context("write")?;
        self.file.sync_data().context("sync")?;
        self.offset += self.bytes.len() as u64;
        Ok(watch.elapsed())
    }
}
