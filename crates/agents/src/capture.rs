//! What a transcript gained becomes events of the ledger.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use memlith::transfer::{ImportError, ImportOptions, InputEnd, Whose};
use memlith::{Error, Ledger};

use crate::bookmark::Bookmark;
use crate::hook::Home;
use crate::ignored::ignored_files;
use crate::learning::{When, queue};
use crate::project::Project;
use crate::switch::Switch;

/// What a capture came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Captured {
    /// All that the transcript holds is in the ledger.
    Whole,
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
        /// What was tried.
        what: String,
        /// What the system says.
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
    let whose = whose(home, &bookmark.ledger);
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
            return Ok(Captured::Whole);
        }
        read => read?,
    };
    let when = if end == InputEnd::Over { When::Now } else { When::Quiet };
    queue(ledger, bookmark.scope(), &bookmark.session, when)?;
    let noted = bookmark.done(report.resume, ledger.id(), &home.state);
    noted.map_err(io("write a bookmark".to_owned()))?;
    Ok(Captured::Whole)
}

/// Whose what happened in a folder is in the ledger at `dir`: that of the folder's own project.
fn whose(home: &Home, dir: &Path) -> Whose {
    let (home, dir) = (home.clone(), dir.to_owned());
    Whose::new(move |folder| {
        let project = Project::of(Path::new(folder));
        let is_here = project.ledger.as_deref().unwrap_or(&home.ledger) == dir;
        is_here.then(|| home.scope(&dir, &project).subject.map(|subject| subject.to_string()))
    })
}

/// A transcript of fewer bytes may have no line that tells its format.
const SHORT: u64 = 4 << 10;
