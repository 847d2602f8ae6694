//! Writes: reconciled with what is there, reviewed, judged by likeness, and decided by policy.

pub(crate) mod append;
pub(crate) mod arbiter;
pub(crate) mod command;
pub(crate) mod compact;
pub(crate) mod comparer;
pub(crate) mod elsewhere;
pub(crate) mod key;
pub(crate) mod mine;
pub(crate) mod missing_vectors;
pub(crate) mod near;
pub(crate) mod note;
pub(crate) mod novelty;
pub(crate) mod offer;
pub(crate) mod outcome;
pub(crate) mod policy;
pub(crate) mod reconcile;
pub(crate) mod reconciler;
pub(crate) mod review;
pub(crate) mod slot;
pub(crate) mod vectors;

pub use self::arbiter::{Arbiter, Contender, Question as ArbiterQuestion};
pub use self::comparer::{ByVectors, Comparer, cosine};
pub use self::elsewhere::{Answered, Requested};
pub use self::missing_vectors::{Reembedded, TextOf, VectorsOf};
pub use self::near::NearMemory;
pub use self::note::{NoteError, NoteKind};
pub use self::policy::Policy;
pub use self::reconciler::{Reconciler, Reconciling};
pub use self::review::Review;
pub use self::review::Waiting;
pub use self::vectors::Embedded;
pub use self::vectors::Vectors;
pub use memlith_event::{Arbitration, Cosine, Difference, Near, Reply, Thresholds, Weighing};
pub use memlith_event::{
    CandidateKind, IdempotencyKey, Outcome, PendingReason, SaliencePolicy, TaskResult, TrustPolicy,
    Via, Weight, WritePolicy,
};
pub use memlith_memory::{Rejection, Remark, TaskReport};
pub use memlith_recall::{
    EmbedError, Embedder, ModelId, ModelVector, StaticTable, Table, TableError, Vector, VectorError,
};
pub use memlith_redact::{
    FoundSecret, RULES as REDACTION_RULES, Redacted, Rule, find_secrets, redact,
};
