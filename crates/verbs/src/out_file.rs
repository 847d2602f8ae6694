//! A file that a flag names, to be written.
//!
//! Invariants: 1. nothing is written into a ledger's folder; 2. a file that is there is
//! replaced only with `--force`, and then whole or not at all; 3. what is written is its
//! owner's alone.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::NamedTempFile;

use crate::exit::refused;

/// Writes into an existing file.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Force {
    /// Replaces the output file if it exists.
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Replaces what is there.
    pub const YES: Force = Force { force: true };
}

/// A file on its way: it gets its name when it is whole.
#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    force: Force,
    partial: NamedTempFile,
}

impl OutFile {
    /// Begins a file that will have the name `path`. A symbolic link is followed: what it
    /// leads to is replaced, not the link.
    ///
    /// # Errors
    /// The path lies inside a ledger's folder, something is there and `force` is not given, or
    /// the folder can't be written to.
    pub fn create(path: &Path, force: Force) -> Result<OutFile> {
        let (folder, path) = place(path)?;
        refuse_ledger(&folder, &path)?;
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("look at {}", path.display())),
            Ok(found) if found.is_file() && force.force => {}
            Ok(found) if found.is_file() => {
                return Err(refused(format!(
                    "{} exists; --force replaces it, or name another file",
                    path.display()
                )));
            }
            Ok(_) => {
                return Err(refused(format!(
                    "{} is no regular file; name another one",
                    path.display()
                )));
            }
        }
        let partial = tempfile::Builder::new().prefix(".memlith-").tempfile_in(&folder);
        let partial = partial.with_context(|| format!("create a file in {}", folder.display()))?;
        Ok(OutFile { path, force, partial })
    }

    /// Makes the file durable under its name.
    ///
    /// # Errors
    /// It can't be synced or named, or somebody else created a file of that name meanwhile.
    pub fn finish(self) -> Result<()> {
        let shown = self.path.display().to_string();
        self.partial.as_file().sync_all().with_context(|| format!("sync {shown}"))?;
        let named = match self.force.force {
            true => self.partial.persist(&self.path),
            false => self.partial.persist_noclobber(&self.path),
        };
        named.map_err(|error| error.error).with_context(|| format!("give {shown} its name"))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let synced = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
        synced.with_context(|| format!("sync {}", folder.display()))
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.partial.flush()
    }
}

/// Writes a whole file; see [`OutFile`].
///
/// # Errors
/// Those of [`OutFile::create`] and [`OutFile::finish`].
pub fn write(path: &Path, bytes: &[u8], force: Force) -> Result<()> {
    let mut file = OutFile::create(path, force)?;
    file.write_all(bytes).with_context(|| format!("write {}", path.display()))?;
    file.finish()
}

/// Creates a folder for output, its owner's alone, with its parents; outside of any ledger.
///
/// # Errors
/// It lies inside a ledger's folder, or can't be created.
pub fn create_folder(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    outside_ledgers(path)?;
    let mut builder = std::fs::DirBuilder::new();
    let created = builder.recursive(true).mode(0o700).create(path);
    created.with_context(|| format!("create the folder {}", path.display()))
}

/// Confirms that a folder, which need not exist, lies in no ledger's folder.
///
/// # Errors
/// It does.
pub fn outside_ledgers(path: &Path) -> Result<()> {
    let exists = path.ancestors().find(|ancestor| ancestor.exists());
    let exists = exists.filter(|ancestor| *ancestor != Path::new(""));
    refuse_ledger(exists.unwrap_or(Path::new(".")), path)
}

/// The folder in which a file of this name is written, and its path there.
fn place(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let shown = path.display();
    let path = match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            path.canonicalize().with_context(|| format!("follow the link {shown}"))?
        }
        Ok(_) | Err(_) => path.to_owned(),
    };
    let name = path
        .file_name()
        .ok_or_else(|| refused(format!("{shown} names no file; name one in that folder")))?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let folder = folder.canonicalize().with_context(|| format!("find the folder of {shown}"))?;
    let path = folder.join(name);
    Ok((folder, path))
}

fn refuse_ledger(folder: &Path, path: &Path) -> Result<()> {
    let Some(ledger) = memlith::prove::enclosing_ledger(folder)? else { return Ok(()) };
    Err(refused(format!(
        "{} lies inside the ledger in {}; nothing else is written there: name a file elsewhere",
        path.display(),
        ledger.display()
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use memlith::{Ledger, Options};

    use super::*;

    fn contents(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_written_into_a_ledger_nor_over_a_file_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        Ledger::create(at("ledger"), Options::default()).unwrap().close().unwrap();
        fs::create_dir(at("ledger/deep")).unwrap();
        fs::write(at("old"), "old").unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink(at("ledger/mark"), at("to-mark")).unwrap();
        symlink(at("ledger"), at("to-ledger")).unwrap();
        symlink(at("old"), at("to-old")).unwrap();
        symlink(at("nowhere"), at("to-nowhere")).unwrap();
        let before = (contents(folder.path()), contents(&at("ledger")));
        let no = Force::default();
        for (name, force) in [
            ("ledger/new", Force::YES),
            ("ledger/mark", Force::YES),
            ("ledger/seg-0000000000", Force::YES),
            ("ledger/deep/new", Force::YES),
            ("to-mark", Force::YES),
            ("to-ledger/new", Force::YES),
            ("old", no),
            ("to-old", no),
            ("to-nowhere", Force::YES),
            ("folder", Force::YES),
            ("absent/new", Force::YES),
            ("..", Force::YES),
        ] {
            let refused = write(&at(name), b"new", force).unwrap_err();
            assert!(!refused.to_string().is_empty(), "{name}");
            assert_eq!((contents(folder.path()), contents(&at("ledger"))), before, "{name}");
            assert_eq!(fs::read(at("old")).unwrap(), b"old", "{name}");
        }
        assert!(create_folder(&at("ledger/skills/one")).is_err());
        assert_eq!((contents(folder.path()), contents(&at("ledger"))), before);
    }

    #[test]
    fn a_file_is_written_whole_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("new"), b"one", Force::default()).unwrap();
        symlink(at("new"), at("link")).unwrap();
        for (name, text) in [("new", "two"), ("link", "three")] {
            write(&at(name), text.as_bytes(), Force::YES).unwrap();
            assert_eq!(fs::read_to_string(at("new")).unwrap(), text, "{name}");
        }
        assert!(at("link").symlink_metadata().unwrap().is_symlink());
        assert_eq!(contents(folder.path()), ["link", "new"]);
        let mode = at("new").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        // Dropped before it is finished, it leaves nothing.
        let mut file = OutFile::create(&at("half"), Force::default()).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(contents(folder.path()), ["link", "new"]);
        // Somebody else was quicker.
        let file = OutFile::create(&at("late"), Force::default()).unwrap();
        fs::write(at("late"), "theirs").unwrap();
        assert!(file.finish().is_err());
        assert_eq!(fs::read_to_string(at("late")).unwrap(), "theirs");
    }
}
