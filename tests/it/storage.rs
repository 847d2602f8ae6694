//! A storage that tells somebody of every operation on names.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memlith::{Env, Storage};
use memlith_log::{Access, File, Medium, Process};

/// An operation that is about to be done.
pub(crate) enum Operation<'a> {
    Open(&'a str, Access),
    /// It is done already.
    Renamed(&'a str),
}

impl Operation<'_> {
    pub(crate) fn is_open(&self, name: &str, how: Access) -> bool {
        matches!(self, Operation::Open(opened, access) if *opened == name && *access == how)
    }

    pub(crate) fn is_rename_to(&self, prefix: &str) -> bool {
        matches!(self, Operation::Renamed(to) if to.starts_with(prefix))
    }
}

type Tell = dyn Fn(&Operation<'_>) + Send + Sync;

/// Another storage, watched.
pub(crate) struct Watched {
    storage: Arc<dyn Storage>,
    tell: Box<Tell>,
    telling: AtomicBool,
}

impl Watched {
    /// `env` with its storage watched by `tell`, which isn't told of what it causes itself.
    pub(crate) fn env(env: Env, tell: impl Fn(&Operation<'_>) + Send + Sync + 'static) -> Env {
        let watched =
            Watched { storage: env.storage, tell: Box::new(tell), telling: AtomicBool::new(false) };
        Env { storage: Arc::new(watched), ..env }
    }

    fn say(&self, operation: &Operation<'_>) {
        if !self.telling.swap(true, Ordering::Relaxed) {
            (self.tell)(operation);
            self.telling.store(false, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.storage.fmt(f)
    }
}

impl Storage for Watched {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        self.say(&Operation::Open(name, access));
        self.storage.open(name, access)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.storage.list(folder)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.storage.rename(from, to)?;
        self.say(&Operation::Renamed(to));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.storage.remove(name)
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        self.storage.create_folder(name)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.storage.sync_folder(folder)
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
        self.storage.file_identity(name)
    }

    fn identity(&self) -> io::Result<(u64, u64)> {
        self.storage.identity()
    }

    fn medium(&self) -> io::Result<Medium> {
        self.storage.medium()
    }

    fn process(&self) -> Process {
        self.storage.process()
    }

    fn boot_id(&self) -> [u8; 16] {
        self.storage.boot_id()
    }

    fn describe(&self) -> String {
        self.storage.describe()
    }
}
