//! A storage of the user's own, written with the names of the public interface alone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memlith::storage::{
    Access, Env, File, FixedClock, Medium, MemoryDisk, Process, SeededRng, Storage,
};
use memlith::{Caller, Ledger, Options, Timestamp};

/// Passes everything on, and counts what is opened.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn Storage>,
    opened: Arc<AtomicU64>,
}

impl Storage for Counting {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        self.inner.open(name, access)
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

#[test]
fn a_ledger_lies_in_a_storage_of_ones_own() {
    let opened = Arc::new(AtomicU64::new(0));
    let storage = Counting { inner: Arc::new(MemoryDisk::new().process()), opened: opened.clone() };
    let env = Env {
        storage: Arc::new(storage),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
        rng: Arc::new(SeededRng::new(1)),
    };
    let ledger = Ledger::create_in(env, Options::default()).unwrap();
    let written = ledger.remember(&Caller::user("default", "ana"), "The cat is Momo.").unwrap();
    assert!(written.is_in_force());
    assert!(opened.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_handle_is_cloned_sent_and_opened_or_created() {
    fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("ledger");
    let ledger = Ledger::open_or_create(&dir, Options::default()).unwrap();
    is_shared(&ledger);
    let (id, other) = (ledger.id(), ledger.clone());
    let written = other.remember(&Caller::user("default", "ana"), "The cat is Momo.").unwrap();
    assert_eq!(ledger.head().seq, written.seq);
    // The clone goes on after the first one was let go.
    ledger.close().unwrap();
    other.refresh().unwrap();
    other.close().unwrap();
    assert_eq!(Ledger::open_or_create(&dir, Options::default()).unwrap().id(), id);
}
