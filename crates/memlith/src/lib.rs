//! An embedded memory engine for agents that can prove what it knows.
//!
//! A [`Ledger`] is one folder: an append-only log in which every event is chained to the
//! one before it by its hash. What is remembered, how salient it is and what a query
//! gets back are folds of that log; a checkpoint of them lets a cold process answer
//! without reading the whole of it.
//!
//! ```
//! use memlith::{Caller, Change, CheckoutRequest, Ledger, Options, Remember};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! let ledger = Ledger::init(dir.path().join("ledger"), Options::default())?;
//! let ana = Caller::user("default", "ana");
//!
//! let note = Remember { text: "The staging database runs Postgres 15.".into(), ..Remember::default() };
//! let id = ledger.remember(&ana, note)?.id;
//!
//! let answer = ledger.checkout(&ana, &CheckoutRequest::new("which database is staging on?"))?;
//! assert_eq!(answer.pack.items[0].id, id);
//! println!("{}", ledger.cite(id));
//!
//! let wrong = Change::Invalidate { weight: None, reason: Some("it was upgraded".into()) };
//! ledger.change(&ana, wrong, &[id])?;
//! let answer = ledger.checkout(&ana, &CheckoutRequest::new("which database is staging on?"))?;
//! assert!(answer.pack.items.is_empty());
//! # Ok::<(), memlith::Error>(())
//! ```
//!
//! | to do | call |
//! |---|---|
//! | write | [`Ledger::remember`], [`Ledger::remember_new`], [`Ledger::correct`], [`Ledger::change`], [`Ledger::import`] |
//! | ask | [`Ledger::checkout`], [`Ledger::recall`], [`Ledger::knows`], [`Ledger::novelty`] |
//! | review what waits | [`Ledger::propose`], [`Ledger::offer`], [`Ledger::waiting`], [`Ledger::review`] |
//! | look around | [`Ledger::list`], [`Ledger::list_sessions`], [`Ledger::get`], [`Ledger::resolve`] |
//! | look at one record | [`Ledger::inspect`], [`Ledger::lineage`], [`Ledger::show`], [`Ledger::history`], [`Ledger::trace`], [`Ledger::taint`], [`Ledger::explain`] |
//! | say what a write ended | [`Ledger::ended_by`], [`Ledger::ended_since`] |
//! | prove | [`verify()`], [`Ledger::kept_head`], [`check_head`], [`Ledger::replay`], [`Ledger::audit_receipts`], [`Ledger::audit_state`] |
//! | copy | [`Ledger::backup`], [`Ledger::export_jsonl`] |
//! | forget for good | [`Ledger::erase`] |
//! | summarise what is over | [`Ledger::compact`], [`compaction`] |
//! | start fast | [`Keeper`], [`Ledger::checkpoint`], [`Ledger::checkpoint_if_due`] |
//!
//! Every error says what it calls for: [`Error::kind`].

mod answering;
mod append;
mod arbiter;
mod asking;
mod audit;
mod backup;
mod blend;
mod bodies;
mod calibration;
mod caller;
mod checkpoint;
mod choosing;
mod command_model;
mod commands;
mod compacting;
mod comparer;
mod cursor;
mod digest;
mod embedding;
mod ended;
mod erasing;
mod error;
mod getting;
mod inspect;
mod inspected;
mod intake;
mod jsonl;
mod keeper;
mod kept_head;
mod ledger;
mod listing;

#[doc(hidden)]
pub mod measured;
mod mining;
mod missing_vectors;
mod naming;
mod noting;
mod offering;
mod options;
mod privacy;
mod program;
mod reconciler;
mod reconciling;
mod record_json;
mod reference;
mod replay;
mod reporting;
mod reviewing;
mod slotting;
mod span;
mod standing;
mod stat;
mod state;
mod stride;
mod summaries;
mod tainting;
mod tombstones;
mod understanding;
mod verifying;

