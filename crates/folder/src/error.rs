use std::path::PathBuf;

/// Why a folder could not be read, rendered or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The ledger refused.
    #[error("the ledger could not be read")]
    Ledger(#[from] memlith::Error),
    /// The root of the folder, or a file, is a symbolic link.
    #[error("{} is a symbolic link; name what it points to", path.display())]
    SymbolicLink {
        /// The link.
        path: PathBuf,
    },
    /// A file of instructions has one marker without the other, or more than two.
    #[error("the markers of Memlith in {} are not one pair, each alone in its line; mend or remove them by hand", path.display())]
    Markers {
        /// The file.
        path: PathBuf,
    },
    /// Something that isn't a folder stands there.
    #[error("{} is no folder; move it away, or name another", path.display())]
    NoFolder {
        /// The path where something stands that isn't a folder.
        path: PathBuf,
    },
    /// The folder holds files, and none of them says that Memlith wrote them.
    #[error("{} was not written by Memlith; take it over with --adopt, or name another", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has no manifest.
    #[error("{} was not rendered by Memlith", path.display())]
    NotRendered {
        /// The folder.
        path: PathBuf,
    },
    /// The folder was rendered from this ledger, which knows what it tells.
    #[error("{} was rendered from this ledger; what was added by hand is taken in with `memlith agent folder render --keep-edits`", path.display())]
    OwnFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder was rendered from another ledger.
    #[error("{} is of the ledger {ledger}; open that one", path.display())]
    OtherLedger {
        /// The folder.
        path: PathBuf,
        /// The ledger's id.
        ledger: String,
    },
    /// Files were changed by hand since the last render.
    #[error("changed by hand: {}; keep them as notes with --keep-edits, or undo them with --discard-edits", paths.join(", "))]
    EditedByHand {
        /// The files, within the folder.
        paths: Vec<String>,
    },
    /// Another render is at work on the folder.
    #[error("another render is at work on {}; try again when it is done", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The manifest can't be read.
    #[error("{} can't be read; remove it, and render with --adopt", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
    /// The folder holds more than is read.
    #[error("{} has more than {max} {of}", path.display())]
    TooMuch {
        /// The file or folder.
        path: PathBuf,
        /// The most.
        max: usize,
        /// Of what.
        of: &'static str,
    },
    /// No such line was rendered.
    #[error("{path} has no line {line}")]
    NoLine {
        /// The file, within the folder.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// The disk failed.
    #[error("{} could not be {what}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The action that failed, as a participle.
        what: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The git program failed.
    #[error("the baseline of {} could not be committed: {message}", path.display())]
    Git {
        /// The folder.
        path: PathBuf,
        /// The message of the program.
        message: String,
    },
}

impl Error {
    /// A failure of the disk at `path`.
    pub(crate) fn io(
        path: impl Into<PathBuf>,
        what: &'static str,
    ) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, what, source }
    }
}
