use std::fmt;

/// The number and version of an event's body, as its record's header states them.
///
/// The numbers are assigned in `docs/format.md`, sixteen or more to a family, and
/// never reused. A changed body is a new version; old versions decode for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Kind {
    /// The number; below 64 it belongs to the log itself.
    pub number: u16,
    /// The version of the body.
    pub version: u8,
}

impl Kind {
    /// [`crate::SessionEvent::Started`].
    pub const SESSION_STARTED: Kind = Kind::first(64);
    /// [`crate::SessionEvent::Ended`].
    pub const SESSION_ENDED: Kind = Kind::first(65);
    /// [`crate::TurnEvent::Said`].
    pub const SAID: Kind = Kind::first(80);
    /// [`crate::TurnEvent::ToolRan`].
    pub const TOOL_RAN: Kind = Kind::first(81);
    /// [`crate::MemoryEvent::Remembered`].
    pub const REMEMBERED: Kind = Kind::first(96);
    /// [`crate::MemoryEvent::Remembered`] with metadata.
    pub const REMEMBERED_WITH_METADATA: Kind = Kind { number: 96, version: 2 };
    /// [`crate::MemoryEvent::Surfaced`].
    pub const SURFACED: Kind = Kind::first(97);
    /// [`crate::MemoryEvent::Elsewhere`].
    pub const ELSEWHERE: Kind = Kind::first(105);
    /// [`crate::MemoryEvent::Surfaced`] with views of other ledgers.
    pub const SURFACED_BESIDE: Kind = Kind { number: 97, version: 2 };
    /// [`crate::MemoryEvent::Confirmed`].
    pub const CONFIRMED: Kind = Kind::first(98);
    /// [`crate::MemoryEvent::Promoted`].
    pub const PROMOTED: Kind = Kind::first(99);
    /// [`crate::MemoryEvent::Pinned`].
    pub const PINNED: Kind = Kind::first(100);
    /// [`crate::MemoryEvent::Unpinned`].
    pub const UNPINNED: Kind = Kind::first(101);
    /// [`crate::MemoryEvent::Invalidated`].
    pub const INVALIDATED: Kind = Kind::first(102);
    /// [`crate::MemoryEvent::Reconfirmed`].
    pub const RECONFIRMED: Kind = Kind::first(103);
    /// [`crate::MemoryEvent::Embedded`].
    pub const EMBEDDED: Kind = Kind::first(104);
    /// [`crate::ReconcileEvent::Decided`].
    pub const DECIDED: Kind = Kind::first(128);
    /// [`crate::OutcomeEvent::Reported`].
    pub const REPORTED: Kind = Kind::first(144);
    /// [`crate::ReviewEvent::Accepted`].
    pub const ACCEPTED: Kind = Kind::first(160);
    /// [`crate::ReviewEvent::Rejected`].
    pub const REJECTED: Kind = Kind::first(161);
    /// [`crate::ReviewEvent::Deferred`].
    pub const DEFERRED: Kind = Kind::first(162);
    /// [`crate::ReviewEvent::RolledBack`].
    pub const ROLLED_BACK: Kind = Kind::first(163);
    /// [`crate::PolicyEvent::SalienceChosen`].
    pub const SALIENCE_CHOSEN: Kind = Kind::first(176);
    /// [`crate::PolicyEvent::TrustChosen`].
    pub const TRUST_CHOSEN: Kind = Kind::first(177);
    /// [`crate::PolicyEvent::WritesChosen`].
    pub const WRITES_CHOSEN: Kind = Kind::first(178);
    /// [`crate::PolicyEvent::RoleGiven`].
    pub const ROLE_GIVEN: Kind = Kind::first(179);
    /// [`crate::ProcedureEvent::Mined`].
    pub const PROCEDURE_MINED: Kind = Kind::first(192);
    /// [`crate::CompactionEvent::Summarised`].
    pub const SUMMARISED: Kind = Kind::first(208);
    /// [`crate::JobEvent::Queued`].
    pub const JOB_QUEUED: Kind = Kind::first(224);
    /// [`crate::JobEvent::Attempted`].
    pub const JOB_ATTEMPTED: Kind = Kind::first(225);
    /// [`crate::JobEvent::Replied`].
    pub const JOB_REPLIED: Kind = Kind::first(226);
    /// [`crate::JobEvent::Applied`].
    pub const JOB_APPLIED: Kind = Kind::first(227);
    /// [`crate::JobEvent::Failed`].
    pub const JOB_FAILED: Kind = Kind::first(228);
    /// [`crate::JobEvent::Taught`].
    pub const JOB_TAUGHT: Kind = Kind::first(229);
    /// [`crate::DeliveryEvent::Attempted`].
    pub const DELIVERY_ATTEMPTED: Kind = Kind::first(240);
    /// [`crate::DeliveryEvent::Settled`].
    pub const DELIVERY_SETTLED: Kind = Kind::first(241);
    /// [`crate::DeliveryEvent::Switched`].
    pub const DELIVERY_SWITCHED: Kind = Kind::first(242);
    /// [`crate::TombstoneEvent::Laid`].
    pub const TOMBSTONES_LAID: Kind = Kind::first(304);
    /// [`crate::TombstoneEvent::Lifted`].
    pub const TOMBSTONES_LIFTED: Kind = Kind::first(305);
    /// [`crate::Event::Foreign`].
    pub const FOREIGN: Kind = Kind::first(288);

