use std::io;

use memlith::{ErrorKind, LedgerId};

use crate::MachineId;

/// Why machines couldn't be brought to one state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] memlith::Error),
    /// A file or program failed.
    #[error("can't {what}: {source}")]
    Io {
        /// The operation, and what it was tried on.
        what: String,
        /// The system's error.
        source: io::Error,
    },
    /// The request can't be carried out as it stands.
    #[error("{0}")]
    Refused(String),
    /// A program that reaches a remote failed.
    #[error("{program} failed: {said}")]
    Program {
        /// The program.
        program: &'static str,
        /// The code that it ended with; none where a signal ended it.
        code: Option<i32>,
        /// The last lines it said.
        said: String,
    },
    /// A file on a remote isn't what its name says.
    #[error("{name} on {remote} was refused: {what}")]
    Foreign {
        /// The remote.
        remote: String,
        /// The file.
        name: String,
        /// The fault.
        what: &'static str,
    },
    /// A file that a manifest names isn't on the remote.
    #[error(
        "{name} is not on {remote}: it is on its way, or was replaced just now; the next run takes \
         it"
    )]
    OnItsWay {
        /// The remote.
        remote: String,
        /// The file.
        name: String,
    },
    /// A remote shows an older state of a machine than it showed before.
    #[error(
        "{remote} was set back: it shows state {found} of {machine}, and showed state {known} \
         before; nothing was taken from it"
    )]
    RolledBack {
        /// The remote.
        remote: String,
        /// The machine.
        machine: String,
        /// The number of the state that is there.
        found: u64,
        /// The number of the newest state that was seen.
        known: u64,
    },
    /// Another process, or another machine with a copy of this folder, wrote under this machine's
    /// name.
    #[error(
        "{remote} has a newer state of this machine ({machine}) than it put there: its folder was \
         copied to another machine, or set back to a copy. On the one that is to start anew run \
         `memlith sync remove --all`, then `memlith sync add`; where what it writes is then refused \
         by the others, run `memlith sync remove --machine {machine}` on them"
    )]
    Twin {
        /// The remote.
        remote: String,
        /// This machine.
        machine: MachineId,
    },
    /// A machine gave this one up.
    #[error(
        "{machine} gave this machine up: what it writes can't be read here any more. If that was \
         not meant, join again: `memlith sync remove --all`, then `memlith sync add` with its code"
    )]
    GivenUp {
        /// The other machine.
        machine: String,
    },
    /// Two machines write one ledger.
    #[error(
        "{machine} ({id}) writes the ledger {ledger}, which is this machine's too: one was copied \
         by hand, and nothing is taken from it. Start a new one there with `memlith init`; if it is \
         what this machine was called before, `memlith sync remove --machine {id}`"
    )]
    SameLedger {
        /// Its id.
        id: MachineId,
        /// The other machine.
        machine: String,
        /// The ledger.
        ledger: LedgerId,
    },
}

/// The result of bringing machines together.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes the error for a file that failed.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }

    /// Classifies the error by the response that it calls for.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Engine(error) => error.kind(),
            Error::Io { .. } | Error::Program { .. } | Error::OnItsWay { .. } => ErrorKind::Io,
            Error::Refused(_) | Error::GivenUp { .. } => ErrorKind::Refused,
            Error::Foreign { .. }
            | Error::RolledBack { .. }
            | Error::Twin { .. }
            | Error::SameLedger { .. } => ErrorKind::Integrity,
        }
    }
}
