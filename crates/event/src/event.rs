use serde::{Deserialize, Serialize};

use crate::{
    CompactionEvent, DeliveryEvent, Foreign, JobEvent, Kind, MemoryEvent, OutcomeEvent,
    PolicyEvent, ProcedureEvent, ReconcileEvent, ReviewEvent, SessionEvent, TombstoneEvent,
    TurnEvent,
};

/// Everything that can happen in a ledger, by family.
///
/// Not `non_exhaustive`: a new event has to break every fold that must know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event<'a> {
    /// The life of a session.
    Session(#[serde(borrow)] SessionEvent<'a>),
    /// Records of what happened.
    Turn(TurnEvent<'a>),
    /// The life of memories.
    Memory(MemoryEvent<'a>),
    /// Decisions of the reconciler.
    Reconcile(ReconcileEvent<'a>),
    /// Results of acting on what was shown.
    Outcome(OutcomeEvent<'a>),
    /// Verdicts of review.
    Review(ReviewEvent<'a>),
    /// Rules for the whole ledger.
    Policy(PolicyEvent<'a>),
    /// Summaries that stand for a part of the log.
    Compaction(CompactionEvent<'a>),
    /// The life of procedures.
    Procedure(ProcedureEvent<'a>),
    /// The life of jobs of write-back.
    Job(#[serde(borrow)] JobEvent<'a>),
    /// The life of what is delivered to other stores.
    Delivery(#[serde(borrow)] DeliveryEvent<'a>),
    /// Records of other systems.
    Foreign(Foreign<'a>),
    /// Tombstones, which keep an erased text from coming back.
    Tombstone(TombstoneEvent),
}

impl Event<'_> {
    /// The number and version under which the log files it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Event::Session(SessionEvent::Started(_)) => Kind::SESSION_STARTED,
            Event::Session(SessionEvent::Ended) => Kind::SESSION_ENDED,
            Event::Turn(TurnEvent::Said(_)) => Kind::SAID,
            Event::Turn(TurnEvent::ToolRan(_)) => Kind::TOOL_RAN,
            Event::Memory(MemoryEvent::Remembered(memory)) => match memory.metadata.is_empty() {
                true => Kind::REMEMBERED,
                false => Kind::REMEMBERED_WITH_METADATA,
            },
            Event::Memory(MemoryEvent::Surfaced(shown)) => match shown.beside.is_empty() {
                true => Kind::SURFACED,
                false => Kind::SURFACED_BESIDE,
            },
            Event::Memory(MemoryEvent::Confirmed(_)) => Kind::CONFIRMED,
            Event::Memory(MemoryEvent::Promoted(_)) => Kind::PROMOTED,
            Event::Memory(MemoryEvent::Pinned(_)) => Kind::PINNED,
            Event::Memory(MemoryEvent::Unpinned(_)) => Kind::UNPINNED,
            Event::Memory(MemoryEvent::Elsewhere(_)) => Kind::ELSEWHERE,
            Event::Memory(MemoryEvent::Invalidated(_)) => Kind::INVALIDATED,
            Event::Memory(MemoryEvent::Reconfirmed(_)) => Kind::RECONFIRMED,
            Event::Memory(MemoryEvent::Embedded(_)) => Kind::EMBEDDED,
            Event::Reconcile(ReconcileEvent::Decided(_)) => Kind::DECIDED,
            Event::Outcome(OutcomeEvent::Reported(_)) => Kind::REPORTED,
            Event::Review(ReviewEvent::Accepted(_)) => Kind::ACCEPTED,
            Event::Review(ReviewEvent::Rejected(_)) => Kind::REJECTED,
            Event::Review(ReviewEvent::Deferred(_)) => Kind::DEFERRED,
            Event::Review(ReviewEvent::RolledBack(_)) => Kind::ROLLED_BACK,
            Event::Policy(PolicyEvent::SalienceChosen(_)) => Kind::SALIENCE_CHOSEN,
            Event::Policy(PolicyEvent::TrustChosen(_)) => Kind::TRUST_CHOSEN,
            Event::Policy(PolicyEvent::WritesChosen(_)) => Kind::WRITES_CHOSEN,
            Event::Policy(PolicyEvent::RoleGiven(_)) => Kind::ROLE_GIVEN,
            Event::Compaction(CompactionEvent::Summarised(_)) => Kind::SUMMARISED,
            Event::Procedure(ProcedureEvent::Mined(_)) => Kind::PROCEDURE_MINED,
            Event::Job(JobEvent::Queued(_)) => Kind::JOB_QUEUED,
            Event::Job(JobEvent::Attempted(_)) => Kind::JOB_ATTEMPTED,
            Event::Job(JobEvent::Replied(_)) => Kind::JOB_REPLIED,
            Event::Job(JobEvent::Applied(_)) => Kind::JOB_APPLIED,
            Event::Job(JobEvent::Failed(_)) => Kind::JOB_FAILED,
            Event::Job(JobEvent::Taught(_)) => Kind::JOB_TAUGHT,
            Event::Delivery(DeliveryEvent::Attempted(_)) => Kind::DELIVERY_ATTEMPTED,
            Event::Delivery(DeliveryEvent::Settled(_)) => Kind::DELIVERY_SETTLED,
            Event::Delivery(DeliveryEvent::Switched(_)) => Kind::DELIVERY_SWITCHED,
            Event::Foreign(_) => Kind::FOREIGN,
            Event::Tombstone(TombstoneEvent::Laid(_)) => Kind::TOMBSTONES_LAID,
            Event::Tombstone(TombstoneEvent::Lifted(_)) => Kind::TOMBSTONES_LIFTED,
        }
    }

    /// Whether the event is a record or a memory: something a query can find.
    #[must_use]
    pub fn is_item(&self) -> bool {
        self.kind().is_item()
    }
}
