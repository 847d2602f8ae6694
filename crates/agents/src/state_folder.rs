use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memlith::Timestamp;
use serde::{Deserialize, Serialize};

/// A folder of what hooks note between two calls: bookmarks, what was shown, what went wrong. All
/// of it may be lost; none of it is memory. What is switched off lies in one of its own, beside
/// the person's settings.
#[derive(Clone, Debug)]
pub struct StateFolder {
    path: PathBuf,
}

/// A hook that could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When.
    pub at: Timestamp,
    /// The client's name.
    pub client: String,
    /// The ledger that it was for, where it got so far.
    pub ledger: Option<PathBuf>,
    /// The error, in words.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.at, self.client, self.what)
    }
}

/// A log of what went wrong is begun anew at this length, in bytes.
const LOG_MAX: u64 = 256 << 10;

/// No file of this folder is longer, in bytes.
const FILE_MAX: u64 = 4 << 20;

impl StateFolder {
    /// The folder at `path`; it is made when something is written.
    #[must_use]
    pub fn new(path: PathBuf) -> StateFolder {
        StateFolder { path }
    }

    /// The bytes of a file; nothing where it is absent, too long or unreadable.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.path.join(name);
        let is_fit = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= FILE_MAX);
        if is_fit { fs::read(path).ok() } else { None }
    }

    /// Replaces a file, of the owner alone: written beside and renamed.
    ///
    /// # Errors
    /// The folder or the file can't be written.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.join(name);
        let folder = path.parent().unwrap_or(&self.path);
        make_private(folder)?;
        memlith_files::replace(&path, bytes)
    }

    /// Adds a line to a file.
    ///
    /// # Errors
    /// Those of [`StateFolder::write`].
    pub(crate) fn append(&self, name: &str, line: &str) -> io::Result<()> {
        let path = self.path.join(name);
        make_private(path.parent().unwrap_or(&self.path))?;
        let mut file = private().append(true).create(true).open(path)?;
        if file.metadata()?.len() > LOG_MAX {
            file.set_len(0)?;
        }
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Holds a file for this process until what is given is dropped; `None` where another one
    /// holds it.
    ///
    /// # Errors
    /// Those of [`StateFolder::write`].
    pub(crate) fn hold(&self, name: &str) -> io::Result<Option<File>> {
        make_private(&self.path)?;
        let file = private().append(true).create(true).open(self.path.join(name))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether a note of this name and tag was not made within so many microseconds of `now`:
    /// then it is made. Of two processes that ask at once one is told so.
    ///
    /// # Errors
    /// Those of [`StateFolder::write`].
    pub(crate) fn claim(
        &self,
        name: &str,
        tag: &str,
        now: Timestamp,
        within_us: i64,
    ) -> io::Result<bool> {
        let path = self.path.join(name);
        make_private(path.parent().unwrap_or(&self.path))?;
        let note = format!("{} {tag}", now.0);
        match private().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(note.as_bytes()).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let made = String::from_utf8(self.read(name).unwrap_or_default()).unwrap_or_default();
        // One that is just made may be empty yet.
        let is_fresh = made.split_once(' ').is_none_or(|(at, other)| {
            // The other one may have looked at the clock later.
            let apart = now.0.saturating_sub(at.parse().unwrap_or(i64::MIN)).unsigned_abs();
            other == tag && apart < within_us.unsigned_abs()
        });
        if !is_fresh {
            self.write(name, note.as_bytes())?;
        }
        Ok(!is_fresh)
    }

    /// Takes a file away.
    pub(crate) fn remove(&self, name: &str) {
        // What isn't there needs no removing, and all of it may stay.
        let _ = fs::remove_file(self.path.join(name));
    }

    /// The names of the files below a folder of it, in order.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path.join(folder)) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.map(|name| format!("{folder}/{name}")).collect();
        names.sort();
        names
    }

    /// The latest failures of hooks, oldest first.
    #[must_use]
    pub fn failures(&self) -> Vec<Failure> {
        let text = self.read(FAILURES).unwrap_or_default();
        let lines = String::from_utf8_lossy(&text);
        lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Notes that a hook could not do its work.
    pub fn note_failure(&self, failure: &Failure) {
        // Where even that fails there is nobody to tell.
        let line = serde_json::to_string(failure).unwrap_or_default();
        let _ = self.append(FAILURES, &line);
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

const FAILURES: &str = "failures.jsonl";

/// How a file of the owner alone is made.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
