//! The log: records, their events and all that these hold.

pub use crate::read::record_json::RecordJson;
pub use crate::read::show::decode;
pub use memlith_event::{
    Actor, Applied, Attempt, Attempted, Body, Candidate, Closing, CompactionEvent, Confirmed,
    Content, Decided, DecodeError, DeliveryEvent, Elsewhere, Embedded as EmbeddedEvent, Embedding,
    Envelope, Event, Failed, Foreign, IdentityKind, Invalidated, JobEvent, Kind, Link, LinkKind,
    Match, MemoryEvent, Mention, OutcomeEvent, PolicyEvent, ProcedureEvent, Promoted, Provenance,
    Queued, Quote, ReconcileEvent, Reconfirmed, Remembered, Replied, Reported, ReviewEvent,
    Reviewed, Role, RoleGiven, RolledBack, Said, SaidElsewhere, Service, SessionEvent,
    SessionStarted, Settled, Stored, Summarised, Surfaced, Switched, Taught, Text, Tombstone,
    TombstoneEvent, TombstonesLaid, TombstonesLifted, ToolRan, TurnEvent, ViewBeside,
};
pub use memlith_log::{
    CheckpointSeal, Error as LogError, Flags, Head, LogEvent, Loss, Payload, Record, RecordHeader,
    RestoredRecord,
};
