use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, FlockOperation, RenameFlags};

use crate::env::{Env, LogOptions};
use crate::files::{holds_ledger, is_of_ledger};
use crate::layout::{len_usize, len64};
use crate::lock::LOCK_NAME;
use crate::log::Log;
use crate::recover::QUARANTINE;
use crate::segment::{Segment, segment_number};
use crate::space::is_full;
use crate::storage::{Access, File, LocalStorage, Storage};
use crate::{Error, LedgerId};

/// The folder of a backup, and the one beside it in which the next backup is made.
#[derive(Debug)]
pub(super) struct Destination {
    path: PathBuf,
    /// Backup that stands there, if there is one.
    earlier: Option<LocalStorage>,
    partial: PathBuf,
    staged: LocalStorage,
    /// Keeps other backups from the same folder, and writers of the one that stands.
    _locked: Vec<fs::File>,
}

/// A file on its way into the backup.
const ARRIVING: &str = "ckpt.tmp";
const CHUNK: u64 = 1 << 20;

impl Destination {
    /// Prepares a backup of `ledger`, which lies in `source`, into the folder `dest`.
    pub(super) fn at(
        dest: &Path,
        source: &dyn Storage,
        ledger: LedgerId,
    ) -> Result<Destination, Error> {
        let refuse = |what| refuse(dest, what);
        let path = absolute(dest)?;
        let parent = path.parent().ok_or_else(|| refuse("it has no parent folder"))?.to_owned();
        if within_ledger(&parent) {
            return Err(refuse("it lies inside a ledger's folder; name one elsewhere"));
        }
        let mut locked = Vec::new();
        let mut earlier = None;
        let metadata = fs::symlink_metadata(&path).ok();
        if metadata.is_some_and(|metadata| !metadata.is_dir()) {
            return Err(refuse("it is no folder; name a new one"));
        }
        if path.exists() {
            let there = LocalStorage::open(&path).map_err(io("open", &path))?;
            let same = there.identity().ok() == source.identity().ok();
            if same {
                return Err(refuse("it is the ledger itself; name another folder"));
            }
            if let Some(foreign) = foreign_file(&path)? {
                let what =
                    format!("it holds {foreign}, which is of no ledger; name another folder");
                return Err(refuse(&what));
            }
            if holds_ledger(&there)? {
                locked.extend(locked_lock(&path)?);
                earlier = Some(there);
            }
        }
        let mut partial = path.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let staged = LocalStorage::create_as(&partial, source.sharing());
        let staged = staged.map_err(io("create", &partial))?;
        locked.push(locked_folder(&partial, dest)?);
        if let Some(foreign) = foreign_file(&partial)? {
            let what = format!("{} holds {foreign}, which is of no backup", partial.display());
            return Err(refuse(&what));
        }
        if holds_other(&staged, ledger)? {
            let what = format!("{} holds another ledger; name another folder", partial.display());
            return Err(refuse(&what));
        }
        Ok(Destination { path, earlier, partial, staged, _locked: locked })
    }

    /// The backups that stand there, opened: the earlier one, and one that an interruption
    /// left beside it.
    pub(super) fn standing(&self, env: &Env) -> Result<Vec<Log>, Error> {
        let open = |path: &Path| {
            let storage = LocalStorage::open(path).map_err(io("open", path))?;
            let env = Env { storage: Arc::new(storage), ..env.clone() };
            Log::open(env, LogOptions { read_only: true, ..LogOptions::default() })
        };
        let mut standing = Vec::new();
        if self.earlier.is_some() {
            standing.push(open(&self.path).map_err(|error| match error.is_integrity() {
                true => {
                    let what = format!("what it holds is damaged ({error}); name another folder");
                    self.refuse(&what)
                }
                false => error,
            })?);
        }
        match open(&self.partial) {
            Ok(log) => standing.push(log),
            Err(Error::NoLedger { .. }) => {}
            // The interruption came before its end was there.
            Err(error) if error.is_integrity() => {}
            Err(error) => return Err(error),
        }
        Ok(standing)
    }

    /// The folder in which the backup is made.
    pub(super) fn storage(&self) -> &dyn Storage {
        &self.staged
    }

