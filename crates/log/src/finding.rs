use std::fmt;

use serde::Serialize;

use crate::Seq;

/// Something that is not as it should be, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The file, relative to the ledger.
    pub file: String,
    /// The offset of the structure in question.
    pub offset: u64,
    /// The record in question, if it is one.
    pub seq: Option<Seq>,
    /// Description of the finding.
    pub what: String,
}

impl Finding {
    pub(crate) fn new(
        file: impl Into<String>,
        offset: u64,
        seq: Option<Seq>,
        what: impl Into<String>,
    ) -> Finding {
        Finding { file: file.into(), offset, seq, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.file, self.offset)?;
        if let Some(seq) = self.seq {
            write!(f, ", record {seq}")?;
        }
        write!(f, ": {}", self.what)
    }
}
