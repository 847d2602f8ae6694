use std::path::Path;

use anyhow::{Context as _, Result};
use memlith::measured::Log;

/// Bytes of the log in `dir` up to its last record: a segment that isn't full yet is
/// longer than that.
pub(crate) fn extent(log: &Log, dir: &Path) -> Result<u64> {
    let last = log.position(log.head().seq).context("find the end")?;
    let sealed = (0..last.segment).map(|number| {
        let path = dir.join(format!("seg-{number:010}"));
        std::fs::metadata(&path).with_context(|| format!("look at {}", path.display()))
    });
    let sealed: Result<Vec<_>> = sealed.collect();
    Ok(sealed?.iter().map(std::fs::Metadata::len).sum::<u64>() + last.offset)
}
