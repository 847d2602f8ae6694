use std::io;

use crate::frame::FrameFault;
use crate::storage::Process;
use crate::{Digest, Seq};

/// Why the log refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system failed. After a failed write or sync the writer is poisoned too.
    #[error("{operation} {file}: check the disk and its permissions, then open the ledger again")]
    Io {
        /// Operation that was tried.
        operation: &'static str,
        /// The file, relative to the ledger.
        file: String,
        /// Error that the system returned.
        source: io::Error,
    },
    /// No ledger is in the folder.
    #[error("no ledger in {folder}; create one first")]
    NoLedger {
        /// The folder.
        folder: String,
    },
    /// A segment is gone, as other files of the ledger show.
    #[error(
        "{file} is gone: the folder holds {evidence}{count}; put it back from a backup",
        count = acknowledged_text(*.acknowledged)
    )]
    SegmentMissing {
        /// The first segment that is gone.
        file: String,
        /// Evidence that it was there.
        evidence: String,
        /// How many records at least were acknowledged, if anything says so.
        acknowledged: Option<u64>,
    },
    /// A ledger is already in the folder.
    #[error("a ledger already exists in {folder}; open it, or choose another folder")]
    AlreadyExists {
        /// The folder.
        folder: String,
    },
    /// A folder can't take a backup; nothing in it was changed.
    #[error("no backup was made in {folder}: {what}")]
    BackupRefused {
        /// The folder.
        folder: String,
        /// Why, and what to do.
        what: String,
    },
    /// Acknowledged bytes are damaged.
    #[error("{file} is corrupt at offset {offset}, {place}: {what}; restore it from a copy", place = place(*.seq))]
    Corrupt {
        /// The file, relative to the ledger.
        file: String,
        /// The offset of the damaged structure.
        offset: u64,
        /// The record that was due there.
        seq: Option<Seq>,
        /// Description of the damage.
        what: &'static str,
    },
    /// A record has valid checksums but is not the successor of the one before it.
    #[error(
        "{file} breaks the chain at offset {offset}, record {seq}: its content was changed after it was written"
    )]
    ChainBreak {
        /// The file, relative to the ledger.
        file: String,
        /// The offset of its frame.
        offset: u64,
        /// The record.
        seq: Seq,
    },
    /// The log ends before what is known to have been synced.
    #[error(
        "the log ends before record {end}, but {synced} records were acknowledged; restore {file} from a copy, or accept the loss"
    )]
    TailLost {
        /// The file that should hold the missing records.
        file: String,
        /// The records that are there: E + 1.
        end: u64,
        /// The records that were known to be synced: D + 1.
        synced: u64,
    },
    /// The log holds another history than the one its mark speaks of.
    #[error(
        "the chain at record {seq} is {found}, but the mark says {expected}: the log was replaced or rewritten"
    )]
    HeadMismatch {
        /// The record.
        seq: Seq,
        /// The chain in the mark.
        expected: Digest,
        /// The chain in the log.
        found: Digest,
    },
    /// A record that this handle wrote or read, and that was not synced, is not there any more.
    ///
    /// A sync of some process failed, and the system took back what was not on disk yet. The
    /// ledger itself is as it should be; what the handle knows of it is not.
    #[error(
        "record {seq} was not synced and is gone: a sync failed and the system took it back; open the ledger again"
    )]
    TakenBack {
        /// The last record that the handle knew.
        seq: Seq,
    },
    /// The bytes are of a format that this software does not know.
    #[error("{file} has a newer format at offset {offset}; use newer software")]
    NewerFormat {
        /// The file, relative to the ledger.
        file: String,
        /// The offset of the structure.
        offset: u64,
    },
    /// Another process kept the lock for longer than one waits.
    #[error("the ledger is locked by process {holder}; wait for it, or raise the lock timeout", holder = .holder.id)]
    LockTimeout {
        /// The holder, as far as it is known.
        holder: Process,
    },
    /// This process has the ledger open for writing already.
    #[error("this process has {folder} open already; share that handle")]
    InUse {
        /// The folder.
        folder: String,
    },
    /// The handle was opened by the parent process.
    #[error("this handle belongs to the parent process; open the ledger again after a fork")]
    Forked,
    /// The file `LOCK` was replaced while the ledger was open.
    #[error(
        "the file LOCK was replaced while the ledger was open; open it again and never remove LOCK"
    )]
    LockReplaced,
    /// An earlier write or sync failed, so that what is on disk is not known.
    #[error("an earlier write failed and its outcome is unknown; open the ledger again")]
    Poisoned,
    /// The sync that this append shared with others failed; it may be on disk, or not.
    #[error(
        "the sync of record {seq} failed, and whether it is on disk is not known: open the ledger again and look, or repeat it under its key"
    )]
    SharedSync {
        /// The last record of the append.
        seq: Seq,
    },
    /// The handle was opened for reading.
    #[error("the ledger is open for reading only")]
    ReadOnly,
    /// The file system is not known to keep locks and syncs.
    #[error(
        "{folder} is on a network or unknown file system (magic {magic:#x}); allow it with the flag, at your own risk"
    )]
    ForeignMedium {
        /// The folder.
        folder: String,
        /// The file system's magic number.
        magic: u64,
    },
    /// The clock is more than 400 days ahead of the last record.
    #[error(
        "the clock says {now}, more than 400 days after the last record at {previous}; set it right, or accept the jump"
    )]
    ClockJump {
        /// The time of the last record.
        previous: crate::Timestamp,
        /// The clock.
        now: crate::Timestamp,
    },
    /// The disk is too full to prepare room for the batch; nothing was written.
    #[error(
        "no room for another {needed} bytes: free some space and try again; nothing was written"
    )]
    NoSpace {
        /// The length of the segment that was to be prepared.
        needed: u64,
    },
    /// An erasure is written down, and the disk is too full to finish it.
    #[error(
        "record {erasure} erases words that are still in the files, for lack of room: free {needed} bytes; the next write finishes it"
    )]
    ErasurePending {
        /// The record of the erasure.
        erasure: Seq,
        /// The length of the longest file that has to be written anew.
        needed: u64,
    },
    /// A body is longer than the ledger takes.
    #[error("a body of {len} bytes is longer than the limit of {limit}; split it")]
    BodyTooLong {
        /// Its length.
        len: u64,
        /// The limit.
        limit: u32,
    },
    /// The batch cannot be written as one.
    #[error(
        "a batch of {records} records and {len} bytes is empty or over 4096 records or 32 MiB; split it"
    )]
    BatchLimit {
        /// Its records.
        records: usize,
        /// The length of its frames.
        len: u64,
    },
    /// The kind belongs to the log itself.
    #[error("kind {kind} is reserved for the log itself; kinds of events start at 64")]
    ReservedKind {
        /// The kind.
        kind: u16,
    },
    /// The record does not exist.
    #[error("record {seq} does not exist; the log ends before record {end}")]
    OutOfRange {
        /// The record.
        seq: Seq,
        /// The records that are there.
        end: u64,
    },
    /// A target of an erasure cannot be erased; nothing was.
    #[error("record {seq} cannot be erased: {what}; nothing was erased")]
    ErasureTarget {
        /// The record.
        seq: Seq,
        /// Why.
        what: &'static str,
    },
    /// Somebody else who shares the ledger appended first; nothing was written.
    #[error("record {seq} was written by somebody else who shares the ledger; take it in first")]
    Conflict {
        /// Where the batch was to begin.
        seq: Seq,
    },
    /// It isn't known whether a batch of a shared ledger was agreed on; nothing was written here.
    #[error(
        "it isn't known whether record {seq} stands in the shared log: {what}; try again with the \
         same key"
    )]
    NotAgreed {
        /// Where the batch was to begin.
        seq: Seq,
        /// Why.
        what: String,
    },
    /// The role of this node in a shared ledger doesn't allow it; nothing was written.
    #[error("{what}")]
    NotAllowed {
        /// Why not.
        what: String,
    },
    /// Records cannot be restored here.
    #[error("record {seq} cannot be restored: {what}")]
    Restore {
        /// The record.
        seq: Seq,
        /// Why.
        what: &'static str,
    },
}

