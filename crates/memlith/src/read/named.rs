//! Which records an event names.

use memlith_event::{
    Body, Event, MemoryEvent, Metadata, Outcome, OutcomeEvent, ReconcileEvent, Slot,
};
use memlith_log::RecordId;
use memlith_text::normalised;

use crate::read::inspect::linked;

/// The records that the event names, in no order, perhaps some of them twice.
pub(crate) fn named_by(body: &Body<'_>) -> Vec<RecordId> {
    let mut named: Vec<RecordId> = match &body.event {
        Event::Memory(event) => of_memory(event),
        Event::Reconcile(ReconcileEvent::Decided(decided)) => {
            let mut named = of_outcome(&decided.outcome);
            named.extend(decided.candidates.iter().map(|candidate| candidate.id));
            named.extend(&decided.settled);
            named.extend(decided.contests());
            named
        }
        Event::Outcome(OutcomeEvent::Reported(said)) => said.targets.clone(),
        Event::Review(event) => event.targets().to_vec(),
        Event::Session(_)
        | Event::Turn(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => Vec::new(),
    };
    named.extend(linked(body));
    named
}

fn of_memory(event: &MemoryEvent<'_>) -> Vec<RecordId> {
    match event {
        MemoryEvent::Surfaced(said) => said.targets.clone(),
        MemoryEvent::Confirmed(said) => said.targets.clone(),
        MemoryEvent::Promoted(said) => said.targets.clone(),
        MemoryEvent::Invalidated(said) => said.targets.clone(),
        MemoryEvent::Reconfirmed(said) => said.targets.clone(),
        MemoryEvent::Pinned(target) | MemoryEvent::Unpinned(target) => vec![*target],
        MemoryEvent::Embedded(said) => vec![said.target],
        MemoryEvent::Remembered(_) | MemoryEvent::Elsewhere(_) => Vec::new(),
    }
}

fn of_outcome(outcome: &Outcome) -> Vec<RecordId> {
    match outcome {
        Outcome::Added | Outcome::Skipped => Vec::new(),
        Outcome::Restated(id)
        | Outcome::Revived(id)
        | Outcome::Reopened(id)
        | Outcome::Corrected(id)
        | Outcome::Settled(id) => vec![*id],
        Outcome::Superseded(ids) | Outcome::Proposed(ids) | Outcome::Disputed(ids) => ids.clone(),
    }
}

/// Whether the event states something of `entity`, and where it is given of its `predicate`.
pub(crate) fn entity_of(body: &Body<'_>, entity: &str, predicate: Option<&str>) -> bool {
    slot_of(body).is_some_and(|slot| {
        normalised(&slot.entity) == normalised(entity)
            && predicate.is_none_or(|asked| normalised(&slot.predicate) == normalised(asked))
    })
}

/// The slot of a memory that was written down with one.
pub(crate) fn slot_of<'a, 'b>(body: &'b Body<'a>) -> Option<&'b Slot<'a>> {
    let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return None };
    row.slot.as_ref()
}

/// The pairs beside a memory; none where it has none.
pub(crate) fn metadata_of<'a, 'b>(body: &'b Body<'a>) -> Option<&'b Metadata<'a>> {
    let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return None };
    Some(&row.metadata).filter(|metadata| !metadata.is_empty())
}
