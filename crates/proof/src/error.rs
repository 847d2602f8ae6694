use memlith_log::{LedgerId, Seq};

/// Refusal of a key, a head or a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of a key isn't one.
    #[error("this is no {what}: {reason}")]
    Key {
        /// The kind of key.
        what: &'static str,
        /// The fault.
        reason: &'static str,
    },
    /// The text of a head, a proof or a tree isn't one.
    #[error("this is no {what}: {reason}")]
    Malformed {
        /// Its kind.
        what: &'static str,
        /// The fault.
        reason: String,
    },
    /// The proof has another version of the format.
    #[error("the proof has version {found}, and this program reads version {}", crate::VERSION)]
    Version {
        /// The version of the proof.
        found: u64,
    },
    /// The key has not signed the head, or the signature is wrong.
    #[error("bad signature: {reason}")]
    Signature {
        /// The fault.
        reason: String,
    },
    /// The head or key is of another ledger.
    #[error("the head is of ledger {found}, not of {expected}")]
    OtherLedger {
        /// The ledger that was asked for.
        expected: LedgerId,
        /// The ledger that the head names.
        found: LedgerId,
    },
    /// A record is not under the head.
    #[error("record {seq} is not under the head: {reason}")]
    Record {
        /// The record.
        seq: Seq,
        /// The fault.
        reason: &'static str,
    },
    /// The newer head did not grow out of the older one.
    #[error("the newer head did not grow out of the older one: {reason}")]
    Fork {
        /// The fault.
        reason: &'static str,
    },
    /// Nothing shows that the newer head grew out of the one that was seen last.
    #[error(
        "a head of {seen} records was seen last, and nothing shows that this one grew out of it: \
         bring the proof of growth from that head (`memlith prove --since HEAD`)"
    )]
    Unproven {
        /// The number of records under the head that was seen last.
        seen: u64,
    },
    /// The answer does not show the words that the proof names.
    #[error("the answer does not show this: {reason}")]
    Answer {
        /// The fault.
        reason: String,
    },
    /// The hash of a record is not known any more, so no tree has it.
    #[error(
        "the payload of record {seq} was destroyed and accepted as lost, so its hash is unknown: \
         no head of this ledger can be signed from this copy"
    )]
    Destroyed {
        /// The record.
        seq: Seq,
    },
    /// The records of the ledger could not be read.
    #[error("the ledger could not be read: {reason}")]
    Read {
        /// The reader's error.
        reason: String,
    },
}

impl Error {
    /// The word for it in output.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Error::Key { .. } => "bad_key",
            Error::Malformed { .. } => "malformed",
            Error::Version { .. } => "other_version",
            Error::Signature { .. } => "bad_signature",
            Error::OtherLedger { .. } => "other_ledger",
            Error::Record { .. } => "not_included",
            Error::Fork { .. } => "fork",
            Error::Unproven { .. } => "unproven",
            Error::Answer { .. } => "not_shown",
            Error::Destroyed { .. } => "destroyed",
            Error::Read { .. } => "unreadable",
        }
    }

    pub(crate) fn malformed(what: &'static str, reason: impl Into<String>) -> Error {
        Error::Malformed { what, reason: reason.into() }
    }
}
