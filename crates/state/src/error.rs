use memlith_log::{LedgerId, Seq};

/// A checkpoint can't be used.
///
/// Always recoverable: a checkpoint is derived state, so the next older one or a
/// full replay of the log gives the same answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The system does not give the file's bytes.
    #[error("the checkpoint can't be read")]
    Unreadable,
    /// The file ends before `needed` bytes.
    #[error("checkpoint is cut off: {found} bytes where {needed} are needed")]
    Short {
        /// Bytes that the header or the section table calls for.
        needed: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// The file does not start with the checkpoint magic.
    #[error("not a checkpoint file")]
    Magic,
    /// The file is of a layout this version doesn't know.
    #[error("checkpoint layout {found} is not known here")]
    Layout {
        /// The layout number in the file.
        found: u32,
    },
    /// A stored digest and the bytes it covers differ.
    #[error("checkpoint digest of {part} does not match its bytes at offset {offset}")]
    Digest {
        /// The part of the file that the digest covers.
        part: &'static str,
        /// Where the covered bytes begin in the file.
        offset: u64,
    },
    /// A length or offset in the file contradicts another.
    #[error("checkpoint section table is inconsistent at entry {entry}")]
    SectionTable {
        /// The entry's position in the table.
        entry: usize,
    },
    /// The file has a section this version doesn't know.
    #[error("checkpoint has an unknown section `{name}`")]
    SectionUnknown {
        /// The section's name.
        name: String,
    },
    /// A section's length is no multiple of its row width.
    #[error("checkpoint section `{name}` has a broken length of {len} bytes")]
    SectionLength {
        /// The section's name.
        name: &'static str,
        /// Its length in bytes.
        len: usize,
    },
    /// A run that the checkpoint names isn't there, or isn't the one that it names.
    #[error("the checkpoint's run of records {from} to {to} is not there")]
    RunMissing {
        /// The first record it covers.
        from: Seq,
        /// The last one.
        to: Seq,
    },
    /// The bytes read of one of its runs aren't what its digest says.
    #[error("the checkpoint's file {file} is damaged")]
    Damaged {
        /// The run's file.
        file: String,
    },
    /// The file belongs to another ledger.
    #[error("checkpoint belongs to ledger {found}, not {expected}")]
    Ledger {
        /// The ledger that was opened.
        expected: LedgerId,
        /// The ledger in the file.
        found: LedgerId,
    },
    /// The file was written by another version of the folds: not comparable, never "ok".
    #[error("checkpoint is of fold version {found}, this is {expected}: not comparable")]
    FoldVersion {
        /// The version of the folds here.
        expected: u32,
        /// The version in the file.
        found: u32,
    },
    /// The file was folded under another configuration.
    #[error("checkpoint was folded under another configuration")]
    Configuration,
    /// The verified log holds no seal with exactly this checkpoint's name.
    #[error("checkpoint at {n} is not sealed in the log")]
    Unsealed {
        /// The sequence the checkpoint covers.
        n: Seq,
    },
    /// The log holds an erasure that the checkpoint does not honour.
    #[error("checkpoint at {n} is retired by erasure {erasure}")]
    Retired {
        /// The sequence the checkpoint covers.
        n: Seq,
        /// The erasure's sequence.
        erasure: Seq,
    },
}
