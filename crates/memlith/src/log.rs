//! The log: records, their events and all that these hold.

pub use crate::inspect::decode;
pub use crate::record_json::RecordJson;
pub use memlith_event::{
    Actor, Body, Candidate, Closing, CompactionEvent, Confirmed, Content, Decided, DecodeError,
    DeliveryEvent, Embedded as EmbeddedEvent, Embedding, Envelope, Event, Foreign, IdentityKind,
    Invalidated, JobEvent, Kind, Link, LinkKind, Match, MemoryEvent, Mention, OutcomeEvent,
    PolicyEvent, ProcedureEvent, Promoted, Provenance, Quote, ReconcileEvent, Reconfirmed,
    Remembered, Reported, ReviewEvent, Reviewed, RolledBack, Said, SessionEvent, SessionStarted,
    Stored, Summarised, Surfaced, Text, Tombstone, TombstoneEvent, TombstonesLaid,
    TombstonesLifted, ToolRan, TurnEvent,
};
pub use memlith_log::{
    CheckpointSeal, Error as LogError, Flags, Head, LogEvent, Loss, Payload, Record, RecordHeader,
    RestoredRecord,
};
