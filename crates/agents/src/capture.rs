//! What a transcript gained becomes events of the ledger.

use std::io::{self, BufReader};

use memlith::transfer::{ImportError, ImportOptions, InputEnd};
use memlith::{Error, Ledger, Scope};

use crate::cursor::Cursor;
use crate::state_folder::StateFolder;
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
    /// The transcript or the cursor could not be read or written.
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

/// Captures what the transcript of `cursor` gained, if that is at most `bytes_max`.
///
/// Nothing is captured twice, whatever becomes of the cursor: an event is named by the
/// transcript's own names. What is killed on its way is done by the next one.
pub(crate) fn capture(
    ledger: &Ledger,
    cursor: Cursor,
    (end, bytes_max): (InputEnd, u64),
    state: &StateFolder,
) -> Result<Captured, CaptureError> {
    let cursor = Cursor::load(state, cursor, ledger.id());
    let Some(client) = cursor.client() else { return Ok(Captured::TooMuch) };
    let shown = || cursor.transcript.display().to_string();
    let io = |what: String| move |source| CaptureError::Io { what, source };
    // If this process ends here, somebody else knows that there is something to do.
    cursor.save(state, ledger.id()).map_err(io("write a cursor".to_owned()))?;
    let (file, from, len) = cursor.open().map_err(io(format!("open {}", shown())))?;
    if len > bytes_max {
        return Ok(Captured::TooMuch);
    }
    let scope =
        Scope { subject: cursor.subject.clone().map(Into::into), ..Scope::tenant("default") };
    let withheld = Switch::read(state).withheld(&cursor.project);
    let options = |from| ImportOptions {
        scope: scope.clone(),
        from,
        end,
        withheld: withheld.clone(),
        ..ImportOptions::default()
    };
    let is_resumed = from.is_some();
    let read = ledger.import(client.format(), BufReader::new(file), options(from));
    let report = match read {
        // What it refers to stands before the cursor.
        Err(Error::Import(ImportError::BeforeResume { .. })) if is_resumed => {
            let whole =
                std::fs::File::open(&cursor.transcript).map_err(io(format!("open {}", shown())))?;
            ledger.import(client.format(), BufReader::new(whole), options(None))?
        }
        // The transcript has only begun: no line of it says what it is yet.
        Err(Error::Import(ImportError::NotThisFormat { .. })) if len < SHORT => {
            return Ok(Captured::Whole);
        }
        read => read?,
    };
    let moved = cursor.moved_to(report.resume);
    let moved = moved.map_err(io(format!("read {}", shown())))?;
    moved.save(state, ledger.id()).map_err(io("write a cursor".to_owned()))?;
    Ok(Captured::Whole)
}

/// A transcript of fewer bytes may have no line that tells its format.
const SHORT: u64 = 4 << 10;
