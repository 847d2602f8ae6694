use std::io;

use crate::Error;
use crate::lock::{LOCK_NAME, NEXT_NAME};
use crate::mark_file::MARK_NAME;
use crate::recover::QUARANTINE;
use crate::rotate::{PREPARED_NAME, RESERVE_NAME};
use crate::segment::segment_number;
use crate::storage::{Access, Storage};

/// A file in a ledger's folder that belongs to the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFile {
    /// Its name, relative to the ledger.
    pub name: String,
    /// What it is for.
    pub role: FileRole,
    /// Its length in bytes.
    pub len: u64,
}

/// What a file of the log is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileRole {
    /// Records; the number of the segment.
    Segment(u64),
    /// How far the log is known to be synced.
    Mark,
    /// The lock or its turnstile; content without meaning.
    Lock,
    /// The next segment's space: zeros.
    Prepared,
    /// Space kept back; content without meaning.
    Reserve,
    /// A copy of a segment that a crash left half written.
    Temporary,
    /// What was cut off behind the end.
    Quarantine,
}

/// Lists the log's files in a ledger's folder; all others belong to someone else.
///
/// # Errors
/// [`Error::Io`].
pub fn log_files(storage: &dyn Storage) -> Result<Vec<LogFile>, Error> {
    let mut files = Vec::new();
    let names = storage.list("").map_err(Error::io("list", "the folder"))?;
    let quarantined = storage.list(QUARANTINE).map_err(Error::io("list", QUARANTINE))?;
    let quarantined = quarantined.iter().map(|name| format!("{QUARANTINE}/{name}"));
    for name in names.into_iter().chain(quarantined) {
        let Some(role) = role_of(&name) else { continue };
        let file = match storage.open(&name, Access::Read) {
            // A writer renamed or removed it since the listing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(Error::io("open", &name))?,
        };
        let len = file.len().map_err(Error::io("read", &name))?;
        files.push(LogFile { name, role, len });
    }
    Ok(files)
}

fn role_of(name: &str) -> Option<FileRole> {
    if let Some(number) = segment_number(name) {
        return Some(FileRole::Segment(number));
    }
    if name.starts_with("quarantine/") {
        return Some(FileRole::Quarantine);
    }
    let is_copy = name.strip_suffix(".tmp").is_some_and(|stem| segment_number(stem).is_some());
    match name {
        MARK_NAME => Some(FileRole::Mark),
        LOCK_NAME | NEXT_NAME => Some(FileRole::Lock),
        PREPARED_NAME => Some(FileRole::Prepared),
        RESERVE_NAME => Some(FileRole::Reserve),
        _ => is_copy.then_some(FileRole::Temporary),
    }
}
