use std::fs::{File, OpenOptions, Permissions};
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

/// How a file is replaced; by default as a private file, not synced.
#[derive(Clone, Debug, Default)]
pub struct Replacing {
    /// The mode of the new file; 0600 where absent.
    pub permissions: Option<Permissions>,
    /// Whether the file and its name are synced: after a power cut it is then never the old one.
    pub durable: bool,
}

/// Replaces a file at once: written beside with mode 0600, and renamed.
///
/// # Errors
/// The folder can't be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Replacing::default().replace(path, bytes)
}

impl Replacing {
    /// Replaces a file at once: written beside, and renamed.
    ///
    /// # Errors
    /// The folder can't be written, or synced.
    pub fn replace(self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        if let Some(permissions) = self.permissions {
            file.as_file().set_permissions(permissions)?;
        }
        if self.durable {
            file.as_file().sync_all()?;
        }
        file.persist(path)?;
        if self.durable { File::open(folder)?.sync_all() } else { Ok(()) }
    }
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

/// Checks that a folder has room for so many bytes: they are written to a file that nobody sees,
/// and gone again.
///
/// # Errors
/// The folder can't be written, or has no room.
pub fn check_room(folder: &Path, bytes: usize) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(folder)?;
    file.write_all(&vec![0; bytes])?;
    file.sync_all()
}
