//! Tests of the log over a real file system, with real locks and maps.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use memlith_log::{
    Access, Durability, Env, Error, File, Level, LocalStorage, Log, LogOptions, Medium, Process,
    Seq, Storage, SystemClock, SystemRng, verify,
};

use crate::ledger::{all, append, append_with, bodies, small};

/// A folder seen by a process that is not this one.
#[derive(Debug)]
struct Posing {
    storage: LocalStorage,
    id: Arc<AtomicU32>,
}

impl Storage for Posing {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        self.storage.open(name, access)
    }
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.storage.list(folder)
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.storage.rename(from, to)
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
        Ok(Medium::Local)
    }
    fn process(&self) -> Process {
        Process { id: self.id.load(Ordering::Relaxed), started: 0 }
    }
    fn boot_id(&self) -> [u8; 16] {
        self.storage.boot_id()
    }
    fn describe(&self) -> String {
        self.storage.describe()
    }
}

fn env_of(folder: &tempfile::TempDir, id: &Arc<AtomicU32>) -> Env {
    let storage = LocalStorage::create(folder.path()).unwrap();
    Env {
        storage: Arc::new(Posing { storage, id: id.clone() }),
        clock: Arc::new(SystemClock::new()),
        rng: Arc::new(SystemRng),
    }
}

fn process(id: u32) -> Arc<AtomicU32> {
    Arc::new(AtomicU32::new(id))
}

#[test]
fn a_ledger_on_disk_reads_the_same_with_and_without_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::create(env_of(&folder, &process(1)), small()).unwrap();
    for n in 0..20 {
        append(&log, &[&format!("{n} {}", "m".repeat(500))]).unwrap();
    }
    log.writer().unwrap().erase(1, &[Seq(3)]).unwrap();
    let records = all(&log).unwrap();
    log.close().unwrap();
    for mmap in [true, false] {
        let options = LogOptions { mmap, read_only: true, ..small() };
        let log = Log::open(env_of(&folder, &process(2)), options).unwrap();
        assert_eq!(all(&log).unwrap(), records, "mmap {mmap}");
        assert_eq!(log.read(Seq(7)).unwrap(), records[7]);
    }
    for level in [Level::Sealed, Level::Full] {
        let report = verify(&env_of(&folder, &process(3)), level).unwrap();
        assert_eq!((report.findings, report.records), (vec![], 23), "{level:?}");
    }
}

#[test]
fn two_processes_append_while_a_third_reads_whole_batches() {
    const EACH: usize = 150;
    let folder = tempfile::tempdir().unwrap();
    let options = || LogOptions { segment_lens: [16 << 10; 4], reserve_len: 0, ..small() };
    drop(Log::create(env_of(&folder, &process(1)), options()).unwrap());
    let write = |id: u32| {
        let log = Log::open(env_of(&folder, &process(id)), options()).unwrap();
        for n in 0..EACH {
            let (first, second) = (format!("{id} {n} first"), format!("{id} {n} second"));
            let durability = if n % 3 == 0 { Durability::Buffered } else { Durability::Immediate };
            append_with(&log, &[&first, &second], durability).unwrap();
        }
        log.close().unwrap();
    };
    let read = || {
        let options = LogOptions { read_only: true, ..options() };
        let log = Log::open(env_of(&folder, &process(4)), options).unwrap();
        let (mut seen, mut next) = (0, 1);
        while seen < 4 * EACH {
            let head = log.refresh().unwrap();
            for record in log.scan(Seq(next), head.seq) {
                let record = record.unwrap();
                assert_eq!(record.seq, Seq(next));
                next += 1;
                seen += 1;
            }
            assert_eq!(seen % 2, 0, "half a batch was shown");
        }
        bodies(&log).unwrap()
    };
    let found = std::thread::scope(|scope| {
        let reader = scope.spawn(read);
        let writers = [scope.spawn(|| write(2)), scope.spawn(|| write(3))];
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        reader.join().unwrap()
    });
    for id in [2, 3] {
        let own: Vec<_> = found.iter().filter(|body| body.starts_with(&format!("{id} "))).collect();
        assert_eq!(own.len(), 2 * EACH);
        assert_eq!(*own[2 * EACH - 1], format!("{id} {} second", EACH - 1));
    }
    let turns = found.windows(2).filter(|pair| pair[0][..1] != pair[1][..1]).count();
    assert!(turns >= 50, "writers changed {turns} times");
    assert_eq!(verify(&env_of(&folder, &process(5)), Level::Full).unwrap().findings, []);
}

