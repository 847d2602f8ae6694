//! Idempotency keys: a write under a known key is not repeated, and another one is refused.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{
    Body, Event, LinkKind, MemoryEvent, Outcome, OutcomeEvent, Purpose, ReconcileEvent, Reported,
    ReviewEvent, Text,
};
use memlith_log::RecordId;
use memlith_memory::{Change, Command, Judgement, Remember, TaskReport};
use memlith_redact::Rule;

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::write::command::{WriteOutcome, Written, row_named, waits};

impl Ledger {
    /// Returns what the caller wrote under the same key, if anything.
    ///
    /// # Errors
    /// [`Error::KeyReused`] where that was something else. Words that were erased meanwhile
    /// can't be compared, and count as the same.
    pub(crate) fn already_written(
        &self,
        caller: &Caller,
        state: &State,
        command: &Command,
        redacted: &BTreeMap<Rule, u64>,
    ) -> Result<Option<Written>, Error> {
        let known = |key| state.memory.known(key, &caller.scope, &caller.actor());
        let Some(first) = caller.key.and_then(known) else { return Ok(None) };
        let record = self.log.read(first.seq)?;
        let body = body_of(&record).map_err(|source| Error::Decode { seq: first.seq, source })?;
        if body.as_ref().is_some_and(|body| !is_of(body, command)) {
            return Err(Error::KeyReused { first });
        }
        let id = body.and_then(|body| row_named(&body.event)).unwrap_or(first);
        let (outcome, redacted) = (WriteOutcome::AlreadyPresent, redacted.clone());
        let waits = waits(state, id);
        Ok(Some(Written { id, seq: id.seq, outcome, redacted, waits, near: Vec::new() }))
    }
}

/// Whether `body`, which carries the key, is what `command` writes.
///
/// What the state decided of it and what the engine filled in count for nothing.
fn is_of(body: &Body<'_>, command: &Command) -> bool {
    let event = &body.event;
    match command {
        Command::Remember(said) => {
            says(body, said)
                && !body.envelope.links.iter().any(|link| link.kind == LinkKind::Corrects)
        }
        Command::Correct { target, with } => {
            says(body, with) && body.envelope.links.iter().any(|link| link.target == *target)
        }
        Command::Propose { what, .. } => says(body, what),
        Command::Change { change, targets } => changes(event, change, targets),
        Command::Embed(vectors) => {
            matches!(event, Event::Memory(MemoryEvent::Embedded(said)) if vectors.contains(said))
        }
        Command::Report(report) => {
            matches!(event, Event::Outcome(OutcomeEvent::Reported(said)) if reports(said, report))
        }
        Command::Review { judgement, targets, reason } => {
            let judged = match (judgement, event) {
                (Judgement::Accept, Event::Review(ReviewEvent::Accepted(said)))
                | (Judgement::Reject, Event::Review(ReviewEvent::Rejected(said)))
                | (Judgement::Defer, Event::Review(ReviewEvent::Deferred(said))) => Some(said),
                (_, _) => None,
            };
            judged.is_some_and(|said| {
                is_same(&said.targets, targets) && is_text(said.reason.as_ref(), reason)
            })
        }
        Command::RollBack { target, reason } => {
            matches!(event, Event::Review(ReviewEvent::RolledBack(said))
                if is_same(&said.targets, &[*target]) && is_text(said.reason.as_ref(), reason))
        }
        Command::Choose(policy) => matches!(event, Event::Policy(said) if said == policy),
        Command::Dispute { targets, .. } => disputes(event, targets),
        Command::Mine(_) => matches!(event, Event::Procedure(_)),
        Command::Summarise(_) => matches!(event, Event::Compaction(_)),
    }
}

/// Whether the event says what `said` does: as a row, or as a decision that made none.
fn says(body: &Body<'_>, said: &Remember) -> bool {
    let (text, slot) = match &body.event {
        Event::Memory(MemoryEvent::Remembered(row)) => {
            let (from, until) = (said.validity.from, said.validity.until);
            // The row has an instant of its own where the write states none.
            if row.validity.until != until
                || from.is_some_and(|from| row.validity.from != Some(from))
            {
                return false;
            }
            if row.metadata.to_map() != said.metadata {
                return false;
            }
            (&row.text, &row.slot)
        }
        Event::Reconcile(ReconcileEvent::Decided(decided)) => (&decided.text, &decided.slot),
        Event::Memory(_)
        | Event::Session(_)
        | Event::Turn(_)
        | Event::Outcome(_)
        | Event::Review(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => return false,
    };
    // A slot that the write doesn't state came from the grammar.
    let same_slot = said.slot.is_none() || *slot == said.slot;
    let links = body.envelope.links.iter().filter(|link| link.kind == LinkKind::RestsOn);
    let rests_on: Vec<RecordId> = links.map(|link| link.target).collect();
    **text == *said.text && same_slot && is_same(&rests_on, &said.rests_on)
}

fn changes(event: &Event<'_>, change: &Change, targets: &[RecordId]) -> bool {
    match (change, event) {
        (Change::Confirm { weight, verified }, Event::Memory(MemoryEvent::Confirmed(said))) => {
            is_same(&said.targets, targets) && said.weight == *weight && said.verified == *verified
        }
        (Change::Promote { weight }, Event::Memory(MemoryEvent::Promoted(said))) => {
            is_same(&said.targets, targets) && said.weight == *weight
        }
        // Each item has an event of its own, and the key names one of them.
        (Change::Pin, Event::Memory(MemoryEvent::Pinned(said)))
        | (Change::Unpin, Event::Memory(MemoryEvent::Unpinned(said))) => targets.contains(said),
        (Change::Invalidate { weight, reason }, Event::Memory(MemoryEvent::Invalidated(said))) => {
            is_same(&said.targets, targets)
                && said.weight == *weight
                && is_text(said.reason.as_ref(), reason)
        }
        (Change::Invalidate { .. }, event @ Event::Reconcile(_)) => disputes(event, targets),
        (Change::Reconfirm { reason }, Event::Memory(MemoryEvent::Reconfirmed(said))) => {
            is_same(&said.targets, targets) && is_text(said.reason.as_ref(), reason)
        }
        (_, _) => false,
    }
}

fn disputes(event: &Event<'_>, targets: &[RecordId]) -> bool {
    matches!(event, Event::Reconcile(ReconcileEvent::Decided(decided))
        if matches!(&decided.outcome, Outcome::Disputed(rows) if is_same(rows, targets)))
}

fn reports(said: &Reported<'_>, report: &TaskReport) -> bool {
    is_same(&said.targets, &report.targets)
        && (said.result, said.verified, said.expected)
            == (report.result, report.verified, report.expected)
        && said.purpose.as_deref() == report.purpose.map(Purpose::name)
        && is_text(said.note.as_ref(), &report.note)
}

fn is_same(found: &[RecordId], asked: &[RecordId]) -> bool {
    let set = |ids: &[RecordId]| ids.iter().copied().collect::<BTreeSet<_>>();
    set(found) == set(asked)
}

fn is_text(found: Option<&Text<'_>>, asked: &Option<String>) -> bool {
    found.map(|text| &**text) == asked.as_deref()
}
