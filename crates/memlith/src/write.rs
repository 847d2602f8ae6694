//! Writes beyond plain words: reports, reviews, policies, erasures, secrets.

pub use crate::ended::{Ended, EndedHow};
pub use crate::erasing::{Erased, ErasureFilter};
pub use crate::notes::{NoteError, NoteKind};
pub use crate::reviewing::Waiting;
pub use crate::tombstones::Tombstones;
pub use crate::understanding::NearMemory;
pub use memlith_event::{
    CandidateKind, IdempotencyKey, Outcome, PendingReason, SaliencePolicy, TaskResult, TrustPolicy,
    Via, Weight, WritePolicy,
};
pub use memlith_memory::{Rejection, TaskReport};
pub use memlith_redact::{
    FoundSecret, RULES as REDACTION_RULES, Redacted, Rule, find_secrets, redact,
};
