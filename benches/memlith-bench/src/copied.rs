use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};
use rustix::fs::{Advice, fadvise, syncfs};

use crate::plan::entries;

/// A copy of a kept ledger, for checkouts that write.
///
/// What is never written again is linked, not copied: checkpoints, and every segment but
/// the newest. So a copy is made in a moment, and its pages are as warm as the original's.
pub(crate) struct Copied {
    kept: PathBuf,
    folder: tempfile::TempDir,
    copies: u64,
    listing: Listing,
}

/// Names, lengths and times of change.
type Listing = Vec<(String, u64, Option<SystemTime>)>;

impl Copied {
    /// Copies the ledger in `kept` to a folder beside it.
    pub(crate) fn of(kept: &Path) -> Result<Copied> {
        let beside = kept.parent().unwrap_or(kept);
        let folder = tempfile::tempdir_in(beside).context("make a folder for copies")?;
        let listing = listing(kept)?;
        let mut copied = Copied { kept: kept.to_owned(), folder, copies: 0, listing };
        copied.again()?;
        Ok(copied)
    }

    /// Where the copy lies.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.folder.path().join(format!("ledger-{}", self.copies))
    }

    /// Makes the copy anew if a checkpoint was written or removed in it: what comes after
    /// would be measured with another tail. Tells whether it did.
    pub(crate) fn again_if_sealed(&mut self) -> Result<bool> {
        let checkpoints = |dir: &Path| -> Result<Vec<String>> {
            let names = listing(dir)?.into_iter().map(|(name, _, _)| name);
            Ok(names.filter(|name| is_checkpoint(name)).collect())
        };
        let changed = checkpoints(&self.ledger())? != checkpoints(&self.kept)?;
        if changed {
            self.again()?;
        }
        Ok(changed)
    }

    /// Makes the copy anew.
    fn again(&mut self) -> Result<()> {
        if self.copies > 0 {
            fs::remove_dir_all(self.ledger()).context("remove a copy")?;
        }
        self.copies += 1;
        let ledger = self.ledger();
        copy(&self.kept, &ledger, &newest_segment(&self.kept)?)?;
        // What the file system still has to do for it isn't to fall into what is timed.
        let synced = || -> std::io::Result<()> { Ok(syncfs(File::open(&ledger)?)?) };
        synced().with_context(|| format!("sync the file system of {}", ledger.display()))
    }

    /// Ends the use of the copy.
    ///
    /// # Errors
    /// The kept ledger isn't what it was: something wrote to a file that is linked.
    pub(crate) fn finish(self) -> Result<()> {
        ensure!(
            listing(&self.kept)? == self.listing,
            "the kept ledger in {} was changed by the bench: remove it",
            self.kept.display()
        );
        self.folder.close().context("remove the copies")
    }
}

/// Writes back what is dirty in the files of `dir`, and asks the system to drop their pages.
///
/// The pages of the program itself stay: other processes run it too.
pub(crate) fn drop_caches(dir: &Path) -> Result<()> {
    for entry in entries(dir)? {
        let path = entry.path();
        if path.is_dir() {
            drop_caches(&path)?;
            continue;
        }
        let file = File::open(&path).with_context(|| format!("open {}", path.display()))?;
        file.sync_all().with_context(|| format!("sync {}", path.display()))?;
        fadvise(&file, 0, None, Advice::DontNeed)
            .with_context(|| format!("drop the pages of {}", path.display()))?;
    }
    Ok(())
}

/// Reads the files of `dir`, so that the system holds their pages as far as it has room.
pub(crate) fn warm(dir: &Path) -> Result<()> {
    for entry in entries(dir)? {
        let path = entry.path();
        if path.is_dir() {
            warm(&path)?;
            continue;
        }
        let read = || std::io::copy(&mut File::open(&path)?, &mut std::io::sink());
        read().with_context(|| format!("read {}", path.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path, newest_segment: &str) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("create {}", to.display()))?;
    for entry in entries(from)? {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let name = entry.file_name().to_string_lossy().into_owned();
        let sealed = name.starts_with("seg-") && name != newest_segment;
        if source.is_dir() {
            copy(&source, &target, newest_segment)?;
            continue;
        }
        let linked = (sealed || is_checkpoint(&name)) && fs::hard_link(&source, &target).is_ok();
        if !linked {
            let copied = fs::copy(&source, &target)
                .and_then(|_| File::options().write(true).open(&target)?.sync_all());
            copied.with_context(|| format!("copy {}", source.display()))?;
        }
    }
    Ok(())
}

/// Whether a file is of a checkpoint, written once and never again.
fn is_checkpoint(name: &str) -> bool {
    name.starts_with("ckpt-") || name.starts_with("run-")
}

fn newest_segment(dir: &Path) -> Result<String> {
    let names = listing(dir)?.into_iter().map(|(name, _, _)| name);
    Ok(names.filter(|name| name.starts_with("seg-")).max().unwrap_or_default())
}

fn listing(dir: &Path) -> Result<Listing> {
    let mut listing: Listing = entries(dir)?
        .iter()
        .map(|entry| {
            let data = entry.metadata().ok();
            let len = data.as_ref().map_or(0, fs::Metadata::len);
            let changed = data.and_then(|data| data.modified().ok());
            (entry.file_name().to_string_lossy().into_owned(), len, changed)
        })
        .collect();
    listing.sort();
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a ledger.
    fn kept(dir: &Path) -> PathBuf {
        let kept = dir.join("kept");
        fs::create_dir(&kept).unwrap();
        for name in ["seg-0000000001", "seg-0000000002", "ckpt-7", "ckpt.lock", "mark"] {
            fs::write(kept.join(name), name).unwrap();
        }
        kept
    }

    #[test]
    fn what_is_written_is_copied_and_the_rest_is_linked() {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().unwrap();
        let kept = kept(dir.path());
        let copied = Copied::of(&kept).unwrap();
        for (name, linked) in [
            ("seg-0000000001", true),
            ("ckpt-7", true),
            ("seg-0000000002", false),
            ("ckpt.lock", false),
            ("mark", false),
        ] {
            let inode = |dir: &Path| fs::metadata(dir.join(name)).unwrap().ino();
            assert_eq!(inode(&kept) == inode(&copied.ledger()), linked, "{name}");
            assert_eq!(fs::read_to_string(copied.ledger().join(name)).unwrap(), name);
        }
        drop_caches(&copied.ledger()).unwrap();
        copied.finish().unwrap();
    }

    #[test]
    fn a_copy_with_another_checkpoint_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let mut copied = Copied::of(&kept(dir.path())).unwrap();
        fs::write(copied.ledger().join("mark"), "more").unwrap();
        assert!(!copied.again_if_sealed().unwrap());
        fs::write(copied.ledger().join("ckpt-8"), "").unwrap();
        assert!(copied.again_if_sealed().unwrap());
        assert!(!copied.ledger().join("ckpt-8").exists());
        assert_eq!(fs::read_to_string(copied.ledger().join("mark")).unwrap(), "mark");
    }

    #[test]
    fn a_bench_that_changes_what_is_kept_fails() {
        let dir = tempfile::tempdir().unwrap();
        let kept = kept(dir.path());
        let copied = Copied::of(&kept).unwrap();
        fs::write(copied.ledger().join("seg-0000000001"), "through the link").unwrap();
        assert!(copied.finish().is_err());
    }
}
