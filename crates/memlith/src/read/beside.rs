//! Copies of other machines' ledgers beside one's own, which questions read with it.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use memlith_checkout::{Cited, Weighed, merge};
use memlith_log::{LedgerId, RecordId, Timestamp};
use memlith_threads::Mutex;

use crate::error::Error;
use crate::ledger::Ledger;
use crate::options::Options;
use crate::write::elsewhere::are_hidden;

/// The folder of copies within a ledger's, each in a folder of its ledger's id.
const REPLICAS: &str = "sync/replicas";

/// The copies of other machines' ledgers, opened when something is asked.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    folder: Option<PathBuf>,
    /// By folder, which a copy that is made anew takes the place of: with its file number.
    open: Mutex<BTreeMap<(PathBuf, u64), Ledger>>,
}

impl Beside {
    /// Those of the ledger in the folder `dir`.
    pub(crate) fn of(dir: &Path) -> Beside {
        Beside { folder: Some(dir.join(REPLICAS)), open: Mutex::default() }
    }

    fn numbered(&self) -> Vec<(PathBuf, u64)> {
        let numbered = |path: PathBuf| {
            let number = std::fs::metadata(&path).ok()?.ino();
            Some((path, number))
        };
        self.folders().into_iter().filter_map(numbered).collect()
    }

    fn folders(&self) -> Vec<PathBuf> {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
        let is_copy = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            let is_id = name.is_some_and(|name| LedgerId::from_hex(name).is_ok());
            is_id && path.join("seg-0000000000").is_file()
        };
        let mut folders: Vec<PathBuf> = paths.filter(is_copy).collect();
        folders.sort();
        folders
    }
}

/// The folder of copies that another history took the place of.
const KEPT: &str = "sync/kept";

/// Whether a folder is that of a copy of another machine's ledger.
pub(crate) fn is_copy(dir: &Path) -> bool {
    dir.parent().is_some_and(|parent| parent.ends_with(REPLICAS) || parent.ends_with(KEPT))
}

impl Ledger {
    /// The copies of other machines' ledgers that stand beside this one, ascending by id: those
    /// that `memlith sync` brought. They are open for reading only.
    ///
    /// One that can't be opened is left out, with a warning: a copy that is damaged keeps nobody
    /// from what is his own. Cost: a listing of a folder; the first time an opening of each.
    #[must_use]
    pub fn beside(&self) -> Vec<Ledger> {
        let folders = self.beside.numbered();
        if folders.is_empty() {
            return Vec::new();
        }
        let mut open = self.beside.open.lock();
        open.retain(|folder, _| folders.contains(folder));
        let options = Options { read_only: true, reconciler: None, ..self.options.clone() };
        let fresh: Vec<(PathBuf, u64)> =
            folders.into_iter().filter(|folder| !open.contains_key(folder)).collect();
        let opened = std::thread::scope(|scope| {
            let open = |folder: &(PathBuf, u64)| {
                let (folder, options) = (folder.clone(), options.clone());
                scope.spawn(move || (Ledger::open(&folder.0, options), folder))
            };
            let started: Vec<_> = fresh.iter().map(open).collect();
            started.into_iter().filter_map(|one| one.join().ok()).collect::<Vec<_>>()
        });
        for (ledger, folder) in opened {
            match ledger {
                Ok(ledger) => {
                    open.insert(folder, ledger);
                }
                Err(error) => {
                    tracing::warn!(path = %folder.0.display(), %error, "a copy of another machine's ledger is left out");
                }
            }
        }
        let mut beside: Vec<Ledger> = open.values().cloned().collect();
        beside.sort_by_key(Ledger::id);
        beside
    }

    /// The folders of the copies of other machines' ledgers beside this one.
    #[must_use]
    pub fn beside_folders(&self) -> Vec<PathBuf> {
        self.beside.folders()
    }

    /// The ledger of this id: this one, or a copy beside it.
    #[must_use]
    pub fn holder(&self, ledger: LedgerId) -> Option<Ledger> {
        if ledger == self.id() {
            return Some(self.clone());
        }
        self.beside().into_iter().find(|one| one.id() == ledger)
    }

    /// Puts what this ledger found and what `ask` finds in each copy beside it into one order.
    pub(crate) fn with_beside(
        &self,
        own: Vec<Weighed>,
        ask: impl Fn(&Ledger) -> Result<Vec<Weighed>, Error> + Sync,
        (limit, now): (usize, Timestamp),
    ) -> Vec<Cited> {
        let beside = self.beside();
        if beside.is_empty() {
            return own.into_iter().map(|one| one.cited).collect();
        }
        let mut answers: Vec<Vec<Weighed>> = vec![own];
        answers.extend(of_each(&beside, ask));
        for answer in &mut answers {
            self.take_out(&beside, answer, now);
        }
        let mut merged = merge(answers);
        merged.truncate(limit);
        merged
    }

    /// Takes out what a machine put out of sight that may; gives their ids.
    pub(crate) fn take_out(
        &self,
        beside: &[Ledger],
        items: &mut Vec<Weighed>,
        now: Timestamp,
    ) -> Vec<RecordId> {
        let of = |one: &Weighed| (one.cited.citation.ledger, one.cited.id, one.guard);
        let named: Vec<(LedgerId, RecordId, u8)> = items.iter().map(of).collect();
        let hidden = self.hidden_elsewhere(beside, &named, now);
        let mut out = Vec::new();
        let mut hides = hidden.into_iter();
        items.retain(|one| {
            let is_hidden = hides.next().unwrap_or(false);
            if is_hidden {
                out.push(one.cited.id);
            }
            !is_hidden
        });
        out
    }

    /// Whether each item, of the ledger that is named and guarded by a rank, is out of sight by a
    /// remark of another of these machines: this ledger and `beside`.
    #[must_use]
    pub fn hidden_elsewhere(
        &self,
        beside: &[Ledger],
        items: &[(LedgerId, RecordId, u8)],
        now: Timestamp,
    ) -> Vec<bool> {
        let all: Vec<Ledger> = beside.iter().cloned().chain([self.clone()]).collect();
        are_hidden(&all, items, now)
    }
}

/// Asks all `ledgers` at the same time; one that fails answers nothing.
pub(crate) fn of_each<T: Send>(
    ledgers: &[Ledger],
    ask: impl Fn(&Ledger) -> Result<T, Error> + Sync,
) -> Vec<T> {
    let ask = &ask;
    let answers = std::thread::scope(|scope| {
        let started: Vec<_> = ledgers.iter().map(|one| scope.spawn(move || ask(one))).collect();
        started.into_iter().filter_map(|one| one.join().ok()).collect::<Vec<_>>()
    });
    let told = |answer: Result<T, Error>| {
        answer.inspect_err(
            |error| tracing::warn!(%error, "a copy of another machine's ledger is left out"),
        )
    };
    answers.into_iter().filter_map(|answer| told(answer).ok()).collect()
}

/// The instant as the one who asks states it, for those who are asked with him.
pub(crate) fn at(now: Timestamp, caller: &crate::caller::Caller) -> crate::caller::Caller {
    crate::caller::Caller { now: Some(now), ..caller.clone() }
}
