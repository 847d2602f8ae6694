//! A disk in memory between whose operations the explorer may go on with another thread,
//! and which checks every mark at the moment it is written.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memlith_log::{
    Access, Env, File, Head, Level, Log, LogOptions, Mapping, Medium, MemoryDisk, MemoryStorage,
    Process, SeededRng, Seq, Storage, verify,
};
use memlith_threads::Mutex;

use crate::clock::Turns;

/// The name of the mark's file, as `docs/format.md` gives it.
const MARK: &str = "mark";

/// One process's view of the disk.
#[derive(Debug)]
pub(crate) struct Stepped {
    disk: MemoryDisk,
    storage: MemoryStorage,
    step: Step,
}

/// Where the explorer may go on with another thread; nowhere without a lock.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    lock: Option<Arc<Mutex<()>>>,
    /// The highest floor that a mark gave a reader: one past the record.
    floor: Arc<AtomicU64>,
}

#[derive(Debug)]
struct SteppedFile {
    disk: MemoryDisk,
    file: Arc<dyn File>,
    is_mark: bool,
    step: Step,
}

impl Step {
    pub(crate) fn new(stepped: bool) -> Step {
        Step { lock: stepped.then(|| Arc::new(Mutex::new(()))), floor: Arc::default() }
    }

    fn take(&self) {
        if let Some(lock) = &self.lock {
            drop(lock.lock());
        }
    }

    /// A floor that went back would let a loss up to the higher one pass unnoticed.
    fn check_floor(&self, disk: &MemoryDisk) {
        let options = LogOptions { read_only: true, mmap: false, ..LogOptions::default() };
        let Ok(log) = Log::open(a_look_at(&disk.after_kill()), options) else { return };
        let floor = log.synced().map_or(0, |seq| seq.0 + 1);
        let before = self.floor.fetch_max(floor, Ordering::Relaxed);
        assert!(floor >= before, "the mark went back from {before} records to {floor}");
    }
}

impl Stepped {
    pub(crate) fn new(disk: &MemoryDisk, step: &Step) -> Stepped {
        Stepped { disk: disk.clone(), storage: disk.process(), step: step.clone() }
    }
}

/// The end of the log that a power cut would leave, with the mark as it stands: what is
/// marked was synced, or the log would be found cut short.
pub(crate) fn head_after_a_cut(disk: &MemoryDisk) -> Option<Head> {
    let mark = disk.bytes(MARK);
    let cut = disk.after_power_cut();
    if let Some(mark) = mark {
        cut.set_bytes(MARK, mark);
    }
    head_of(&cut)
}

/// The end of the log that a killed process would leave.
pub(crate) fn head_after_a_kill(disk: &MemoryDisk) -> Option<Head> {
    head_of(&disk.after_kill())
}

/// `None` where no log is named yet; a log that is not sound ends the exploration.
fn head_of(disk: &MemoryDisk) -> Option<Head> {
    let report = verify(&a_look_at(disk), Level::Sealed).ok()?;
    let head = report.head;
    Some(head.unwrap_or_else(|| panic!("the mark is above what was synced: {:?}", report.findings)))
}

fn a_look_at(disk: &MemoryDisk) -> Env {
    Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(Turns::new()),
        rng: Arc::new(SeededRng::new(0)),
    }
}

/// Whether `seq` outlives a power cut.
pub(crate) fn is_synced(disk: &MemoryDisk, seq: Seq) -> bool {
    head_after_a_cut(disk).is_some_and(|head| head.seq >= seq)
}

impl Storage for Stepped {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        self.step.take();
        Ok(Arc::new(SteppedFile {
            disk: self.disk.clone(),
            file: self.storage.open(name, access)?,
            is_mark: name == MARK,
            step: self.step.clone(),
        }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.step.take();
        self.storage.list(folder)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.step.take();
        self.storage.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.step.take();
        self.storage.remove(name)
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        self.storage.create_folder(name)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.step.take();
        self.storage.sync_folder(folder)
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
        self.step.take();
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

impl File for SteppedFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn identity(&self) -> io::Result<u64> {
        self.file.identity()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.step.take();
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.step.take();
        self.file.write_at(bytes, offset)?;
        if self.is_mark {
            head_after_a_cut(&self.disk);
            self.step.check_floor(&self.disk);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.step.take();
        self.file.set_len(len)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.file.reserve(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.step.take();
        self.file.sync_data()
    }

    fn map(&self, len: u64) -> io::Result<Option<Mapping>> {
        self.file.map(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.step.take();
        self.file.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.step.take();
        self.file.unlock()
    }
}
