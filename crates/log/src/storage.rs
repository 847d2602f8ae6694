//! The only way to the disk. Every file operation of the log goes through here,
//! so that a test can count, fail or cut off each of them.

mod extent;
mod local;
mod memory;
mod sharing;

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::mapping::Mapping;

pub(crate) use extent::Extent;
pub use local::LocalStorage;
pub use memory::{Fault, FaultKind, MemoryDisk, MemoryStorage};
pub use sharing::{Exposed, Sharing};

/// The folder of one ledger.
///
/// Names are relative, with `/` between a folder and a file. Nothing is durable
/// before the matching sync: bytes and length by [`File::sync_data`], names by
/// [`Storage::sync_folder`].
pub trait Storage: fmt::Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// Those of the system; `NotFound` unless `access` creates.
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>>;

    /// The names of the files directly in `folder` (`""` is the ledger's own), sorted.
    ///
    /// # Errors
    /// Those of the system; a folder that does not exist is empty, the ledger's own is an error.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Renames a file over another.
    ///
    /// # Errors
    /// Those of the system.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file; one that does not exist is no error.
    ///
    /// # Errors
    /// Those of the system.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Creates a folder; one that exists is no error.
    ///
    /// # Errors
    /// Those of the system.
    fn create_folder(&self, name: &str) -> io::Result<()>;

    /// Makes the names in `folder` durable.
    ///
    /// # Errors
    /// Those of the system.
    fn sync_folder(&self, folder: &str) -> io::Result<()>;

    /// Returns the identity of the file that has this name at the moment.
    ///
    /// # Errors
    /// Those of the system.
    fn file_identity(&self, name: &str) -> io::Result<u64>;

    /// Returns the identity of this folder on the machine.
    ///
    /// # Errors
    /// Those of the system.
    fn identity(&self) -> io::Result<(u64, u64)>;

    /// Returns the medium that the folder lies on.
    ///
    /// # Errors
    /// Those of the system.
    fn medium(&self) -> io::Result<Medium>;

    /// The process that asks; another one after a fork.
    fn process(&self) -> Process;

    /// The boot of the machine; zero if it cannot be known.
    fn boot_id(&self) -> [u8; 16];

    /// The folder's name for messages.
    fn describe(&self) -> String;

    /// The users of the machine who may read and write what is created here.
    fn sharing(&self) -> Sharing {
        Sharing::Private
    }

    /// Number of threads that may read at once with profit.
    ///
    /// One, unless it says otherwise: a disk that counts or fails its operations in turn
    /// does the same again only for one thread.
    fn readers(&self) -> usize {
        1
    }
}

/// One open file. Reads and writes name their offset; there is no cursor.
pub trait File: fmt::Debug + Send + Sync {
    /// The length in bytes.
    ///
    /// # Errors
    /// Those of the system.
    fn len(&self) -> io::Result<u64>;

    /// Returns the identity of this file, whatever its name.
    ///
    /// # Errors
    /// Those of the system.
    fn identity(&self) -> io::Result<u64>;

    /// Whether the file has no bytes.
    ///
    /// # Errors
    /// Those of the system.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Fills `buffer` from `offset`; returns fewer bytes only at the end of the file.
    ///
    /// # Errors
    /// Those of the system.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Says that these bytes are read soon, so that those of several places come at once.
    ///
    /// A hint: it reads nothing, can't fail, and may be passed over.
    fn will_need(&self, _offset: u64, _len: u64) {}

    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// Those of the system; then any part may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Cuts or extends the file with zeros.
    ///
    /// # Errors
    /// Those of the system.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Reserves space for `len` bytes whose content does not matter.
    ///
    /// # Errors
    /// Those of the system; `StorageFull` if there is not as much.
    fn reserve(&self, len: u64) -> io::Result<()>;

    /// Makes the bytes and the length durable.
    ///
    /// # Errors
    /// Those of the system; after one nothing is known about the unsynced bytes.
    fn sync_data(&self) -> io::Result<()>;

    /// Maps the first `len` bytes for reading; `None` where mapping is not possible.
    ///
    /// # Errors
    /// Those of the system.
    fn map(&self, len: u64) -> io::Result<Option<Mapping>>;

    /// Takes the exclusive lock on the file, if it is free.
    ///
    /// # Errors
    /// Those of the system.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives the lock back.
    ///
    /// # Errors
    /// Those of the system.
    fn unlock(&self) -> io::Result<()>;
}

/// Mode in which a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// For reading; it must exist.
    Read,
    /// For reading and writing; it must exist.
    Write,
    /// For reading and writing; created if absent, content kept.
    Create,
    /// For reading and writing; created if absent, emptied otherwise.
    Fresh,
}

/// Kind of file system that a folder lies on, as far as it can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Medium {
    /// A local file system that is known to keep locks and syncs.
    Local,
    /// A network file system, or one that is not known; the number is its magic.
    Foreign(u64),
}

/// A process: its id, and its start time, since ids are used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Process {
    /// The process id.
    pub id: u32,
    /// When it started, in the system's own unit; 0 if unknown.
    pub started: u64,
}
