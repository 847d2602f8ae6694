use crate::Kind;

/// The body of a record is not what its kind says it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The kind is unknown here: a newer version wrote it. The record is kept and
    /// chained, and folds to nothing.
    #[error("kind {kind} is not known to this version")]
    UnknownKind {
        /// The record's kind.
        kind: Kind,
    },
    /// The bytes don't follow the layout of the kind.
    #[error("body does not follow the layout of kind {kind}: {reason}")]
    Layout {
        /// The record's kind.
        kind: Kind,
        /// The decoder's words.
        reason: String,
    },
    /// The body is longer than its content.
    #[error("body of kind {kind} has {found} bytes, its content {read}")]
    TrailingBytes {
        /// The record's kind.
        kind: Kind,
        /// The bytes the content takes.
        read: usize,
        /// The bytes there are.
        found: usize,
    },
}
