use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::Arc;

use memlith_log::{Access, Env, File, Mapping, Medium, Process, Storage};

/// Access that is about to happen to a name, but for [`Touch::Renamed`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// It is opened.
    Open(Access),
    /// It is asked which file has the name, or how long that is.
    Place,
    /// The folder is listed.
    List,
    /// This many bytes are read.
    Read(usize),
    /// The file is synced.
    Sync,
    /// A file has been given this name.
    Renamed,
}

impl Touch {
    /// Whether it only reads, a name, a length or bytes.
    pub fn is_reading(self) -> bool {
        !matches!(self, Touch::Sync | Touch::Renamed)
    }
}

/// Is told of what happens, and may have it fail.
type Tell = dyn Fn(&str, Touch) -> io::Result<()> + Send + Sync;

/// Another storage, watched.
pub struct Watched {
    storage: Arc<dyn Storage>,
    tell: Arc<Tell>,
}

struct WatchedFile {
    name: String,
    file: Arc<dyn File>,
    tell: Arc<Tell>,
}

thread_local! {
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

impl Watched {
    /// `env` with its storage watched by `tell`, which isn't told of what it causes itself.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// use memlith_log::{Env, FixedClock, Log, LogOptions, MemoryDisk, SeededRng, Timestamp};
    /// use memlith_testkit::{Touch, Watched};
    ///
    /// let disk = MemoryDisk::new();
    /// let env = Env {
    ///     storage: Arc::new(disk.process()),
    ///     clock: Arc::new(FixedClock::new(Timestamp(0))),
    ///     rng: Arc::new(SeededRng::new(1)),
    /// };
    /// let syncs = Arc::new(AtomicU32::new(0));
    /// let counted = Arc::clone(&syncs);
    /// let watched = Watched::env(env, move |_, touch| {
    ///     counted.fetch_add(u32::from(touch == Touch::Sync), Ordering::Relaxed);
    ///     Ok(())
    /// });
    /// Log::create(watched, LogOptions::default())?;
    /// assert!(syncs.load(Ordering::Relaxed) > 0);
    /// # Ok::<(), memlith_log::Error>(())
    /// ```
    pub fn env(
        env: Env,
        tell: impl Fn(&str, Touch) -> io::Result<()> + Send + Sync + 'static,
    ) -> Env {
        let watched = Watched { storage: env.storage, tell: Arc::new(tell) };
        Env { storage: Arc::new(watched), ..env }
    }
}

/// Tells of `touch`, unless this thread is telling.
fn say(tell: &Tell, name: &str, touch: Touch) -> io::Result<()> {
    if TELLING.replace(true) {
        return Ok(());
    }
    let said = tell(name, touch);
    TELLING.set(false);
    said
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.storage.fmt(f)
    }
}

impl fmt::Debug for WatchedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)
    }
}

impl Storage for Watched {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        say(&*self.tell, name, Touch::Open(access))?;
        let (name, file) = (name.to_owned(), self.storage.open(name, access)?);
        Ok(Arc::new(WatchedFile { name, file, tell: Arc::clone(&self.tell) }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        say(&*self.tell, folder, Touch::List)?;
        self.storage.list(folder)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.storage.rename(from, to)?;
        say(&*self.tell, to, Touch::Renamed)
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
        say(&*self.tell, name, Touch::Place)?;
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

    fn readers(&self) -> usize {
        self.storage.readers()
    }
}

impl File for WatchedFile {
    fn len(&self) -> io::Result<u64> {
        say(&*self.tell, &self.name, Touch::Place)?;
        self.file.len()
    }

    fn identity(&self) -> io::Result<u64> {
        self.file.identity()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        say(&*self.tell, &self.name, Touch::Read(buffer.len()))?;
        self.file.read_at(buffer, offset)
    }

    fn will_need(&self, offset: u64, len: u64) {
        self.file.will_need(offset, len);
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.file.reserve(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        say(&*self.tell, &self.name, Touch::Sync)?;
        self.file.sync_data()
    }

    fn map(&self, len: u64) -> io::Result<Option<Mapping>> {
        self.file.map(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }
}

#[cfg(test)]
mod tests {
    use memlith_log::{FixedClock, MemoryDisk, SeededRng, Timestamp};
    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn it_is_told_of_everything_but_what_it_does_itself() {
        let disk = MemoryDisk::new();
        let env = Env {
            storage: Arc::new(disk.process()),
            clock: Arc::new(FixedClock::new(Timestamp(0))),
            rng: Arc::new(SeededRng::new(1)),
        };
        let told = Arc::new(Mutex::new(Vec::new()));
        let own: Arc<Mutex<Option<Arc<dyn Storage>>>> = Arc::default();
        let (all, again) = (told.clone(), own.clone());
        let watched = Watched::env(env, move |name, touch| {
            all.lock().push((name.to_owned(), touch));
            again.lock().as_ref().map_or(Ok(()), |storage| storage.list("").map(drop))
        });
        let storage = watched.storage;
        *own.lock() = Some(storage.clone());
        let file = storage.open("a", Access::Create).unwrap();
        file.write_at(b"text", 0).unwrap();
        assert_eq!(file.len().unwrap(), 4);
        assert_eq!(file.read_at(&mut [0; 3], 0).unwrap(), 3);
        file.sync_data().unwrap();
        storage.rename("a", "b").unwrap();
        storage.file_identity("b").unwrap();
        assert_eq!(storage.list("").unwrap(), ["b"]);
        let expected = [
            ("a", Touch::Open(Access::Create)),
            ("a", Touch::Place),
            ("a", Touch::Read(3)),
            ("a", Touch::Sync),
            ("b", Touch::Renamed),
            ("b", Touch::Place),
            ("", Touch::List),
        ];
        assert_eq!(*told.lock(), expected.map(|(name, touch)| (name.to_owned(), touch)));
    }
}
