use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Reads a file, `bytes_max` bytes at most; `None` where it isn't there.
///
/// # Errors
/// It can't be read, or is longer ([`ErrorKind::FileTooLarge`]).
pub fn read(path: &Path, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(Some(bytes))
}

/// Replaces a file at once: written beside with mode 0600, and renamed.
///
/// Not synced: after a power cut the file may be the old one.
///
/// # Errors
/// The folder can't be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Waits until this process alone holds the lock file at `path`; dropping it lets go.
///
/// # Errors
/// The file can't be made or locked.
pub fn hold(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.lock()?;
    Ok(file)
}
