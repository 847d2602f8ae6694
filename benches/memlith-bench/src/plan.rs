use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{
    Ledger, Options,
    copy::{Format, ImportOptions},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::size::Size;
use crate::workload::{WORKLOAD_VERSION, Workload};
use memlith_verbs::context::Context;
use memlith_verbs::out_file::{Force, OutFile};

/// A ledger that is to be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) events: u64,
    pub(crate) seed: u64,
    /// Events after the checkpoint.
    pub(crate) tail: u64,
}

/// A generated log, and where the ledger of it is kept.
#[derive(Args, Clone, Debug)]
pub(crate) struct LogArgs {
    /// How long the log is in Eventloom's lines: 115MB are 111,000 events.
    #[arg(long, default_value = Size::DEFAULT)]
    pub(crate) size: Size,
    /// Seed of the words, kinds and queries.
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) cache: Cache,
}

/// Where ledgers are kept, and whether those that are there may be used.
#[derive(Args, Clone, Debug)]
pub(crate) struct Cache {
    /// Where ledgers are built and kept; else `memlith-bench` in the system's temporary folder.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Builds the ledger anew, though one of the same seed is kept.
    #[arg(long)]
    rebuild: bool,
}

impl LogArgs {
    /// The folder of the ledger with the tail that is usual, built if it isn't kept yet.
    pub(crate) fn kept(&self, context: &Context) -> Result<PathBuf> {
        Plan::usual(self.size, self.seed).kept(&self.cache, context)
    }
}

impl Cache {
    /// The folder, made if it isn't there.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        let cache = self.dir.clone().unwrap_or_else(|| std::env::temp_dir().join("memlith-bench"));
        fs::create_dir_all(&cache).with_context(|| format!("create {}", cache.display()))?;
        Ok(cache)
    }

    /// Makes a folder that goes away with what is made in it.
    pub(crate) fn temporary(&self) -> Result<TempDir> {
        tempfile::tempdir_in(self.folder()?).context("make a temporary folder")
    }

    /// The folder of the ledger of this name, built if it isn't kept yet.
    ///
    /// A ledger is built under a temporary name, so that one that was interrupted is
    /// never taken for whole.
    pub(crate) fn kept(
        &self,
        name: &str,
        build: &dyn Fn(&Path) -> Result<()>,
        context: &Context,
    ) -> Result<PathBuf> {
        let cache = self.folder()?;
        let kept = cache.join(name);
        if kept.is_dir() && !self.rebuild {
            return Ok(kept);
        }
        context.note(format!("building a ledger in {}", kept.display()));
        let building = tempfile::tempdir_in(&cache).context("make a folder to build in")?;
        let ledger = building.path().join("ledger");
        build(&ledger)?;
        if kept.is_dir() {
            fs::remove_dir_all(&kept).with_context(|| format!("remove {}", kept.display()))?;
        }
        fs::rename(&ledger, &kept).with_context(|| format!("name it {}", kept.display()))?;
        Ok(kept)
    }
}

/// Events after the checkpoint, where nothing else is said: the mean of what occurs.
pub(crate) const TAIL: u64 = memlith::prove::CHECKPOINT_EVENTS / 2;

impl Plan {
    /// The ledger of a size with the tail that is usual.
    pub(crate) fn usual(size: Size, seed: u64) -> Plan {
        let events = size.events();
        Plan { events, seed, tail: TAIL.min(events / 2) }
    }

    /// The folder of the ledger, built if it isn't kept yet.
    pub(crate) fn kept(&self, cache: &Cache, context: &Context) -> Result<PathBuf> {
        cache.kept(&self.name(), &|dir| self.build(dir), context)
    }

    /// Writes the log in Eventloom's lines.
    pub(crate) fn write_log(&self, path: &Path, force: Force) -> Result<()> {
        let mut log = Workload::new(self.seed, self.events, self.events);
        let mut file = OutFile::create(path, force)?;
        let written = io::copy(&mut log, &mut io::BufWriter::new(&mut file));
        written.with_context(|| format!("write the log to {}", path.display()))?;
        file.finish()
    }

    /// Imports all but the tail, writes a checkpoint, imports the tail.
    pub(crate) fn build(&self, dir: &Path) -> Result<()> {
        let ledger = Ledger::create(dir, Options::default())?;
        let import = |until| {
            let log = BufReader::new(Workload::new(self.seed, self.events, until));
            ledger.import(Format::Eventloom, log, ImportOptions::default())
        };
        import(self.events - self.tail)?;
        ledger.checkpoints().write()?;
        // What is there already is not appended again.
        import(self.events)?;
        Ok(ledger.close()?)
    }

    /// A ledger of other code is another ledger.
    pub(crate) fn name(&self) -> String {
        let Plan { events, seed, tail } = self;
        let (version, fold) = (env!("CARGO_PKG_VERSION"), memlith::prove::FOLD_VERSION);
        format!("{version}-fold{fold}-workload{WORKLOAD_VERSION}-{events}-seed{seed}-tail{tail}")
    }
}

/// Counts what the ledger in `dir` holds.
///
/// # Errors
/// It can't be read, or it has no checkpoint: then something else would be measured.
pub(crate) fn facts(dir: &Path) -> Result<Value> {
    let ledger = Ledger::open(dir, Options { read_only: true, ..Options::default() })?;
    let stat = ledger.audit().stat(ledger.now())?;
    let newest = stat.checkpoints.last().map(|seq| seq.0);
    let missing = || format!("the ledger in {} has no checkpoint: use --rebuild", dir.display());
    let newest = newest.with_context(missing)?;
    let (mut ledger_bytes, mut checkpoint_bytes) = (0, 0);
    for entry in entries(dir)? {
        let len = entry.metadata().map_or(0, |data| data.len());
        ledger_bytes += len;
        if is_checkpoint(&entry.file_name().to_string_lossy()) {
            checkpoint_bytes += len;
        }
    }
    Ok(json!({
        "records": stat.records,
        "tail_records": stat.head.0 - newest,
        "ledger_bytes": ledger_bytes,
        "checkpoint_bytes": checkpoint_bytes,
    }))
}

/// Whether a file is of a checkpoint, written once and never again.
pub(crate) fn is_checkpoint(name: &str) -> bool {
    name.starts_with("ckpt-") || name.starts_with("run-")
}

/// Lists the entries of `dir`.
pub(crate) fn entries(dir: &Path) -> Result<Vec<fs::DirEntry>> {
    let read = || fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>();
    read().with_context(|| format!("list {}", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_ledger_has_its_checkpoint_and_its_tail() {
        let dir = tempfile::tempdir().unwrap();
        let built = dir.path().join("built");
        Plan { events: 400, seed: 1, tail: 50 }.build(&built).unwrap();
        let facts = facts(&built).unwrap();
        let number = |key: &str| facts[key].as_u64().unwrap();
        // Genesis, two sessions begun and ended, the second ended again after the tail,
        // and the checkpoint's seal.
        assert_eq!(number("records"), 1 + 400 + 2 * 2 + 1 + 1);
        assert_eq!(number("tail_records"), 50 + 1 + 1);
        assert!((1..number("ledger_bytes")).contains(&number("checkpoint_bytes")));
        let none = dir.path().join("none");
        Ledger::create(&none, Options::default()).unwrap().close().unwrap();
        assert!(super::facts(&none).unwrap_err().to_string().contains("no checkpoint"));
    }
}