    /// Every kind that this version reads.
    pub const ALL: [Kind; 40] = [
        Kind::SESSION_STARTED,
        Kind::SESSION_ENDED,
        Kind::SAID,
        Kind::TOOL_RAN,
        Kind::REMEMBERED,
        Kind::REMEMBERED_WITH_METADATA,
        Kind::SURFACED,
        Kind::SURFACED_BESIDE,
        Kind::CONFIRMED,
        Kind::PROMOTED,
        Kind::PINNED,
        Kind::UNPINNED,
        Kind::INVALIDATED,
        Kind::RECONFIRMED,
        Kind::EMBEDDED,
        Kind::ELSEWHERE,
        Kind::DECIDED,
        Kind::REPORTED,
        Kind::ACCEPTED,
        Kind::REJECTED,
        Kind::DEFERRED,
        Kind::ROLLED_BACK,
        Kind::SALIENCE_CHOSEN,
        Kind::TRUST_CHOSEN,
        Kind::WRITES_CHOSEN,
        Kind::ROLE_GIVEN,
        Kind::PROCEDURE_MINED,
        Kind::SUMMARISED,
        Kind::JOB_QUEUED,
        Kind::JOB_ATTEMPTED,
        Kind::JOB_REPLIED,
        Kind::JOB_APPLIED,
        Kind::JOB_FAILED,
        Kind::JOB_TAUGHT,
        Kind::DELIVERY_ATTEMPTED,
        Kind::DELIVERY_SETTLED,
        Kind::DELIVERY_SWITCHED,
        Kind::FOREIGN,
        Kind::TOMBSTONES_LAID,
        Kind::TOMBSTONES_LIFTED,
    ];

    const fn first(number: u16) -> Kind {
        Kind { number, version: 1 }
    }

    /// Whether records of this kind are items: something a query can find.
    #[must_use]
    pub fn is_item(self) -> bool {
        let others = [Kind::SAID, Kind::TOOL_RAN, Kind::SUMMARISED, Kind::FOREIGN];
        others.iter().any(|kind| kind.number == self.number) || self.is_memory()
    }

    /// Whether records of this kind are memories: they assert something, and have a status.
    #[must_use]
    pub fn is_memory(self) -> bool {
        [Kind::REMEMBERED.number, Kind::PROCEDURE_MINED.number].contains(&self.number)
    }

    /// The name that `log` and `export` print, e.g. `memory.remembered`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::SESSION_STARTED => "session.started",
            Kind::SESSION_ENDED => "session.ended",
            Kind::SAID => "turn.said",
            Kind::TOOL_RAN => "turn.tool_ran",
            Kind::REMEMBERED | Kind::REMEMBERED_WITH_METADATA => "memory.remembered",
            Kind::SURFACED | Kind::SURFACED_BESIDE => "memory.surfaced",
            Kind::CONFIRMED => "memory.confirmed",
            Kind::PROMOTED => "memory.promoted",
            Kind::PINNED => "memory.pinned",
            Kind::UNPINNED => "memory.unpinned",
            Kind::INVALIDATED => "memory.invalidated",
            Kind::RECONFIRMED => "memory.reconfirmed",
            Kind::EMBEDDED => "memory.embedded",
            Kind::ELSEWHERE => "memory.elsewhere",
            Kind::DECIDED => "reconcile.decided",
            Kind::REPORTED => "outcome.reported",
            Kind::ACCEPTED => "review.accepted",
            Kind::REJECTED => "review.rejected",
            Kind::DEFERRED => "review.deferred",
            Kind::ROLLED_BACK => "review.rolled_back",
            Kind::JOB_QUEUED => "job.queued",
            Kind::JOB_ATTEMPTED => "job.attempted",
            Kind::JOB_REPLIED => "job.replied",
            Kind::JOB_APPLIED => "job.applied",
            Kind::JOB_FAILED => "job.failed",
            Kind::JOB_TAUGHT => "job.taught",
            Kind::DELIVERY_ATTEMPTED => "delivery.attempted",
            Kind::DELIVERY_SETTLED => "delivery.settled",
            Kind::DELIVERY_SWITCHED => "delivery.switched",
            Kind::SALIENCE_CHOSEN => "policy.salience_chosen",
            Kind::TRUST_CHOSEN => "policy.trust_chosen",
            Kind::WRITES_CHOSEN => "policy.writes_chosen",
            Kind::ROLE_GIVEN => "policy.role_given",
            Kind::SUMMARISED => "compaction.summarised",
            Kind::PROCEDURE_MINED => "procedure.mined",
            Kind::FOREIGN => "foreign",
            Kind::TOMBSTONES_LAID => "tombstone.laid",
            Kind::TOMBSTONES_LIFTED => "tombstone.lifted",
            Kind { number: 0..=63, .. } => "log",
            Kind { .. } => "unknown",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.version)
    }
}
