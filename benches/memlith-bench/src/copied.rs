use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rustix::fs::{Advice, fadvise, syncfs};

use crate::plan::{entries, is_checkpoint};

/// A copy of a kept ledger, for checkouts that write.
///
/// What is never written again is linked, not copied: checkpoints, and every segment but
/// the newest. So a copy is made in a moment, and its pages are as warm as the original's.
pub(crate) struct Copied {
    kept: PathBuf,
    folder: tempfile::TempDir,
    copies: u64,
}

impl Copied {
    /// Copies the ledger in `kept` to a folder beside it.
    pub(crate) fn of(kept: &Path) -> Result<Copied> {
        let beside = kept.parent().unwrap_or(kept);
        let folder = tempfile::tempdir_in(beside).context("make a folder for copies")?;
        let mut copied = Copied { kept: kept.to_owned(), folder, copies: 0 };
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
        let own = names(&self.ledger(), is_checkpoint)?;
        let changed = own != names(&self.kept, is_checkpoint)?;
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
        let newest = names(&self.kept, |name| name.starts_with("seg-"))?.pop();
        copy(&self.kept, &ledger, &newest.unwrap_or_default())?;
        // What the file system still has to do for it isn't to fall into what is timed.
        let synced = || -> std::io::Result<()> { Ok(syncfs(File::open(&ledger)?)?) };
        synced().with_context(|| format!("sync the file system of {}", ledger.display()))
    }
}

/// Writes back what is dirty in the files of `dir`, and asks the system to drop their pages.
///
/// The pages of the program itself stay: other processes run it too.
pub(crate) fn drop_caches(dir: &Path) -> Result<()> {
    each_file(dir, &|path| {
        let file = File::open(path)?;
        file.sync_all()?;
        Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
    })
}

/// Reads the files of `dir`, so that the system holds their pages as far as it has room.
pub(crate) fn warm(dir: &Path) -> Result<()> {
    each_file(dir, &|path| std::io::copy(&mut File::open(path)?, &mut std::io::sink()).map(drop))
}

fn each_file(dir: &Path, work: &dyn Fn(&Path) -> std::io::Result<()>) -> Result<()> {
    for entry in entries(dir)? {
        let path = entry.path();
        match path.is_dir() {
            true => each_file(&path, work)?,
            false => work(&path).with_context(|| format!("read {}", path.display()))?,
        }
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

/// The names of the files in `dir` that are such, sorted.
fn names(dir: &Path, is_such: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let entries = entries(dir)?.into_iter();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| is_such(name)).collect();
    names.sort();
    Ok(names)
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
}
