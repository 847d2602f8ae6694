use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memlith::copy::InputEnd;
use memlith::{Error, Ledger, Options, Timestamp};
use memlith_writeback::{Extractor, Rules};

use crate::bookmark::Bookmark;
use crate::capture::capture;
use crate::hook::{Home, HookError, failed, leave};
use crate::learning::learn;
use crate::project::Project;
use crate::tree::Tree;

/// Work that hooks left to one whom nobody waits for, and how that one does it.
pub struct CatchUp<'a> {
    home: &'a Home,
    open: &'a dyn Fn(&Path) -> Result<Ledger, Error>,
    is_over: &'a dyn Fn() -> bool,
    extractor: &'a dyn Fn(&Path) -> Option<Box<dyn Extractor>>,
    then: &'a dyn Fn(&Ledger),
    ledgers: BTreeSet<PathBuf>,
}

impl<'a> CatchUp<'a> {
    /// All of it, in a process of its own.
    #[must_use]
    pub fn new(home: &'a Home) -> CatchUp<'a> {
        let here = std::env::current_dir().unwrap_or_default();
        let ledgers = [Some(home.ledger.clone()), Project::of(&here).ledger];
        CatchUp {
            home,
            open: &open,
            is_over: &|| false,
            extractor: &|_| Some(Box::new(Rules)),
            then: &|_| (),
            ledgers: ledgers.into_iter().flatten().collect(),
        }
    }

    /// In a process that has ledgers open already: `ledgers` too, by its handles, and no further
    /// job once `is_over`.
    #[must_use]
    pub fn beside(
        self,
        ledgers: impl IntoIterator<Item = PathBuf>,
        open: &'a dyn Fn(&Path) -> Result<Ledger, Error>,
        is_over: &'a dyn Fn() -> bool,
    ) -> CatchUp<'a> {
        let ledgers = self.ledgers.into_iter().chain(ledgers);
        // One ledger by two paths is one.
        let ledgers = ledgers.filter_map(|dir| std::fs::canonicalize(dir).ok()).collect();
        CatchUp { open, is_over, ledgers, ..self }
    }

    /// Takes an extractor for each ledger, in place of the rules of the engine; where there
    /// is none, the ledger's jobs wait.
    #[must_use]
    pub fn with(self, extractor: &'a dyn Fn(&Path) -> Option<Box<dyn Extractor>>) -> CatchUp<'a> {
        CatchUp { extractor, ..self }
    }

    /// Runs `then` on each ledger behind its jobs.
    #[must_use]
    pub fn then(self, then: &'a dyn Fn(&Ledger)) -> CatchUp<'a> {
        CatchUp { then, ..self }
    }

    /// Captures whatever hooks left behind, and does the jobs of write-back that are due at
    /// `now`, however long it takes; how many transcripts. None
    /// where another process is at it: hooks start one each while a long transcript is read,
    /// and many together would take the time that hooks have.
    ///
    /// # Errors
    /// The first that failed, once all were tried.
    pub fn run(mut self, now: Timestamp) -> Result<usize, HookError> {
        let held = self.home.state.hold("catch-up.lock");
        if matches!(held, Ok(None)) {
            return Ok(0);
        }
        let (mut done, mut failed_first) = (0, None);
        for bookmark in Bookmark::behind(&self.home.state) {
            if (self.is_over)() {
                break;
            }
            self.ledgers.insert(bookmark.ledger.clone());
            match self.capture(bookmark) {
                Ok(()) => done += 1,
                Err(error) => failed_first = failed_first.or(Some(error)),
            }
        }
        for dir in self.ledgers.iter().filter(|dir| dir.is_dir()) {
            let Some(extractor) = (self.extractor)(dir) else { continue };
            let here = std::env::current_dir().unwrap_or_default();
            let tree = Tree::of(&Project::of(&here), dir);
            let learned = self.at(dir, |ledger| {
                learn(ledger, (&*extractor, &tree), now, self.is_over)
                    .map_err(|source| failed(dir, source))?;
                (self.then)(ledger);
                Ok(())
            });
            failed_first = failed_first.or(learned.err());
        }
        // What can't be held is no reason to leave anything behind.
        drop(held);
        failed_first.map_or(Ok(done), Err)
    }

    fn capture(&self, bookmark: Bookmark) -> Result<(), HookError> {
        let end = match bookmark.end() {
            // Its client may be at work, or be gone for long.
            InputEnd::Growing | InputEnd::ByAge => InputEnd::ByAge,
            InputEnd::Over => InputEnd::Over,
        };
        self.at(&bookmark.ledger.clone(), |ledger| {
            capture(ledger, bookmark, (end, u64::MAX), self.home)?;
            Ok(())
        })
    }

    /// Does something with the ledger in `dir`; a checkpoint is written where one is due then.
    fn at(
        &self,
        dir: &Path,
        act: impl FnOnce(&Ledger) -> Result<(), HookError>,
    ) -> Result<(), HookError> {
        let ledger = (self.open)(dir).map_err(|source| failed(dir, source))?;
        act(&ledger)?;
        if let Err(error) = ledger.checkpoints().write_if_due() {
            tracing::debug!("write a checkpoint: {error}");
        }
        leave(ledger);
        Ok(())
    }
}

impl fmt::Debug for CatchUp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatchUp").field("ledgers", &self.ledgers).finish_non_exhaustive()
    }
}

/// Nobody waits for it, so that it waits longer than hooks do.
fn open(dir: &Path) -> Result<Ledger, Error> {
    Ledger::open(dir, Options { lock_timeout: Duration::from_secs(10), ..Options::default() })
}
