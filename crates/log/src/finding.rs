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
    /// Sort of damage.
    pub kind: FindingKind,
}

/// Sort of damage that a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Bytes are not as they were written.
    Corrupt,
    /// The end was cut off, or bytes stand behind it that nobody acknowledged.
    TornTail,
    /// A record with valid checksums does not follow the one before it.
    ChainBreak,
}

impl FindingKind {
    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            FindingKind::Corrupt => "corrupt",
            FindingKind::TornTail => "torn_tail",
            FindingKind::ChainBreak => "chain_break",
        }
    }
}

impl Finding {
    pub(crate) fn new(
        file: impl Into<String>,
        offset: u64,
        seq: Option<Seq>,
        what: impl Into<String>,
    ) -> Finding {
        let kind = FindingKind::Corrupt;
        Finding { file: file.into(), offset, seq, what: what.into(), kind }
    }

    pub(crate) fn of_kind(self, kind: FindingKind) -> Finding {
        Finding { kind, ..self }
    }

    /// A finding about derived state beside the log.
    #[must_use]
    pub fn beside(file: &str, what: &str) -> Finding {
        Finding::new(file, 0, None, what)
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