impl Error {
    pub(crate) fn io(
        operation: &'static str,
        file: impl Into<String>,
    ) -> impl FnOnce(io::Error) -> Error {
        // The name is copied where something failed, and nowhere else.
        move |source| Error::Io { operation, file: file.into(), source }
    }

    /// Whether the bytes of the ledger are wrong, as opposed to its use or the system.
    #[must_use]
    pub fn is_integrity(&self) -> bool {
        matches!(
            self,
            Error::Corrupt { .. }
                | Error::ChainBreak { .. }
                | Error::TailLost { .. }
                | Error::SegmentMissing { .. }
                | Error::HeadMismatch { .. }
                | Error::NewerFormat { .. }
        )
    }

    pub(crate) fn frame(file: &str, offset: u64, seq: Seq, fault: FrameFault) -> Error {
        let file = file.to_owned();
        match fault {
            FrameFault::Link => Error::ChainBreak { file, offset, seq },
            FrameFault::Newer => Error::NewerFormat { file, offset },
            FrameFault::Incomplete
            | FrameFault::Magic
            | FrameFault::Length
            | FrameFault::HeadCrc
            | FrameFault::SlotCrc
            | FrameFault::Reserved
            | FrameFault::Seq
            | FrameFault::Time
            | FrameFault::Batch => {
                Error::Corrupt { file, offset, seq: Some(seq), what: fault.as_str() }
            }
        }
    }
}

fn acknowledged_text(acknowledged: Option<u64>) -> String {
    match acknowledged {
        None => String::new(),
        Some(count) => format!(", and {count} records were acknowledged"),
    }
}

fn place(seq: Option<Seq>) -> String {
    seq.map_or_else(|| "no record".to_owned(), |seq| format!("record {seq}"))
}