    /// Opens the folder anew, for one who opens the ledger in it.
    pub(super) fn reopened(&self) -> Result<LocalStorage, Error> {
        LocalStorage::open(&self.partial).map_err(io("open", &self.partial))
    }

    /// Removes what an interrupted backup left beside segments, and segments from `count` on.
    pub(super) fn clear_all_but_segments(&mut self, count: usize) -> Result<(), Error> {
        match fs::remove_dir_all(self.partial.join(QUARANTINE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io("remove", QUARANTINE)(error));
            }
            Ok(()) | Err(_) => {}
        }
        for name in self.staged.list("").map_err(io("list", &self.partial))? {
            let kept = segment_number(&name).is_some_and(|number| number < len64(count));
            if !kept {
                self.staged.remove(&name).map_err(Error::io("remove", &name))?;
            }
        }
        Ok(())
    }

    /// Whether the backup has the sealed segment already, as it is; a segment of the earlier
    /// backup becomes one of this by a link.
    pub(super) fn has(&mut self, segment: &Segment) -> Result<bool, Error> {
        if is_same(&self.staged, segment) {
            return Ok(true);
        }
        self.staged.remove(&segment.name).map_err(Error::io("remove", &segment.name))?;
        let Some(earlier) = &self.earlier else { return Ok(false) };
        Ok(is_same(earlier, segment) && self.link(&segment.name))
    }

    /// Copies `len` bytes of a file; gives `len`.
    pub(super) fn put(&self, name: &str, from: &Arc<dyn File>, len: u64) -> Result<u64, Error> {
        let copied = self.put_bytes(from.as_ref(), len);
        if let Err(error) = &copied
            && is_full(error)
        {
            // What lies there would only keep the disk full.
            let _ = fs::remove_dir_all(&self.partial);
        }
        copied.map_err(Error::io("copy", name))?;
        self.staged.rename(ARRIVING, name).map_err(Error::io("rename", name))?;
        Ok(len)
    }

    fn put_bytes(&self, from: &dyn File, len: u64) -> io::Result<()> {
        let file = self.staged.open(ARRIVING, Access::Fresh)?;
        let mut buffer = vec![0; len_usize(CHUNK.min(len))];
        let mut at = 0;
        while at < len {
            let wanted = len_usize(CHUNK.min(len - at));
            let bytes = buffer.get_mut(..wanted).unwrap_or_default();
            if from.read_at(bytes, at)? < wanted {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            file.write_at(bytes, at)?;
            at += len64(wanted);
        }
        file.sync_data()
    }

    /// Copies an immutable file of the ledger's folder; one that is gone since is passed over.
    pub(super) fn put_beside(&self, source: &dyn Storage, name: &str) -> Result<u64, Error> {
        let from = match source.open(name, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => opened.map_err(Error::io("open", name))?,
        };
        let len = from.len().map_err(Error::io("read", name))?;
        let there = self.earlier.as_ref().and_then(|there| there.open(name, Access::Read).ok());
        let same = there.is_some_and(|there| there.len().is_ok_and(|found| found == len));
        if same && self.link(name) { Ok(0) } else { self.put(name, &from, len) }
    }

    /// Takes a file of the earlier backup over; not every file system can.
    fn link(&self, name: &str) -> bool {
        fs::hard_link(self.path.join(name), self.partial.join(name)).is_ok()
    }

    /// Makes the new backup the one that stands.
    pub(super) fn put_in_place(self) -> Result<(), Error> {
        self.staged.sync_folder("").map_err(io("sync", &self.partial))?;
        if self.path.exists() {
            self.exchange().map_err(io("replace", &self.path))?;
        } else {
            fs::rename(&self.partial, &self.path).map_err(io("rename", &self.partial))?;
        }
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        let synced = fs::File::open(parent).and_then(|parent| parent.sync_all());
        synced.map_err(io("sync", parent))?;
        match fs::remove_dir_all(&self.partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(io("remove", &self.partial)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn exchange(&self) -> io::Result<()> {
        let (old, new) = (&self.path, &self.partial);
        match rustix::fs::renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            // A network file system knows only renames: a crash in between leaves the new
            // backup under the name of a partial one, which the next goes on from.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                let aside = new.with_extension("replaced");
                fs::rename(old, &aside)?;
                fs::rename(new, old)?;
                fs::rename(aside, new)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn refuse(&self, what: &str) -> Error {
        refuse(&self.path, what)
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        // Succeeds only where nothing was copied.
        let _ = fs::remove_dir(&self.partial);
    }
}

fn refuse(folder: &Path, what: &str) -> Error {
    Error::BackupRefused { folder: folder.display().to_string(), what: what.to_owned() }
}

fn io(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    Error::io(operation, path.display().to_string())
}

/// The folder's path, links followed; it need not exist, but its parent has to.
fn absolute(dest: &Path) -> Result<PathBuf, Error> {
    if dest.exists() {
        return dest.canonicalize().map_err(io("find", dest));
    }
    let parent = dest.parent().filter(|parent| *parent != Path::new(""));
    let parent = parent.unwrap_or(Path::new("."));
    let name = dest.file_name().ok_or_else(|| refuse(dest, "it names no folder"))?;
    let real = parent.canonicalize().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            refuse(dest, &format!("{} isn't there; make it first", parent.display()))
        } else {
            io("find", parent)(error)
        }
    })?;
    Ok(real.join(name))
}

fn within_ledger(folder: &Path) -> bool {
    folder.ancestors().any(|ancestor| {
        let storage = LocalStorage::open(ancestor);
        storage.is_ok_and(|storage| holds_ledger(&storage).unwrap_or(false))
    })
}

/// The first entry of a folder that belongs to no ledger.
fn foreign_file(folder: &Path) -> Result<Option<String>, Error> {
    let mut foreign = None;
    for entry in fs::read_dir(folder).map_err(io("list", folder))? {
        let entry = entry.map_err(io("list", folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().map_err(io("list", folder))?.is_dir();
        let known = if is_folder { name == QUARANTINE } else { is_of_ledger(&name) };
        if !known {
            foreign = foreign.into_iter().chain([name]).min();
        }
    }
    Ok(foreign)
}

/// Whether a folder holds a segment of another ledger than `ledger`.
fn holds_other(folder: &LocalStorage, ledger: LedgerId) -> Result<bool, Error> {
    let names = folder.list("").map_err(Error::io("list", "the folder"))?;
    let numbers = names.iter().filter_map(|name| segment_number(name));
    let mut segments = numbers.map(|number| Segment::open(folder, number, false));
    Ok(segments.any(|segment| segment.is_ok_and(|segment| segment.header.ledger != ledger)))
}

/// The lock of the ledger that stands there, held, if it has one.
fn locked_lock(folder: &Path) -> Result<Option<fs::File>, Error> {
    let path = folder.join(LOCK_NAME);
    let file = match fs::File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(io("open", &path))?,
    };
    if try_lock(&file).map_err(io("lock", &path))? {
        return Ok(Some(file));
    }
    Err(refuse(folder, "a process writes to it; a backup is not to be written to"))
}

/// The folder itself, locked, if it is still the one of its name then.
fn locked_folder(folder: &Path, dest: &Path) -> Result<fs::File, Error> {
    let busy = || refuse(dest, "another backup to it is under way");
    let file = fs::File::open(folder).map_err(io("open", folder))?;
    if !try_lock(&file).map_err(io("lock", folder))? {
        return Err(busy());
    }
    let identity = |metadata: fs::Metadata| {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.dev(), metadata.ino())
    };
    let here = file.metadata().map_err(io("read", folder))?;
    let named = fs::metadata(folder).map_err(|_| busy())?;
    if identity(here) == identity(named) { Ok(file) } else { Err(busy()) }
}

fn try_lock(file: &fs::File) -> io::Result<bool> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether a folder holds this sealed segment as it is: header, footer and length.
fn is_same(folder: &LocalStorage, segment: &Segment) -> bool {
    let Some((footer, end)) = &segment.footer else { return false };
    let Ok(there) = Segment::open(folder, segment.header.number, true) else { return false };
    let same = there.header == segment.header
        && there.footer.as_ref().is_some_and(|(found, at)| (found, at) == (footer, end));
    let len = end.saturating_add(footer.len());
    same && there.file.len().is_ok_and(|found| found == len)
}