#[test]
fn a_forked_child_is_refused_and_leaves_its_parents_lock_alone() {
    let folder = tempfile::tempdir().unwrap();
    let id = process(1);
    let log = Log::create(env_of(&folder, &id), small()).unwrap();
    let other = Log::open(
        env_of(&folder, &process(9)),
        LogOptions { lock_timeout: std::time::Duration::ZERO, ..small() },
    )
    .unwrap();
    let held = log.writer().unwrap();
    id.store(2, Ordering::Relaxed);
    drop(held);
    assert!(matches!(other.writer(), Err(Error::LockTimeout { .. })), "the child unlocked");
    assert!(matches!(log.writer(), Err(Error::Forked)));
    assert_eq!(bodies(&log).unwrap(), Vec::<String>::new());
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"x").unwrap();
    assert!(LocalStorage::open(&file).is_err());
    let storage = LocalStorage::open(folder.path()).unwrap();
    assert!(matches!(Log::open(Env::system(storage), small()), Err(Error::NoLedger { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was created");
}

#[test]
fn threads_of_one_process_and_another_process_never_share_the_lock() {
    const EACH: usize = 80;
    let folder = tempfile::tempdir().unwrap();
    let log = Log::create(env_of(&folder, &process(1)), small()).unwrap();
    let other = Log::open(env_of(&folder, &process(2)), small()).unwrap();
    std::thread::scope(|scope| {
        for log in [&log, &log, &log, &other] {
            scope.spawn(move || {
                for n in 0..EACH {
                    append_with(log, &[&n.to_string()], Durability::Buffered).unwrap();
                }
            });
        }
    });
    log.refresh().unwrap();
    assert_eq!(bodies(&log).unwrap().len(), 4 * EACH);
    assert_eq!(verify(&env_of(&folder, &process(5)), Level::Full).unwrap().findings, []);
}

/// File in the place of a segment.
#[derive(Clone, Copy, Debug)]
enum Instead {
    Link,
    LinkToAPipe,
    Folder,
    Pipe,
}

impl Instead {
    const ALL: [Instead; 4] = [Instead::Link, Instead::LinkToAPipe, Instead::Folder, Instead::Pipe];

    /// Puts it where the file was; that lies in `aside` then.
    fn put(self, path: &std::path::Path, aside: &std::path::Path) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let pipe = |path: &std::path::Path| {
            mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        };
        let file = aside.join("file");
        std::fs::rename(path, &file).unwrap();
        match self {
            Instead::Link => std::os::unix::fs::symlink(file, path).unwrap(),
            Instead::LinkToAPipe => {
                pipe(&aside.join("pipe"));
                std::os::unix::fs::symlink(aside.join("pipe"), path).unwrap();
            }
            Instead::Folder => std::fs::create_dir(path).unwrap(),
            Instead::Pipe => pipe(path),
        }
    }
}

/// A pipe without a writer keeps whoever reads it for ever, so that a test that ends has not.
#[test]
fn a_segment_that_is_no_regular_file_is_refused_and_never_read() {
    for (number, instead) in (0..3).flat_map(|n| Instead::ALL.map(|instead| (n, instead))) {
        let case = format!("segment {number} is a {instead:?}");
        let (folder, aside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let log = Log::create(env_of(&folder, &process(1)), small()).unwrap();
        for n in 0..12 {
            append(&log, &[&format!("{n} {}", "r".repeat(600))]).unwrap();
        }
        log.close().unwrap();
        let path = |number| folder.path().join(format!("seg-{number:010}"));
        assert!(path(2).exists() && !path(3).exists());
        instead.put(&path(number), aside.path());
        for read_only in [false, true] {
            let options = LogOptions { read_only, ..small() };
            let refused = Log::open(env_of(&folder, &process(2)), options).unwrap_err();
            assert!(refused.is_integrity(), "{case}: {refused}");
            let name = format!("seg-{number:010}");
            assert!(refused.to_string().contains(&name), "{case}: {refused}");
            if number == 2 {
                assert!(refused.to_string().contains("regular file"), "{case}: {refused}");
            }
        }
        match verify(&env_of(&folder, &process(3)), Level::Full) {
            Ok(report) => assert!(!report.is_ok(), "{case}"),
            Err(error) => assert!(error.is_integrity(), "{case}: {error}"),
        }
        assert!(Log::create(env_of(&folder, &process(4)), small()).is_err(), "{case}");
        assert!(!std::fs::symlink_metadata(path(number)).unwrap().is_file(), "{case}");
    }
}