pub use memlith_checkout::{
    Answerability, Cited, Error as RequestError, Evidence, Excerpt, Excluded, Hinted, Knowledge,
    Known, Learned, Noted, Novelty, Pack, QuarterBytes, TokenCounter, Verdict, Why, for_people,
    for_prompt,
};
pub use memlith_claims as claims;
pub use memlith_compaction as compaction;
pub use memlith_event::{
    Actor, Arbitration, Body, CandidateKind, CheckoutId, Citation, Content, Contrast, ContrastKind,
    Cosine, Decided, Difference, Event, HINT_NAMES, Hints, IdempotencyKey, Kind, LeftOutReason,
    LinkKind, MemoryEvent, Mined, MinedStep, Near, Origin, Outcome, OutcomeEvent, OwnStatus,
    PendingReason, Purpose, Rank, Receipt, ReconcileEvent, Reply, ReviewEvent, SaliencePolicy,
    Scope, Slot, TaskResult, Thresholds, Tier, Tombstone, TombstoneEvent, TombstonesLaid,
    TombstonesLifted, TrustPolicy, UnknownPurpose, Validity, Via, Weighing, Weight,
};
pub use memlith_import::{DEMO_SESSION, Dialect, Format, ImportError, Options as ImportOptions};
#[doc(hidden)]
pub use memlith_log::planted;
pub use memlith_log::{
    BackedUp, Clock, Digest, Durability, Env, Error as LogError, Exposed, FileRole, Finding,
    FixedClock, Head, LedgerId, Level, LocalStorage, LogEvent, LogFile, MemoryDisk, MemoryStorage,
    Payload, Record, RecordId, Report, Rng, SeededRng, Seq, Sharing, Storage, SystemClock,
    SystemRng, Timestamp,
};
pub use memlith_memory::{
    Assertion, Authority, Change, Item, ItemFlags, Judgement, ProposedProcedure, Rejection,
    Remember, TaskReport,
};
pub use memlith_procedure_mining::{
    Bits, Call, Candidate, Confidence, Deviation, DeviationKind, Ending, Error as MiningError,
    Extractor, Miner, Occurrence, Options as MiningOptions, ProcedureId, ProcedureStep, Sessions,
    Share, Skill, Step, Trials,
};
pub use memlith_recall::{
    EmbedError, Embedder, ModelId, ModelVector, Signals, StaticTable, Vector, VectorError, WEIGHTS,
};
pub use memlith_redact::{FoundSecret, RULES as REDACTION_RULES, Rule, find_secrets, redact};
pub use memlith_salience::{Explanation, Leg};

pub use arbiter::{Arbiter, CommandArbiter, Contender, Question as ArbiterQuestion};
pub use asking::{AsOf, Checkout, CheckoutRequest, Question};
pub use audit::{ReceiptAudit, ReceiptsAudit, StateAudit};
pub use blend::Blend;
pub use calibration::{Calibrated, LabelledPair, PairLabel, calibrate};
pub use caller::Caller;
pub use checkpoint::{CHECKPOINT_EVENTS, Checkpointed};
pub use command_model::CommandModel;
pub use commands::{WriteOutcome, Written};
pub use compacting::{CompactOptions, Compacted};
pub use comparer::{ByVectors, Comparer, cosine};
pub use cursor::{Cursor, CursorError, List, ListOf};
pub use embedding::Embedded;
pub use ended::{Ended, EndedHow};
pub use erasing::{Erased, ErasureFilter};
pub use error::{Error, ErrorKind};
pub use getting::{SlotValue, Wanted};
pub use inspect::{Explained, Shown, Traced, decode};
pub use inspected::{End, EndReason, Inspected, InspectedItem, Past, Reason};
pub use intake::ImportReport;
pub use keeper::Keeper;
pub use kept_head::{HeadVerdict, KeptHead, ParseHeadError, check_head, check_head_in};
pub use ledger::Ledger;
pub use listing::{Listed, ListedItem, ListedSession, Listing, Sessions as SessionPage};
pub use memlith_state::CheckpointError;
pub use mining::{MinedLedger, MinedProcedure, MinedStanding};
pub use missing_vectors::{Reembedded, TextOf, VectorsOf};
pub use options::Options;
pub use privacy::{enclosing_ledger, exposed, mend_exposed};
pub use reconciler::{Reconciler, Reconciling};
pub use record_json::RecordJson;
pub use reference::{IdPrefix, ParseReferenceError, Reference};
pub use replay::{Replay, Replayed};
pub use reviewing::Waiting;
pub use standing::CheckpointStanding;
pub use stat::Stat;
pub use state::FOLD_VERSION;
pub use summaries::SummariesAudit;
pub use tainting::Tainted;
pub use tombstones::Tombstones;
pub use verifying::{verify, verify_in};
