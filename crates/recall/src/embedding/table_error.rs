use std::error::Error;
use std::fmt;

/// Why bytes are no table of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// They end inside the header.
    Header {
        /// Number of bytes there are.
        found: usize,
    },
    /// They begin otherwise than a table of this version.
    Magic,
    /// The header's numbers belong to no table: no dimensions, or more pieces that begin a
    /// word than pieces.
    Shape,
    /// They are more or fewer than the header says.
    Length {
        /// Number of bytes the header says.
        expected: usize,
        /// Number of bytes there are.
        found: usize,
    },
    /// They are not those that were written.
    Digest,
    /// The pieces are no UTF-8, out of order, or shorter than their lengths say.
    Pieces,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Header { found } => {
                write!(f, "a table of vectors ends after {found} bytes, inside its header")
            }
            TableError::Magic => write!(f, "no table of vectors of version 1"),
            TableError::Shape => write!(f, "the header of a table of vectors makes no sense"),
            TableError::Length { expected, found } => {
                write!(f, "a table of vectors is {found} bytes long, its header says {expected}")
            }
            TableError::Digest => {
                write!(f, "a table of vectors is not as it was written: take it anew")
            }
            TableError::Pieces => write!(f, "the pieces of a table of vectors are out of order"),
        }
    }
}

impl Error for TableError {}
