use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

use crate::{
    CompactionEvent, DecodeError, DeliveryEvent, Envelope, Event, Foreign, JobEvent, Kind,
    MemoryEvent, Metadata, OutcomeEvent, PendingReason, PolicyEvent, ProcedureEvent, Receipt,
    ReconcileEvent, Remembered, ReviewEvent, SessionEvent, Slot, Surfaced, Text, TombstoneEvent,
    TurnEvent, Validity, Weight,
};

/// The codec byte of every body this crate writes: bincode 1 bytes, little-endian,
/// fixed-width integers.
pub const BODY_CODEC: u8 = 1;

/// No body claims more memory than the format's cap on its length.
const DECODE_LIMIT: usize = 16 << 20;

const CONFIG: Configuration<LittleEndian, Fixint, Limit<DECODE_LIMIT>> =
    bincode::config::legacy().with_limit::<DECODE_LIMIT>();

/// The body of a record: envelope, then content.
///
/// The content's type stands in the record's header as its [`Kind`], not in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// The scope, the actor and the time of the event, and what it refers to.
    pub envelope: Envelope<'a>,
    /// The event of the record.
    pub event: Event<'a>,
}

impl<'a> Body<'a> {
    /// The body's bytes.
    ///
    /// # Panics
    /// Never: every type here has an encoding, and a vector can't refuse bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let envelope = &self.envelope;
        match &self.event {
            Event::Session(SessionEvent::Started(content)) => encode(envelope, content),
            Event::Session(SessionEvent::Ended) => encode(envelope, &()),
            Event::Turn(TurnEvent::Said(content)) => encode(envelope, content),
            Event::Turn(TurnEvent::ToolRan(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Remembered(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Surfaced(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Confirmed(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Promoted(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Pinned(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Unpinned(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Elsewhere(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Invalidated(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Reconfirmed(content)) => encode(envelope, content),
            Event::Memory(MemoryEvent::Embedded(content)) => encode(envelope, content),
            Event::Reconcile(ReconcileEvent::Decided(content)) => encode(envelope, content),
            Event::Outcome(OutcomeEvent::Reported(content)) => encode(envelope, content),
            Event::Review(
                ReviewEvent::Accepted(content)
                | ReviewEvent::Rejected(content)
                | ReviewEvent::Deferred(content),
            ) => encode(envelope, content),
            Event::Review(ReviewEvent::RolledBack(content)) => encode(envelope, content),
            Event::Policy(PolicyEvent::SalienceChosen(content)) => encode(envelope, content),
            Event::Policy(PolicyEvent::TrustChosen(content)) => encode(envelope, content),
            Event::Policy(PolicyEvent::WritesChosen(content)) => encode(envelope, content),
            Event::Policy(PolicyEvent::RoleGiven(content)) => encode(envelope, content),
            Event::Compaction(CompactionEvent::Summarised(content)) => encode(envelope, content),
            Event::Procedure(ProcedureEvent::Mined(content)) => encode(envelope, content),
            Event::Job(JobEvent::Queued(content)) => encode(envelope, content),
            Event::Job(JobEvent::Attempted(content)) => encode(envelope, content),
            Event::Job(JobEvent::Replied(content)) => encode(envelope, content),
            Event::Job(JobEvent::Applied(content)) => encode(envelope, content),
            Event::Job(JobEvent::Failed(content)) => encode(envelope, content),
            Event::Job(JobEvent::Taught(content)) => encode(envelope, content),
            Event::Delivery(DeliveryEvent::Attempted(content)) => encode(envelope, content),
            Event::Delivery(DeliveryEvent::Settled(content)) => encode(envelope, content),
            Event::Delivery(DeliveryEvent::Switched(content)) => encode(envelope, content),
            Event::Foreign(content) => encode(envelope, content),
            Event::Tombstone(TombstoneEvent::Laid(content)) => encode(envelope, content),
            Event::Tombstone(TombstoneEvent::Lifted(content)) => encode(envelope, content),
        }
    }

    /// Reads a body of the given kind; strings borrow from `bytes`.
    ///
    /// # Errors
    /// [`DecodeError`]: an unknown kind or version, bytes that don't follow the kind's
    /// layout, or bytes left over.
    pub fn decode(kind: Kind, bytes: &'a [u8]) -> Result<Body<'a>, DecodeError> {
        let memory = |(envelope, event)| (envelope, Event::Memory(event));
        let job = |(envelope, event)| (envelope, Event::Job(event));
        let delivery = |(envelope, event)| (envelope, Event::Delivery(event));
        let review = |(envelope, event)| (envelope, Event::Review(event));
        let (envelope, event) = match kind {
            Kind::SESSION_STARTED => decode(kind, bytes, SessionEvent::Started)
                .map(|(envelope, event)| (envelope, Event::Session(event))),
            Kind::SESSION_ENDED => decode(kind, bytes, |()| SessionEvent::Ended)
                .map(|(envelope, event)| (envelope, Event::Session(event))),
            Kind::SAID => decode(kind, bytes, |said| Event::Turn(TurnEvent::Said(said))),
            Kind::TOOL_RAN => decode(kind, bytes, |ran| Event::Turn(TurnEvent::ToolRan(ran))),
            Kind::REMEMBERED => {
                decode(kind, bytes, |plain: Plain<'a>| MemoryEvent::Remembered(plain.into()))
                    .map(memory)
            }
            Kind::REMEMBERED_WITH_METADATA => {
                let (envelope, content) = decode(kind, bytes, |content: Remembered<'a>| content)?;
                if content.metadata.is_empty() {
                    let reason = "it has no metadata".to_owned();
                    return Err(DecodeError::Layout { kind, reason });
                }
                Ok(memory((envelope, MemoryEvent::Remembered(content))))
            }
            Kind::SURFACED => {
                decode(kind, bytes, |alone: Alone<'a>| MemoryEvent::Surfaced(alone.into()))
                    .map(memory)
            }
            Kind::SURFACED_BESIDE => {
                let (envelope, content) = decode(kind, bytes, |content: Surfaced<'a>| content)?;
                if content.beside.is_empty() {
                    let reason = "it has no view of another ledger".to_owned();
                    return Err(DecodeError::Layout { kind, reason });
                }
                Ok(memory((envelope, MemoryEvent::Surfaced(content))))
            }
            Kind::CONFIRMED => decode(kind, bytes, MemoryEvent::Confirmed).map(memory),
            Kind::PROMOTED => decode(kind, bytes, MemoryEvent::Promoted).map(memory),
            Kind::PINNED => decode(kind, bytes, MemoryEvent::Pinned).map(memory),
            Kind::UNPINNED => decode(kind, bytes, MemoryEvent::Unpinned).map(memory),
            Kind::ELSEWHERE => decode(kind, bytes, MemoryEvent::Elsewhere).map(memory),
            Kind::INVALIDATED => decode(kind, bytes, MemoryEvent::Invalidated).map(memory),
            Kind::RECONFIRMED => decode(kind, bytes, MemoryEvent::Reconfirmed).map(memory),
            Kind::EMBEDDED => decode(kind, bytes, MemoryEvent::Embedded).map(memory),
            Kind::DECIDED => {
                decode(kind, bytes, |decided| Event::Reconcile(ReconcileEvent::Decided(decided)))
            }
            Kind::REPORTED => {
                decode(kind, bytes, |reported| Event::Outcome(OutcomeEvent::Reported(reported)))
            }
            Kind::ACCEPTED => decode(kind, bytes, ReviewEvent::Accepted).map(review),
            Kind::REJECTED => decode(kind, bytes, ReviewEvent::Rejected).map(review),
            Kind::DEFERRED => decode(kind, bytes, ReviewEvent::Deferred).map(review),
            Kind::ROLLED_BACK => decode(kind, bytes, ReviewEvent::RolledBack).map(review),
            Kind::SALIENCE_CHOSEN => {
                decode(kind, bytes, |policy| Event::Policy(PolicyEvent::SalienceChosen(policy)))
            }
            Kind::TRUST_CHOSEN => {
                decode(kind, bytes, |policy| Event::Policy(PolicyEvent::TrustChosen(policy)))
            }
            Kind::WRITES_CHOSEN => {
                decode(kind, bytes, |policy| Event::Policy(PolicyEvent::WritesChosen(policy)))
            }
            Kind::ROLE_GIVEN => {
                decode(kind, bytes, |given| Event::Policy(PolicyEvent::RoleGiven(given)))
            }
            Kind::SUMMARISED => decode(kind, bytes, |content| {
                Event::Compaction(CompactionEvent::Summarised(content))
            }),
            Kind::PROCEDURE_MINED => {
                decode(kind, bytes, |mined| Event::Procedure(ProcedureEvent::Mined(mined)))
            }
            Kind::JOB_QUEUED => decode(kind, bytes, JobEvent::Queued).map(job),
            Kind::JOB_ATTEMPTED => decode(kind, bytes, JobEvent::Attempted).map(job),
            Kind::JOB_REPLIED => decode(kind, bytes, JobEvent::Replied).map(job),
            Kind::JOB_APPLIED => decode(kind, bytes, JobEvent::Applied).map(job),
            Kind::JOB_FAILED => decode(kind, bytes, JobEvent::Failed).map(job),
            Kind::JOB_TAUGHT => decode(kind, bytes, JobEvent::Taught).map(job),
            Kind::DELIVERY_ATTEMPTED => decode(kind, bytes, DeliveryEvent::Attempted).map(delivery),
            Kind::DELIVERY_SETTLED => decode(kind, bytes, DeliveryEvent::Settled).map(delivery),
            Kind::DELIVERY_SWITCHED => decode(kind, bytes, DeliveryEvent::Switched).map(delivery),
            Kind::FOREIGN => decode(kind, bytes, Event::<'a>::Foreign as fn(Foreign<'a>) -> _),
            Kind::TOMBSTONES_LAID => decode(kind, bytes, TombstoneEvent::Laid)
                .map(|(envelope, event)| (envelope, Event::Tombstone(event))),
            Kind::TOMBSTONES_LIFTED => decode(kind, bytes, TombstoneEvent::Lifted)
                .map(|(envelope, event)| (envelope, Event::Tombstone(event))),
            Kind { .. } => Err(DecodeError::UnknownKind { kind }),
        }?;
        Ok(Body { envelope, event })
    }
}

/// A memory as version 1 of its kind has it.
#[derive(Deserialize)]
struct Plain<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    slot: Option<Slot<'a>>,
    validity: Validity,
    pending: Option<PendingReason>,
}

impl<'a> From<Plain<'a>> for Remembered<'a> {
    fn from(plain: Plain<'a>) -> Remembered<'a> {
        let Plain { text, slot, validity, pending } = plain;
        Remembered { text, slot, validity, pending, metadata: Metadata::default() }
    }
}

/// A showing as version 1 of its kind has it.
#[derive(Deserialize)]
struct Alone<'a> {
    targets: Vec<RecordId>,
    weight: Option<Weight>,
    #[serde(borrow)]
    receipt: Option<Box<Receipt<'a>>>,
}

impl<'a> From<Alone<'a>> for Surfaced<'a> {
    fn from(alone: Alone<'a>) -> Surfaced<'a> {
        let Alone { targets, weight, receipt } = alone;
        Surfaced { targets, weight, receipt, beside: Vec::new() }
    }
}

fn encode<T: Serialize>(envelope: &Envelope<'_>, content: &T) -> Vec<u8> {
    // The limit guards readers; a writer's bound is the log's, on the finished body.
    let encoded = bincode::serde::encode_to_vec((envelope, content), bincode::config::legacy());
    #[expect(clippy::expect_used, reason = "see `# Panics`")]
    encoded.expect("every body has an encoding")
}

fn decode<'a, T: Deserialize<'a>, E>(
    kind: Kind,
    bytes: &'a [u8],
    wrap: impl FnOnce(T) -> E,
) -> Result<(Envelope<'a>, E), DecodeError> {
    let ((envelope, content), read) = bincode::serde::borrow_decode_from_slice(bytes, CONFIG)
        .map_err(|error| DecodeError::Layout { kind, reason: error.to_string() })?;
    if read != bytes.len() {
        return Err(DecodeError::TrailingBytes { kind, read, found: bytes.len() });
    }
    Ok((envelope, wrap(content)))
}

#[cfg(test)]
mod tests;
