//! The log of a ledger: an append-only, hash-chained sequence of records.
//!
//! A ledger is a folder of segments. [`Log`] opens one; [`Log::read`] and
//! [`Log::scan`] verify every record they return; [`Log::writer`] takes the lock,
//! catches up with other processes, puts right what a crash left, and appends.
//! `docs/format.md` holds the bytes, the recovery rules and what they assume.

mod digest;
mod seq;
mod timestamp;
mod wire;

mod layout;

mod hash;
mod hash_many;
mod header;
mod record;

mod frame;
mod kind;
mod segment_header;

mod footer;
mod mark;

mod clock;
mod mapping;
mod rng;
mod space;
mod storage;

mod env;
mod error;
mod finding;

mod window;

mod walk;

mod stretch;

mod sealing;
mod segment;
mod tail;
mod view;

mod lock;
mod mark_file;
mod registered;
mod survey;

mod batch;
mod create;
mod group;
mod log;
mod writer;

mod append;
mod backup;
mod commit;
mod turn;

mod erase;
mod loss;
mod queue;
mod recover;
mod restore;
mod rotate;

mod files;
mod verify;

#[cfg(fuzzing)]
mod bare;

pub use backup::{BackedUp, FilesBeside};
#[cfg(fuzzing)]
pub use bare::{BareFrame, rewritten_footer, rewritten_header, rewritten_mark};
pub use clock::{Clock, FixedClock, SystemClock};
pub use commit::{Commit, NotCommitted};
pub use digest::{Digest, LedgerId, ParseIdError, RecordId};
pub use env::{DropDerived, DropFn, Env, LogOptions, Position, Resume};
pub use error::Error;
pub use files::{FileRole, LogFile, holds_ledger, log_files};
pub use finding::{Finding, FindingKind};
pub use frame::{
    FLOOR_UNKNOWN, FRAME_HEAD_LEN, FrameFault, MAX_BATCH_LEN, MAX_BATCH_RECORDS, MAX_BODY_LEN,
    MIN_FRAME_LEN, MIN_SLOT_LEN, frame_len,
};
pub use hash::{CHECKPOINT_CONTEXT, genesis_chain, link, payload_digest, record_hash};
pub use header::{Flags, RecordHeader};
pub use kind::{CheckpointSeal, FIRST_EVENT_KIND, LogEvent, Loss, MAX_ERASURE_TARGETS};
pub use log::Log;
pub use mapping::Mapping;
pub use record::{Payload, Record};
pub use restore::RestoredRecord;
pub use rng::{Rng, SeededRng, SystemRng};
pub use segment_header::{FORMAT, SEGMENT_HEADER_LEN, SUITE};
pub use seq::Seq;
pub use storage::{
    Access, Exposed, Fault, FaultKind, File, LocalStorage, Medium, MemoryDisk, MemoryStorage,
    Process, Sharing, Storage,
};
pub use tail::Tail;
pub use timestamp::{ParseTimestampError, Timestamp};
pub use verify::{Destroyed, Level, Report, verify, verify_on};
pub use view::{Head, Scan};
pub use writer::{Appended, Durability, NewRecord, Tick, Writer};
