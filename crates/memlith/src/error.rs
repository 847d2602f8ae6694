use memlith_checkout::Error as RequestError;
use memlith_compaction::Error as CompactionError;
use memlith_event::{Citation, DecodeError};
use memlith_import::ImportError;
use memlith_log::{Error as LogError, LedgerId, RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Rejection};
use memlith_procedure_mining::Error as MiningError;
use memlith_recall::EmbedError;
use memlith_state::CheckpointError;

use crate::copy::shared::SharedError;
use crate::read::cursor::CursorError;
use crate::read::reference::ParseReferenceError;
use crate::write::note::NoteError;

/// Result of a call of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the engine refused or failed; [`Error::kind`] says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The state refuses a command; nothing was written. Why: [`write::Rejection`](Rejection).
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// A request asks for nothing that can be answered: a [`query::RequestError`](RequestError).
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The log refused or failed: a [`log::LogError`](LogError).
    #[error(transparent)]
    Log(#[from] LogError),
    /// Rules of a compaction that can't be.
    #[error(transparent)]
    Compaction(#[from] CompactionError),
    /// An export or file to be imported can't be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A note says too little, or nothing that can be read.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// A line of an export can't be read back.
    #[error("line {line}: {reason}; nothing after the line before it was imported")]
    Jsonl {
        /// The line, from 1.
        line: u64,
        /// The fault of the line.
        reason: String,
    },
    /// The key of the ledger's tombstones can't be used, so that what was erased can't be told
    /// from what is new: nothing is taken in.
    #[error(
        "tombstone.key {what}: what was erased can't be told from what is new, so nothing is \
         taken in; put the file back from a backup, or lift all tombstones"
    )]
    TombstoneKey {
        /// The fault of the key.
        what: &'static str,
    },
    /// A head, key or proof is refused.
    #[cfg(feature = "proof")]
    #[error(transparent)]
    Proof(#[from] memlith_proof::Error),
    /// The body of a record can't be read, though its bytes are as they were written.
    #[error("record {seq} can't be read; a newer version wrote it")]
    Decode {
        /// The record.
        seq: Seq,
        /// The fault of the body.
        source: DecodeError,
    },
    /// No checkpoint covers exactly this sequence.
    #[error("no checkpoint of record {seq} is kept; `maintain stat` lists those that are")]
    NoCheckpoint {
        /// The sequence that was asked for.
        seq: Seq,
    },
    /// A replay can't start behind its own end.
    #[error(
        "a replay up to record {until} can't start from the checkpoint of record {checkpoint}; \
         name an earlier one"
    )]
    CheckpointAfter {
        /// The sequence that the checkpoint covers.
        checkpoint: Seq,
        /// The last record that was to be folded.
        until: Seq,
    },
    /// A checkpoint proves that records were synced which the log doesn't hold any more.
    #[error(
        "{file} covers record {seq}, but the log ends at record {head}: acknowledged records are \
         gone; restore the log from a copy, or delete {file} to go on without them"
    )]
    TailLost {
        /// The checkpoint's file.
        file: String,
        /// The record that it covers.
        seq: Seq,
        /// The log's last record.
        head: Seq,
    },
    /// A kept checkpoint can't be used.
    #[error("the checkpoint of record {seq} can't be used; delete it, it is derived state")]
    Checkpoint {
        /// The sequence it covers.
        seq: Seq,
        /// Why.
        source: CheckpointError,
    },
    /// Two folds of the same log gave different states.
    #[error(
        "two folds of the log up to record {seq} gave the roots {found} and {sealed}: \
         this is a defect; please report it, and delete the checkpoints"
    )]
    NonDeterministicFold {
        /// The sequence.
        seq: Seq,
        /// The root that was folded.
        found: memlith_log::Digest,
        /// The root that the log holds.
        sealed: memlith_log::Digest,
    },
    /// The record decides what stands: without it something else would change.
    #[error(
        "record {id} says what became of others, and stays as long as they do: erase what it \
         names, and its words go with that"
    )]
    NotErasable {
        /// The record.
        id: RecordId,
    },
    /// The record is there, and has another hash than the id that was given.
    #[error(
        "record {seq} is {found}, not {asked}: the id is forged, of another history, or of another machine \
         whose newest was not synced; compare a head that was kept elsewhere with `verify --head`",
        seq = .asked.seq
    )]
    OtherHash {
        /// The id that was given.
        asked: RecordId,
        /// The record's.
        found: RecordId,
    },
    /// There is no such record.
    #[error("there is no record {id}; `list events` lists them")]
    NoRecord {
        /// The id that was asked for.
        id: RecordId,
    },
    /// A reference has none of the forms that name a record.
    #[error(transparent)]
    Reference(#[from] ParseReferenceError),
    /// A list can't go on where it is asked to.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// A citation of another ledger.
    #[error(
        "{citation} is of another ledger; this one is {ledger}: open that one instead, or `memlith sync run` where it is another of your machines'"
    )]
    OtherLedger {
        /// The citation that was given.
        citation: Citation,
        /// The ledger that is open.
        ledger: LedgerId,
    },
    /// The copy of a shared ledger and its shared log hold different records.
    #[error(
        "this copy of the shared ledger {ledger} and the shared log hold different records from record \
         {seq} on: one of them was set back, or written to alone. Move the copy's folder away, join \
         again with `memlith init --shared PLACE --join INVITATION`, put the old `sync/node.json` in \
         the new folder, and bring in with `memlith import jsonl` what \
         `memlith export jsonl --ledger OLD` gives"
    )]
    Parted {
        /// The ledger.
        ledger: LedgerId,
        /// The first record that differs.
        seq: Seq,
    },
    /// A copy of a ledger and what its machine hands over hold different records.
    #[error(
        "ledger {ledger} and the copy of it here differ at record {seq}: it was set back, restored \
         or written to in two places; keep both, and look at each with `verify`"
    )]
    Diverged {
        /// The ledger that is copied.
        ledger: LedgerId,
        /// A record at which they differ.
        seq: Seq,
    },
    /// Bytes that another machine handed over are not what it states.
    #[error("what came of ledger {ledger} from record {first} on was refused: {what}")]
    BadStretch {
        /// The ledger that is copied.
        ledger: LedgerId,
        /// Where it begins.
        first: Seq,
        /// The fault.
        what: &'static str,
    },
    /// A shared log did not what it was asked for.
    #[error(transparent)]
    Shared(#[from] SharedError),
    /// The ledger was opened without its shared log, or has none.
    #[error("the ledger is shared with other nodes, and was opened without its shared log")]
    NotShared,
    /// The words by which a node joins a shared ledger are none.
    #[error(
        "that is no invitation to this shared ledger: a node that takes part gives one, and `memlith init` takes it in a new folder"
    )]
    NoInvitation,
    /// The folder in which a node is to join a shared ledger holds another one.
    #[error(
        "the folder holds the ledger {there}, and the invitation is to {ledger}: join in another folder"
    )]
    OtherShared {
        /// The ledger in the folder.
        there: LedgerId,
        /// The shared one.
        ledger: LedgerId,
    },
    /// A shared log holds nothing of a ledger.
    #[error("the shared log holds nothing of ledger {ledger}: name another id, or share it first")]
    NothingShared {
        /// The ledger.
        ledger: LedgerId,
    },
    /// The beginning of an id with which several records begin.
    #[error(
        "several records begin with {prefix}: {found}; give more of the id, or `_` behind the \
             sequence"
    )]
    AmbiguousReference {
        /// The beginning.
        prefix: String,
        /// The first of them, and how many more there are.
        found: String,
    },
    /// Nothing in the ledger is named so.
    #[error(
        "no record is named {reference}; the ledger ends at record {head}, and `list events` lists all"
    )]
    NothingNamed {
        /// The reference that was given.
        reference: String,
        /// The last record.
        head: Seq,
    },
    /// The record is not the observation of a checkout that the caller's scope sees.
    #[error(
        "record {id} shows nothing to this scope; `show --history` of an item lists its showings"
    )]
    NoShowing {
        /// The id that was given.
        id: RecordId,
    },
    /// The record says that something was shown, and not by a checkout: it was said again in
    /// other words, or shown by another program.
    #[error("record {id} was written by no checkout; name what one was observed as")]
    NoCheckout {
        /// The id that was given.
        id: RecordId,
    },
    /// The key was used before, for another write.
    #[error(
        "the key was used before for another write, record {first}: nothing was written; give \
         each write a key of its own"
    )]
    KeyReused {
        /// The record that was first written under it.
        first: RecordId,
    },
    /// An offer is of what is no session-only memory.
    #[error("{id} is no memory of one session alone, so there is nothing to offer")]
    NotSessionOnly {
        /// The item.
        id: RecordId,
    },
    /// The item is no procedure, so there is no skill in it.
    #[error("item {id} is no procedure; `procedures find` proposes those that sessions followed")]
    NotAProcedure {
        /// The item.
        id: RecordId,
    },
    /// A procedure that doesn't stand: nobody is to follow it.
    #[error("the procedure {id} is {authority}; only one that review accepted is told as a skill")]
    NotAccepted {
        /// The item.
        id: RecordId,
        /// Its authority.
        authority: Authority,
    },
    /// There is more than can be mined at once.
    #[error(transparent)]
    Mining(#[from] MiningError),
    /// A vector of another width than those that the tenant has of its model.
    #[error(
        "a vector of {found} numbers, but those of the model {model} here have {expected}; \
         name another model, or give one of its own"
    )]
    VectorWidth {
        /// The model.
        model: String,
        /// Number of components of the vectors that are there.
        expected: usize,
        /// Number of components of the new vector.
        found: usize,
    },
    /// A model is named by what looks like a secret: it would stand in the log for ever.
    #[error("the model's name looks like a secret ({rule}): name it otherwise")]
    SecretModel {
        /// The rule that found it.
        rule: &'static str,
    },
    /// A write's instant is ahead of the clock: it would be recorded before it happened.
    #[error(
        "the instant {now} is more than 5 minutes ahead of the ledger's clock, {clock}, and a \
         write can't be of the future: leave the instant out, or set the clock right"
    )]
    NowAhead {
        /// The instant that was given.
        now: Timestamp,
        /// The clock, or the last record's time where that is later.
        clock: Timestamp,
    },
    /// A model failed, or gave what is no vector.
    #[error("no vectors were given; what was written before stands")]
    Embed {
        /// The model's error.
        source: EmbedError,
    },
    /// An as-of that lies before the ledger's first record.
    #[error("the ledger knew nothing at {asked}: its first record is of {first}")]
    BeforeGenesis {
        /// The instant that was asked for.
        asked: Timestamp,
        /// The instant of the first record.
        first: Timestamp,
    },
    /// An as-of behind the head.
    #[error("the ledger ends at record {head}; {asked} is not there yet")]
    AfterHead {
        /// The sequence that was asked for.
        asked: Seq,
        /// The last record.
        head: Seq,
    },
    /// A scope is named by what looks like a secret. Taken out, it would leave one name
    /// for all such scopes, and their memories would meet.
    #[error("the {coordinate} of the scope looks like a secret ({rule}): name it otherwise")]
    SecretScope {
        /// Tenant, agent, subject or session.
        coordinate: &'static str,
        /// The rule that found it.
        rule: &'static str,
    },
    /// Part of a filter of an erasure that has no letter or digit: it would fit every text
    /// without one.
    #[error("the {part} to erase by has no letter or digit: name words, or ids")]
    EmptyFilter {
        /// `mentions` or `entity`.
        part: &'static str,
    },
    /// The view of everything is for reading.
    #[error("all scopes together can only be read: name the one that this belongs to")]
    WriteEverywhere,
    /// Reading or writing a file other than the ledger's failed.
    #[error("{what}")]
    Io {
        /// The operation that failed, with its file.
        what: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// The response that an error calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request was understood and refused, or what it names isn't there: change it.
    /// So are a key that was used for another write, and a handle that may not write.
    Refused,
    /// The request itself makes no sense: correct it.
    Usage,
    /// Bytes of the ledger are wrong: stop, keep a copy, run `verify`.
    Integrity,
    /// The system failed, or what was to be read: repair that and try again. After
    /// [`LogError::LockTimeout`] the same handle may; after a failed write it is poisoned, and
    /// the ledger is opened anew.
    Io,
}

