use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use memlith::{Format, ImportOptions, Ledger, Options};

use crate::bench::cold_checkout::workload::{WORKLOAD_VERSION, Workload};

/// A ledger that is to be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) events: u64,
    pub(crate) seed: u64,
    /// Events after the checkpoint.
    pub(crate) tail: u64,
}

/// What a built ledger holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Records, the beginnings and ends of sessions included.
    pub(crate) records: u64,
    /// Records after the newest checkpoint.
    pub(crate) tail_records: u64,
    pub(crate) ledger_bytes: u64,
    pub(crate) checkpoint_bytes: u64,
}

/// Everything that is kept lies here, under the system's temporary folder.
const CACHE: &str = "memlith-bench";

impl Plan {
    /// The folder of the ledger, built if it isn't kept yet.
    ///
    /// A ledger is built under a temporary name, so that one that was interrupted is
    /// never taken for whole.
    pub(crate) fn kept(&self, rebuild: bool, note: &dyn Fn(String)) -> Result<PathBuf> {
        let cache = std::env::temp_dir().join(CACHE);
        fs::create_dir_all(&cache).with_context(|| format!("create {}", cache.display()))?;
        let kept = cache.join(self.name());
        if kept.is_dir() && !rebuild {
            return Ok(kept);
        }
        note(format!("building a ledger of {} events in {}", self.events, kept.display()));
        let building = tempfile::tempdir_in(&cache).context("make a folder to build in")?;
        let ledger = building.path().join("ledger");
        self.build(&ledger)?;
        if kept.is_dir() {
            fs::remove_dir_all(&kept).with_context(|| format!("remove {}", kept.display()))?;
        }
        fs::rename(&ledger, &kept).with_context(|| format!("name it {}", kept.display()))?;
        Ok(kept)
    }

    /// Writes the log in Eventloom's lines.
    pub(crate) fn write_log(&self, path: &Path) -> Result<()> {
        let mut log = Workload::new(self.seed, self.events, self.events);
        let mut write = || io::copy(&mut log, &mut io::BufWriter::new(fs::File::create(path)?));
        write().with_context(|| format!("write the log to {}", path.display())).map(drop)
    }

    /// Imports all but the tail, writes a checkpoint, imports the tail.
    fn build(&self, dir: &Path) -> Result<()> {
        let ledger = Ledger::init(dir, Options::default())?;
        let import = |until| {
            let log = BufReader::new(Workload::new(self.seed, self.events, until));
            ledger.import(Format::Eventloom, log, ImportOptions::default())
        };
        import(self.events - self.tail)?;
        ledger.checkpoint()?;
        // What is there already is not appended again.
        import(self.events)?;
        Ok(ledger.close()?)
    }

    /// A ledger of other code is another ledger.
    fn name(&self) -> String {
        let Plan { events, seed, tail } = self;
        let (version, fold) = (env!("CARGO_PKG_VERSION"), memlith::FOLD_VERSION);
        format!("{version}-fold{fold}-workload{WORKLOAD_VERSION}-{events}-seed{seed}-tail{tail}")
    }
}

/// Copies a ledger.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("create {}", to.display()))?;
    for entry in entries(from)? {
        let target = to.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Counts what the ledger in `dir` holds.
///
/// # Errors
/// It can't be read, or it has no checkpoint: then something else would be measured.
pub(crate) fn facts(dir: &Path) -> Result<Facts> {
    let ledger = Ledger::open(dir, Options { read_only: true, ..Options::default() })?;
    let stat = ledger.stat(ledger.now())?;
    let newest = stat.checkpoints.last();
    ensure!(newest.is_some(), "the ledger in {} has no checkpoint: use --rebuild", dir.display());
    let mut facts = Facts {
        records: stat.records,
        tail_records: stat.head.0 - newest.map_or(0, |seq| seq.0),
        ..Facts::default()
    };
    for entry in entries(dir)? {
        let len = entry.metadata().map_or(0, |data| data.len());
        facts.ledger_bytes += len;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("ckpt-") || name.starts_with("run-") {
            facts.checkpoint_bytes += len;
        }
    }
    Ok(facts)
}

fn entries(dir: &Path) -> Result<Vec<fs::DirEntry>> {
    let read = || fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>();
    read().with_context(|| format!("list {}", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_ledger_has_its_checkpoint_and_its_tail() {
        let dir = tempfile::tempdir().unwrap();
        let (built, copied) = (dir.path().join("built"), dir.path().join("copied"));
        Plan { events: 400, seed: 1, tail: 50 }.build(&built).unwrap();
        copy(&built, &copied).unwrap();
        let facts = facts(&copied).unwrap();
        // Genesis, two sessions begun and ended, the second ended again after the tail,
        // and the checkpoint's seal.
        assert_eq!(facts.records, 1 + 400 + 2 * 2 + 1 + 1);
        assert_eq!(facts.tail_records, 50 + 1 + 1);
        assert!(facts.checkpoint_bytes > 0 && facts.ledger_bytes > facts.checkpoint_bytes);
    }

    #[test]
    fn a_ledger_without_checkpoint_is_not_measured() {
        let dir = tempfile::tempdir().unwrap();
        Ledger::init(dir.path(), Options::default()).unwrap().close().unwrap();
        let refused = facts(dir.path()).unwrap_err().to_string();
        assert!(refused.contains("no checkpoint"), "{refused}");
    }
}
