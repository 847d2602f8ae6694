//! Captures what a transcript gained as events of the ledger.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use memlith::copy::{ImportError, ImportOptions, InputEnd, Whose};
use memlith::{Error, Ledger};

use crate::bookmark::Bookmark;
use crate::hook::Home;
use crate::ignored::ignored_files;
use crate::learning::{When, queue};
use crate::project::Project;
use crate::switch::Switch;

/// A capture, as far as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Captured {
    /// All that the transcript holds for the ledger is in it; the projects, each with another
    /// ledger, in whose folders the rest happened.
    Whole(Vec<Project>),
    /// More was to be read than the caller has time for; nothing was.
    TooMuch,
}

/// A transcript was not captured; what was read of it before stays, and a later hook goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The transcript or the bookmark could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// The action that failed.
        what: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The ledger refused it.
    #[error(transparent)]
    Ledger(#[from] Error),
}

/// Captures what the transcript of `bookmark` gained, if that is at most `bytes_max`; it ends
/// as `end` says.
///
/// Nothing is captured twice, whatever becomes of the bookmark: an event is named by the
/// transcript's own names. What is killed on its way is done by the next one.
pub(crate) fn capture(
    ledger: &Ledger,
    bookmark: Bookmark,
    (end, bytes_max): (InputEnd, u64),
    home: &Home,
) -> Result<Captured, CaptureError> {
    let Some(client) = bookmark.client() else { return Ok(Captured::TooMuch) };
    let shown = || bookmark.transcript.display().to_string();
    let io = |what: String| move |source| CaptureError::Io { what, source };
    let (file, from, len) = bookmark.open(ledger.id()).map_err(io(format!("open {}", shown())))?;
    if len > bytes_max {
        return Ok(Captured::TooMuch);
    }
    let withheld = Switch::read(&home.settings).withheld(&bookmark.project);
    let ignored = ignored_files();
    let elsewhere = Arc::new(Mutex::new(BTreeMap::new()));
    let whose = whose(home, &bookmark.ledger, &elsewhere);
    let options = |from| ImportOptions {
        scope: bookmark.scope(),
        from,
        end,
        withheld: withheld.clone(),
        ignored: Some(ignored.clone()),
        whose: Some(whose.clone()),
        ..ImportOptions::default()
    };
    let is_resumed = from.is_some();
    let read = ledger.import(client.format(), BufReader::new(file), options(from));
    let report = match read {
        // What it refers to stands before the bookmark.
        Err(Error::Import(ImportError::BeforeResume { .. })) if is_resumed => {
            let whole =
                File::open(&bookmark.transcript).map_err(io(format!("open {}", shown())))?;
            ledger.import(client.format(), BufReader::new(whole), options(None))?
        }
        // The transcript has only begun: no line of it says what it is yet.
        Err(Error::Import(ImportError::NotThisFormat { .. })) if len < SHORT => {
            return Ok(Captured::Whole(Vec::new()));
        }
        read => read?,
    };
    let when = if end == InputEnd::Over { When::Now } else { When::Quiet };
    queue(ledger, bookmark.scope(), &bookmark.session, when)?;
    let noted = bookmark.done(report.resume, ledger.id(), &home.state);
    noted.map_err(io("write a bookmark".to_owned()))?;
    let elsewhere = std::mem::take(&mut *elsewhere.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Captured::Whole(elsewhere.into_values().collect()))
}

/// Gives what happened in a folder to the folder's own project, in the ledger at `dir`; notes the
/// projects that have another one, by that.
fn whose(home: &Home, dir: &Path, elsewhere: &Arc<Mutex<BTreeMap<PathBuf, Project>>>) -> Whose {
    let (home, dir, elsewhere) = (home.clone(), dir.to_owned(), Arc::clone(elsewhere));
    Whose::new(move |folder| {
        let project = Project::of(Path::new(folder));
        let ledger = project.ledger.clone().unwrap_or_else(|| home.ledger.clone());
        if ledger == dir {
            return Some(home.scope(&dir, &project).subject.map(|subject| subject.to_string()));
        }
        elsewhere.lock().unwrap_or_else(PoisonError::into_inner).insert(ledger, project);
        None
    })
}

/// A transcript of fewer bytes may have no line that tells its format.
const SHORT: u64 = 4 << 10;
