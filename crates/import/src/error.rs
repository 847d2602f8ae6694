use crate::{Format, Place};

/// The input can't be imported, or not further; what was yielded before stands.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Reading failed.
    #[error("reading failed at {place}")]
    Io {
        /// Where.
        place: Place,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The first lines are not of the format that was named.
    #[error("{place}: this does not look like {format}: {expected}; name the format it is in")]
    NotThisFormat {
        /// Where that became clear.
        place: Place,
        /// The format that was named.
        format: Format,
        /// A description of what an input of that format would have here.
        expected: &'static str,
    },
    /// A line refers to something that stands before the place where reading began.
    #[error("{place}: it refers to what stands before; read the file from its beginning")]
    BeforeResume {
        /// Where that became clear.
        place: Place,
    },
    /// A line of a log is not a valid event.
    #[error("{place}: {reason}; restore the line from a copy, or cut the log before it")]
    Line {
        /// The line.
        place: Place,
        /// The fault in the line.
        reason: String,
    },
    /// A line of a log is longer than the cap.
    #[error("{place}: the line is longer than {max} bytes; raise the limit if it is meant")]
    LineTooLong {
        /// The line.
        place: Place,
        /// The cap.
        max: usize,
    },
    /// The hash chain of a log does not hold.
    #[error(
        "{place}: the chain is broken: {reason}; the log was changed at this line or before it"
    )]
    Chain {
        /// The first line that does not hold.
        place: Place,
        /// Which check failed.
        reason: String,
    },
    /// A document is not what its format says.
    #[error("{place}: {reason}; fetch the document again")]
    Document {
        /// Where.
        place: Place,
        /// The fault in the document.
        reason: String,
    },
    /// A document is longer than the cap.
    #[error("the document is longer than {max} bytes; raise the limit if it is meant")]
    DocumentTooLong {
        /// The cap.
        max: usize,
    },
}
