use std::io;

use serde::{Serialize, Serializer};

use crate::Error;
use crate::lock::{LOCK_NAME, NEXT_NAME};
use crate::mark_file::MARK_NAME;
use crate::recover::QUARANTINE;
use crate::segment::segment_number;
use crate::space::{PREPARED_NAME, RESERVE_NAME};
use crate::storage::{Access, Storage};

/// A file in a ledger's folder that belongs to the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LogFile {
    /// Its name, relative to the ledger.
    pub name: String,
    /// Purpose of the file.
    pub role: FileRole,
    /// Its length in bytes.
    #[serde(rename = "bytes")]
    pub len: u64,
}

/// Purpose of a file of the log.
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
    /// Bytes that were cut off behind the end.
    Quarantine,
}

impl FileRole {
    /// The name under which it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FileRole::Segment(_) => "segment",
            FileRole::Mark => "mark",
            FileRole::Lock => "lock",
            FileRole::Prepared => "prepared",
            FileRole::Reserve => "reserve",
            FileRole::Temporary => "temporary",
            FileRole::Quarantine => "quarantine",
        }
    }
}

impl Serialize for FileRole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
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

/// Whether a folder holds a ledger, or what is left of one.
///
/// # Errors
/// [`Error::Io`].
pub fn holds_ledger(storage: &dyn Storage) -> Result<bool, Error> {
    let names = storage.list("").map_err(Error::io("list", "the folder"))?;
    let any_segment = names.iter().any(|name| segment_number(name).is_some());
    Ok(any_segment || !remains(storage)?.is_empty())
}

/// Whether a file of this name, directly in a ledger's folder, belongs to the ledger: to its
/// log, or to what is derived from it.
pub(crate) fn is_of_ledger(name: &str) -> bool {
    let derived =
        ["ckpt-", "ckpt.", "run-", "tombstone."].iter().any(|prefix| name.starts_with(prefix));
    derived || role_of(name).is_some()
}

/// The files in a folder that only a ledger leaves, segments apart: what shows that there was
/// one.
///
/// Who was stopped while creating a ledger leaves none of them.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn remains(storage: &dyn Storage) -> Result<Vec<String>, Error> {
    let mut remains = Vec::new();
    let names = storage.list("").map_err(Error::io("list", "the folder"))?;
    for name in names.into_iter().filter(|name| is_of_ledger(name) && name != PREPARED_NAME) {
        let least = match role_of(&name) {
            Some(FileRole::Segment(_)) => continue,
            // Another program may have a file of this name.
            Some(FileRole::Reserve) => RESERVE_LEN_MIN,
            Some(
                FileRole::Mark
                | FileRole::Lock
                | FileRole::Prepared
                | FileRole::Temporary
                | FileRole::Quarantine,
            )
            | None => 0,
        };
        let len = storage.open(&name, Access::Read).and_then(|file| file.len());
        if len.is_ok_and(|len| len >= least) {
            remains.push(name);
        }
    }
    let quarantined = storage.list(QUARANTINE).map_err(Error::io("list", QUARANTINE))?;
    if !quarantined.is_empty() {
        remains.push(QUARANTINE.to_owned());
    }
    Ok(remains)
}

/// No reserve is smaller.
const RESERVE_LEN_MIN: u64 = 4_096;

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
