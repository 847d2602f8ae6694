use std::fmt;
use std::io;
use std::sync::Arc;

use memlith_log::{
    Access, Env, File, FixedClock, Mapping, Medium, MemoryDisk, MemoryStorage, Process, SeededRng,
    Storage,
};

use crate::ledger::NOW;

/// What a process is about to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Open,
    /// The file that has a name at the moment, or how long it is.
    Place,
    List,
    /// So many bytes.
    Bytes(usize),
}

/// Is asked before every reading of a file, and may have it fail.
pub(crate) type Watch = Arc<dyn Fn(&str, Reading) -> io::Result<()> + Send + Sync>;

/// A fresh process on `disk`, all of whose readings are watched.
pub(crate) fn watched(disk: &MemoryDisk, watch: Watch) -> Env {
    Env {
        storage: Arc::new(Watched { inner: disk.process(), watch }),
        clock: Arc::new(FixedClock::new(NOW)),
        rng: Arc::new(SeededRng::new(11)),
    }
}

struct Watched {
    inner: MemoryStorage,
    watch: Watch,
}

struct WatchedFile {
    name: String,
    inner: Arc<dyn File>,
    watch: Watch,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl fmt::Debug for WatchedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl Storage for Watched {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        (self.watch)(name, Reading::Open)?;
        let (name, inner) = (name.to_owned(), self.inner.open(name, access)?);
        Ok(Arc::new(WatchedFile { name, inner, watch: self.watch.clone() }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        (self.watch)(folder, Reading::List)?;
        self.inner.list(folder)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.inner.remove(name)
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        self.inner.create_folder(name)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.inner.sync_folder(folder)
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
        (self.watch)(name, Reading::Place)?;
        self.inner.file_identity(name)
    }

    fn identity(&self) -> io::Result<(u64, u64)> {
        self.inner.identity()
    }

    fn medium(&self) -> io::Result<Medium> {
        self.inner.medium()
    }

    fn process(&self) -> Process {
        self.inner.process()
    }

    fn boot_id(&self) -> [u8; 16] {
        self.inner.boot_id()
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }
}

impl File for WatchedFile {
    fn len(&self) -> io::Result<u64> {
        (self.watch)(&self.name, Reading::Place)?;
        self.inner.len()
    }

    fn identity(&self) -> io::Result<u64> {
        self.inner.identity()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (self.watch)(&self.name, Reading::Bytes(buffer.len()))?;
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.inner.write_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.inner.reserve(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    fn map(&self, len: u64) -> io::Result<Option<Mapping>> {
        self.inner.map(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}