impl Error {
    /// Classifies the error by the response that it calls for.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Rejected(_)
            | Error::Log(
                LogError::AlreadyExists { .. }
                | LogError::BackupRefused { .. }
                | LogError::BodyTooLong { .. }
                | LogError::BatchLimit { .. }
                | LogError::InUse { .. }
                | LogError::Forked
                | LogError::NotAllowed { .. }
                | LogError::ReadOnly,
            )
            | Error::NotShared
            | Error::NothingShared { .. }
            | Error::OtherShared { .. }
            | Error::Shared(SharedError::NotAllowed(_))
            | Error::NoRecord { .. }
            | Error::NotErasable { .. }
            | Error::OtherHash { .. }
            | Error::OtherLedger { .. }
            | Error::AmbiguousReference { .. }
            | Error::NothingNamed { .. }
            | Error::NoShowing { .. }
            | Error::NoCheckout { .. }
            | Error::KeyReused { .. }
            | Error::NotSessionOnly { .. }
            | Error::NotAProcedure { .. }
            | Error::NotAccepted { .. }
            | Error::Mining(_)
            | Error::BeforeGenesis { .. }
            | Error::AfterHead { .. }
            | Error::NoCheckpoint { .. } => ErrorKind::Refused,
            Error::Request(_)
            | Error::NoInvitation
            | Error::Note(_)
            | Error::Reference(_)
            | Error::Cursor(_)
            | Error::Compaction(_)
            | Error::SecretScope { .. }
            | Error::WriteEverywhere
            | Error::SecretModel { .. }
            | Error::VectorWidth { .. }
            | Error::NowAhead { .. }
            | Error::EmptyFilter { .. }
            | Error::CheckpointAfter { .. } => ErrorKind::Usage,
            Error::Log(error) if error.is_integrity() => ErrorKind::Integrity,
            #[cfg(feature = "proof")]
            Error::Proof(error) => of_proof(error),
            Error::NonDeterministicFold { .. }
            | Error::TailLost { .. }
            | Error::TombstoneKey { .. }
            | Error::Shared(SharedError::Unreadable(_))
            | Error::Diverged { .. }
            | Error::Parted { .. }
            | Error::BadStretch { .. }
            | Error::Decode { .. }
            | Error::Checkpoint { .. } => ErrorKind::Integrity,
            Error::Log(_)
            | Error::Shared(SharedError::Unreached(_))
            | Error::Import(_)
            | Error::Jsonl { .. }
            | Error::Embed { .. }
            | Error::Io { .. } => ErrorKind::Io,
        }
    }
}

/// The response that a refused head, key or proof calls for.
#[cfg(feature = "proof")]
fn of_proof(error: &memlith_proof::Error) -> ErrorKind {
    use memlith_proof::Error;
    match error {
        Error::Key { .. } => ErrorKind::Usage,
        Error::Version { .. } | Error::Read { .. } => ErrorKind::Io,
        Error::Destroyed { .. } => ErrorKind::Refused,
        Error::Malformed { .. }
        | Error::Signature { .. }
        | Error::OtherLedger { .. }
        | Error::Record { .. }
        | Error::Fork { .. }
        | Error::Answer { .. }
        | _ => ErrorKind::Integrity,
    }
}
