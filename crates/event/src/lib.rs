//! The vocabulary of a ledger: what can happen, who said it, how far it is trusted.
//!
//! An [`Event`] is the meaning of one record of the log. It comes inside an
//! [`Envelope`] that says whose it is ([`Scope`]), who did it ([`Actor`]), how it
//! came in ([`Origin`], [`Via`]) and what it refers to ([`Link`]). Events are in the
//! past tense and nested by family, so that a fold matches its own family
//! exhaustively and a new event breaks every fold that has to know it.
//!
//! A projection is a pure fold over [`Stored`] events ([`Projection`]): no clock, no
//! randomness, no I/O, no failure.
//!
//! ```
//! use memlith_event::{Actor, Body, Envelope, Event, MemoryEvent, Rank, Remembered, Scope};
//! use memlith_log::Timestamp;
//!
//! let envelope = Envelope::new(Scope::tenant("home"), Actor::new("ana", Rank::User), Timestamp(0));
//! let event = Event::Memory(MemoryEvent::Remembered(Remembered::text("prefers email")));
//! let body = Body { envelope, event };
//!
//! let bytes = body.encode();
//! let kind = body.event.kind();
//! assert_eq!(Body::decode(kind, &bytes).unwrap(), body);
//! ```

mod actor;
mod citation;
mod codec;
mod compaction;
mod cosine;
mod delivery;
mod embedding;
mod envelope;
mod error;
mod event;
mod foreign;
mod hex;
mod hints;
mod job;
mod key;

mod kind;
mod link;
mod memory;
mod metadata;
mod names;
mod outcome;
mod policy;
mod procedure;
mod projection;
mod purpose;
mod receipt;
mod reconcile;
mod review;
mod role;
mod scope;
mod session;
mod status;
mod stored;
mod taught;
mod text;
mod tombstone;
mod trust;
mod turn;
mod visible;
mod weighing;
mod words;

pub use actor::{Actor, ParseRankError, Rank};
pub use citation::{Citation, ParseCitationError};
pub use codec::{BODY_CODEC, Body};
pub use compaction::{CompactionEvent, IdentityKind, Mention, Quote, Summarised, quoted};
pub use cosine::Cosine;
pub use delivery::{Attempt, DeliveryEvent, Service, Settled, Switched};
pub use embedding::{Embedded, Embedding};
pub use envelope::{Envelope, IdempotencyKey, Provenance};
pub use error::DecodeError;
pub use event::Event;
pub use foreign::Foreign;
pub use hints::{HINT_NAMES, Hints};
pub use job::{Applied, Attempted, Failed, JobEvent, Queued, Replied};
pub use key::Key;
pub use kind::Kind;
pub use link::{Link, LinkKind};
pub use memory::{
    CandidateKind, Confirmed, Elsewhere, Invalidated, MemoryEvent, PendingReason, Promoted,
    Reconfirmed, Remembered, SaidElsewhere, Slot, Surfaced, Validity, ViewBeside, Weight,
};
pub use metadata::Metadata;
pub use names::{Named, Names};
pub use outcome::{OutcomeEvent, Reported, TaskResult};
pub use policy::{PolicyEvent, SaliencePolicy, TrustPolicy, WritePolicy};
pub use procedure::{Contrast, ContrastKind, Mined, MinedStep, ProcedureEvent};
pub use projection::{Facts, ItemFacts, Projection};
pub use purpose::{Purpose, UnknownPurpose};
pub use receipt::{CheckoutId, LeftOut, LeftOutReason, Receipt, ReceiptItem, pack_digest};
pub use reconcile::{Candidate, Closing, Decided, Match, Outcome, ReconcileEvent};
pub use review::{ReviewEvent, Reviewed, RolledBack};
pub use role::{Role, RoleGiven};
pub use scope::Scope;
pub use session::{SessionEvent, SessionStarted};
pub use status::OwnStatus;
pub use stored::{Content, Stored};
pub use taught::Taught;
pub use text::Text;
pub use tombstone::{Tombstone, TombstoneEvent, TombstonesLaid, TombstonesLifted};
pub use trust::{Origin, ParseOriginError, Tier, Via};
pub use turn::{Said, ToolRan, TurnEvent};
pub use visible::{is_hidden, is_unseen};
pub use weighing::{Arbitration, Difference, Near, Reply, Thresholds, Weighing};
