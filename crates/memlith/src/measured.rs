//! Access for measurements beside the engine: the log without folds, and a storage that counts. No
//! part of the interface; nothing that isn't a measurement may use it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use memlith_log::{
    Access, FIRST_EVENT_KIND, File, Flags, Log, LogOptions, Mapping, Medium, NewRecord, Position,
    Process, frame_len, verify as verify_log,
};

use crate::storage::Storage;

/// A storage that counts what is done through it.
#[derive(Debug)]
pub struct CountedStorage {
    inner: Arc<dyn Storage>,
    counts: Arc<Counters>,
}

/// Counts of operations so far; the difference of two of these is what was done between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that were opened.
    pub opens: u64,
    /// Reads.
    pub reads: u64,
    /// Bytes that they gave.
    pub read_bytes: u64,
    /// Bytes of the maps that were made, touched or not.
    pub mapped_bytes: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes that they took.
    pub written_bytes: u64,
    /// Syncs of a file's bytes and length.
    pub file_syncs: u64,
    /// Syncs of a folder's names.
    pub folder_syncs: u64,
}

/// The counts of a storage while others use it.
#[derive(Debug, Default)]
pub struct Counters {
    opens: AtomicU64,
    reads: AtomicU64,
    read_bytes: AtomicU64,
    mapped_bytes: AtomicU64,
    writes: AtomicU64,
    written_bytes: AtomicU64,
    file_syncs: AtomicU64,
    folder_syncs: AtomicU64,
}

#[derive(Debug)]
struct CountedFile {
    inner: Arc<dyn File>,
    counts: Arc<Counters>,
}

impl CountedStorage {
    /// Counts what is done to `inner`.
    #[must_use]
    pub fn new(inner: impl Storage + 'static) -> CountedStorage {
        CountedStorage { inner: Arc::new(inner), counts: Arc::default() }
    }

    /// Where the counts are to be read.
    #[must_use]
    pub fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counts)
    }
}

impl Counters {
    /// The counts so far.
    #[must_use]
    pub fn now(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            opens: of(&self.opens),
            reads: of(&self.reads),
            read_bytes: of(&self.read_bytes),
            mapped_bytes: of(&self.mapped_bytes),
            writes: of(&self.writes),
            written_bytes: of(&self.written_bytes),
            file_syncs: of(&self.file_syncs),
            folder_syncs: of(&self.folder_syncs),
        }
    }
}

impl Counts {
    /// Counts the operations done since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Counts) -> Counts {
        Counts {
            opens: self.opens - earlier.opens,
            reads: self.reads - earlier.reads,
            read_bytes: self.read_bytes - earlier.read_bytes,
            mapped_bytes: self.mapped_bytes - earlier.mapped_bytes,
            writes: self.writes - earlier.writes,
            written_bytes: self.written_bytes - earlier.written_bytes,
            file_syncs: self.file_syncs - earlier.file_syncs,
            folder_syncs: self.folder_syncs - earlier.folder_syncs,
        }
    }
}

fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

impl Storage for CountedStorage {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        add(&self.counts.opens, 1);
        let inner = self.inner.open(name, access)?;
        Ok(Arc::new(CountedFile { inner, counts: Arc::clone(&self.counts) }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
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
        add(&self.counts.folder_syncs, 1);
        self.inner.sync_folder(folder)
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
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

impl File for CountedFile {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn identity(&self) -> io::Result<u64> {
        self.inner.identity()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let count = self.inner.read_at(buffer, offset)?;
        add(&self.counts.reads, 1);
        add(&self.counts.read_bytes, count as u64);
        Ok(count)
    }

    fn will_need(&self, offset: u64, len: u64) {
        self.inner.will_need(offset, len);
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        add(&self.counts.writes, 1);
        add(&self.counts.written_bytes, bytes.len() as u64);
        self.inner.write_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.inner.reserve(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        add(&self.counts.file_syncs, 1);
        self.inner.sync_data()
    }

    fn map(&self, len: u64) -> io::Result<Option<Mapping>> {
        let mapping = self.inner.map(len)?;
        add(&self.counts.mapped_bytes, mapping.as_ref().map_or(0, |_| len));
        Ok(mapping)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}

#[cfg(test)]
mod tests {
    use memlith_log::LocalStorage;

    use super::*;

    #[test]
    fn everything_that_is_done_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let storage = CountedStorage::new(LocalStorage::open(dir.path()).unwrap());
        let counters = storage.counters();
        let file = storage.open("file", Access::Fresh).unwrap();
        file.write_at(b"seven b", 0).unwrap();
        let written = counters.now();
        file.sync_data().unwrap();
        storage.sync_folder("").unwrap();
        assert_eq!(file.read_at(&mut [0; 100], 2).unwrap(), 5);
        assert!(file.map(4).unwrap().is_some());
        let expected = Counts {
            reads: 1,
            read_bytes: 5,
            mapped_bytes: 4,
            file_syncs: 1,
            folder_syncs: 1,
            ..Counts::default()
        };
        assert_eq!(counters.now().since(written), expected);
        assert_eq!((written.opens, written.writes, written.written_bytes), (1, 1, 7));
    }
}
