use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};

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
    /// Opens the folder.
    ///
    /// # Errors
    /// It isn't there.
    pub fn open(folder: &Path) -> Result<FolderLog> {
        if folder.is_dir() {
            return Ok(FolderLog { folder: folder.to_owned() });
        }
        Err(Error::Refused(format!("{} is not there: mount or make it", folder.display())))
    }

    /// The folder of a ledger's frames, made where there is none, for whom the shared one is.
    fn make(&self, ledger: LedgerId) -> io::Result<PathBuf> {
        let folder = self.folder.join(name_of(ledger, Seq::GENESIS).0);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made?;
                fs::set_permissions(&folder, fs::metadata(&self.folder)?.permissions())?;
                File::open(&self.folder)?.sync_all()?;
            }
        }
        Ok(folder)
    }

    fn path(&self, ledger: LedgerId, first: Seq) -> PathBuf {
        let (ledger, name) = name_of(ledger, first);
        self.folder.join(ledger).join(name)
    }
}

/// Gives a file a name that none has; whether it did. Durable. A process that is killed leaves nothing
/// where the file system makes files without a name.
fn put_once(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let folder = path.parent().unwrap_or(path);
    let write = |file: &mut File| {
        file.set_permissions(as_in(folder)?)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    let linked = match rustix::fs::open(folder, OFlags::TMPFILE | OFlags::RDWR, Mode::RUSR) {
        Ok(file) => {
            let mut file = File::from(file);
            write(&mut file)?;
            let named = format!("/proc/self/fd/{}", file.as_raw_fd());
            rustix::fs::linkat(CWD, named, CWD, path, AtFlags::SYMLINK_FOLLOW)
                .map_err(io::Error::from)
        }
        Err(error) => Err(error.into()),
    };
    let linked = match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            write(file.as_file_mut())?;
            fs::hard_link(file.path(), path)
        }
        linked => linked,
    };
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        linked => linked?,
    }
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// Removes what processes that were killed were putting there: it may have the words that are erased
/// too, or keys. What has its name has it twice then; what has none is another's that is at it, unless it is
/// old at `now`, by the clock of the folder.
pub(crate) fn remove_left_over(folder: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // What is gone since needs nothing.
        let Ok(about) = entry.metadata() else { continue };
        let is_old = now.duration_since(about.modified()?).is_ok_and(|age| age > LEFT_OVER_AGE);
        let is_temporary = entry.file_name().to_string_lossy().starts_with(".tmp");
        if is_temporary && (about.nlink() > 1 || is_old) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// The age from which nobody is putting a file there any more.
const LEFT_OVER_AGE: Duration = Duration::from_secs(60);

/// The permissions of a file for whoever has its folder.
fn as_in(folder: &Path) -> io::Result<fs::Permissions> {
    let mode = fs::metadata(folder)?.permissions().mode();
    Ok(fs::Permissions::from_mode(mode & 0o666 | 0o600))
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
            self.make(ledger)?;
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
        let replace = || {
            let folder = self.make(ledger)?;
            let permissions = Some(as_in(&folder)?);
            memlith_files::Replacing { durable: true, permissions }.replace(&path, frame)?;
            remove_left_over(&folder, fs::metadata(&path)?.modified()?)
        };
        replace().map_err(|error| unreached(&path, &error))
    }

    fn probe(&self) -> std::result::Result<(), SharedError> {
        let probe = || {
            let tried = tempfile::NamedTempFile::new_in(&self.folder)?.into_temp_path();
            let again = put_once(&tried, b"second")?;
            fs::remove_file(&tried)?;
            Ok(put_once(&tried, b"first")? && !again)
        };
        match probe() {
            Ok(true) => Ok(()),
            Ok(false) => Err(SharedError::NotAllowed(format!(
                "{} gives one name to two files: it can't be shared",
                self.folder.display()
            ))),
            Err(error) => Err(unreached(&self.folder, &error)),
        }
    }
}

fn unreached(path: &Path, error: &io::Error) -> SharedError {
    SharedError::Unreached(format!("{}: {error}", path.display()))
}
