use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};

use super::name_of;
use crate::error::{Error, Result};

/// The longest frame that is read, in bytes; none comes near it.
const FRAME_LEN_MAX: u64 = 1 << 30;

/// A shared log in a folder that all nodes write: of one machine, or on a network file system where
/// a hard link is made once.
#[derive(Debug)]
pub struct FolderLog {
    folder: PathBuf,
}

impl FolderLog {
    /// Opens the folder, and tries whether a name is given to one file alone.
    ///
    /// # Errors
    /// It isn't there, or a second file took the name of the first.
    pub fn open(folder: &Path) -> Result<FolderLog> {
        if !folder.is_dir() {
            let what = format!("{} is not there: mount or make it", folder.display());
            return Err(Error::Refused(what));
        }
        let io = || Error::io(format!("try {}", folder.display()));
        let tried = tempfile::NamedTempFile::new_in(folder).map_err(io())?.into_temp_path();
        let again = put_once(&tried, b"second").map_err(io())?;
        fs::remove_file(&tried).map_err(io())?;
        let first = put_once(&tried, b"first").map_err(io())?;
        if first && !again {
            return Ok(FolderLog { folder: folder.to_owned() });
        }
        let what = format!("{} gives one name to two files: it can't be shared", folder.display());
        Err(Error::Refused(what))
    }

    fn path(&self, ledger: LedgerId, first: Seq) -> PathBuf {
        let (ledger, name) = name_of(ledger, first);
        self.folder.join(ledger).join(name)
    }
}

/// Gives a file a name that none has; whether it did. Durable.
fn put_once(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    match fs::hard_link(file.path(), path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        linked => linked?,
    }
    File::open(folder)?.sync_all()?;
    Ok(true)
}

impl SharedLog for FolderLog {
    fn append_if(
        &self,
        ledger: LedgerId,
        first: Seq,
        frame: &[u8],
    ) -> std::result::Result<bool, SharedError> {
        let path = self.path(ledger, first);
        let put = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            put_once(&path, frame)
        };
        put().map_err(|error| unreached(&path, &error))
    }

    fn read(
        &self,
        ledger: LedgerId,
        first: Seq,
    ) -> std::result::Result<Option<Vec<u8>>, SharedError> {
        let path = self.path(ledger, first);
        let is_file = |about: fs::Metadata| about.is_file() && about.len() <= FRAME_LEN_MAX;
        match fs::symlink_metadata(&path).map(is_file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // Whoever has the place may have put a pipe there, which would never end.
            Ok(false) => Err(SharedError::Unreadable(format!(
                "{} is no file of at most {FRAME_LEN_MAX} bytes: take it away",
                path.display()
            ))),
            Ok(true) => fs::read(&path).map(Some).map_err(|error| unreached(&path, &error)),
            Err(error) => Err(unreached(&path, &error)),
        }
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> std::result::Result<Option<Seq>, SharedError> {
        let folder = self.folder.join(ledger.to_string());
        let names = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            names => names.map_err(|error| unreached(&folder, &error))?,
        };
        let mut first = None;
        for name in names {
            let name = name.map_err(|error| unreached(&folder, &error))?.file_name();
            let seq = name.to_str().filter(|name| name.len() == 20).and_then(|it| it.parse().ok());
            first = seq.map(Seq).filter(|seq| *seq >= from).into_iter().chain(first).min();
        }
        Ok(first)
    }

    fn replace(
        &self,
        ledger: LedgerId,
        first: Seq,
        frame: &[u8],
    ) -> std::result::Result<(), SharedError> {
        let path = self.path(ledger, first);
        let durable = memlith_files::Replacing { durable: true, permissions: None };
        durable.replace(&path, frame).map_err(|error| unreached(&path, &error))
    }
}

fn unreached(path: &Path, error: &io::Error) -> SharedError {
    SharedError::Unreached(format!("{}: {error}", path.display()))
}
