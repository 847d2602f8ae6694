//! A person's machines in folders of a test.

use std::path::{Path, PathBuf};

use memlith::{Caller, Ledger, Options};
use memlith_sync::{NewRemote, Result, Run, Sync};

/// A machine: its ledger, and the person at it.
pub(crate) struct Machine {
    pub(crate) dir: PathBuf,
    pub(crate) ledger: Ledger,
    pub(crate) ana: Caller,
}

/// A person's home with a place that is a folder, or another.
///
/// `MEMLITH_TEST_CARRIER` names a way to reach the folder other than itself, as `rclone::local:` or
/// `ssh://127.0.0.1:2222`: the tests of folders then are those of that carrier.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) place: String,
}

impl Home {
    pub(crate) fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("place");
        std::fs::create_dir(&place).unwrap();
        #[expect(clippy::disallowed_methods, reason = "whoever runs the tests names it")]
        let carrier = std::env::var("MEMLITH_TEST_CARRIER").unwrap_or_default();
        Home { place: format!("{carrier}{}", place.display()), folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder in which the files of the place lie.
    pub(crate) fn folder_of_place(&self) -> PathBuf {
        self.path().join("place")
    }

    /// A machine that takes no part yet.
    pub(crate) fn machine(&self, name: &str) -> Machine {
        let dir = self.path().join(name);
        let ledger = Ledger::create(&dir, Options::default()).unwrap();
        Machine { dir, ledger, ana: Caller::user("acme", "ana") }
    }

    /// Machines that take part, the first one by its code.
    pub(crate) fn machines<const N: usize>(&self, names: [&str; N]) -> [Machine; N] {
        let mut code = None;
        names.map(|name| {
            let machine = self.machine(name);
            let known = machine.add(&self.place, code.as_deref()).unwrap();
            code.get_or_insert(known);
            machine
        })
    }
}

impl Machine {
    pub(crate) fn sync(&self) -> Sync {
        Sync::of(&self.dir)
    }

    /// Adds the place; gives the code.
    pub(crate) fn add(&self, place: &str, code: Option<&str>) -> Result<String> {
        let name = self.dir.file_name().unwrap().to_string_lossy().into_owned();
        let (address, code) = (place.parse().unwrap(), code.map(str::to_owned));
        let new = NewRemote { address, name: None, machine: name, code };
        Ok(self.sync().add(&self.ledger, new)?.code)
    }

    /// Runs; nothing may fail.
    pub(crate) fn run(&self) -> Run {
        let run = self.try_run();
        assert!(run.is_ok(), "{run:?}");
        run
    }

    pub(crate) fn try_run(&self) -> Run {
        // A process that another test starts holds the lock too until it is another program.
        let run = || self.sync().run(&self.ledger, &self.ana).unwrap();
        (0..100_000).find_map(|_| run()).expect("nobody else runs")
    }

    /// Runs, and says what went wrong.
    pub(crate) fn problems(&self) -> String {
        let run = self.try_run();
        let failed = run.remotes.iter().filter_map(|one| one.failed.clone());
        let refused = run.remotes.iter().flat_map(|one| &one.problems).map(|one| one.what.clone());
        failed.chain(refused).collect::<Vec<_>>().join("; ")
    }

    pub(crate) fn says(&self, text: &str) -> memlith::RecordId {
        self.ledger.remember(&self.ana, text).unwrap().id
    }

    /// The texts of the answers to a question, in order.
    pub(crate) fn answers(&self, question: &str) -> Vec<String> {
        let pack = self.ledger.checkout(&self.ana, question).unwrap().pack;
        pack.items.into_iter().map(|item| item.excerpt.text).collect()
    }

    /// The other machine's copy here.
    pub(crate) fn copy_of(&self, other: &Machine) -> PathBuf {
        self.dir.join("sync/replicas").join(other.ledger.id().to_string())
    }
}

/// All files under a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Whether any file under a folder has these bytes.
pub(crate) fn holds(folder: &Path, words: &str) -> bool {
    let has = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    };
    files(folder).iter().any(has)
}
