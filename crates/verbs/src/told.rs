//! An event that is no item, in words.

use memlith::{
    Citation, RecordId,
    log::{
        Body, DeliveryEvent, Event, JobEvent, MemoryEvent, OutcomeEvent, ReconcileEvent,
        ReviewEvent, SaidElsewhere, TombstoneEvent,
    },
    write::Outcome,
};
use serde_json::Value;

/// Tells what an event of the vocabulary did, to what, by whom, and why.
pub(crate) fn words(body: &Body<'_>, json: &Value) -> String {
    let who = &body.envelope.actor.name;
    match &body.event {
        Event::Memory(event) => of_memory(event, who),
        Event::Reconcile(ReconcileEvent::Decided(decided)) => {
            format!("{} by {who}", of_outcome(&decided.outcome))
        }
        Event::Outcome(OutcomeEvent::Reported(said)) => {
            let result = word(&serde_json::to_value(said.result).unwrap_or_default());
            let verified = if said.verified { ", verified" } else { "" };
            let what = format!("{result}{verified}");
            told(&what, &said.targets, who, said.note.as_ref().map(|note| note.as_str()))
        }
        Event::Review(event) => {
            let (did, reason) = match event {
                ReviewEvent::Accepted(said) => ("accepted", &said.reason),
                ReviewEvent::Rejected(said) => ("rejected", &said.reason),
                ReviewEvent::Deferred(said) => ("deferred", &said.reason),
                ReviewEvent::RolledBack(said) => ("taken back", &said.reason),
            };
            told(did, event.targets(), who, reason.as_ref().map(|text| text.as_str()))
        }
        Event::Job(event) => of_job(event),
        Event::Delivery(event) => of_delivery(event),
        Event::Tombstone(TombstoneEvent::Laid(laid)) => {
            format!("{} tombstones laid by {who}, for an erasure", laid.stones.len())
        }
        Event::Tombstone(TombstoneEvent::Lifted(lifted)) if lifted.targets.is_empty() => {
            format!("all tombstones lifted by {who}")
        }
        Event::Tombstone(TombstoneEvent::Lifted(lifted)) => {
            told("allowed again", &lifted.targets, who, None)
        }
        Event::Session(_)
        | Event::Turn(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => format!("{} by {who}", strings(json.pointer("/content"))),
    }
}

fn of_job(event: &JobEvent<'_>) -> String {
    match event {
        JobEvent::Queued(queued) => {
            format!(
                "records {} to {} wait to be looked at from {} on",
                queued.first, queued.last, queued.due
            )
        }
        JobEvent::Attempted(said) => format!("job {} taken by {}", said.job, said.extractor),
        JobEvent::Replied(said) => format!("reply to job {}: {}", said.job, said.reply),
        JobEvent::Applied(said) => {
            let memories = said.memories.saturating_add(said.procedures);
            format!("job {} taught {memories}, left out {}", said.job, said.dropped)
        }
        JobEvent::Failed(said) => {
            let next =
                said.retry_at.map_or("never again".to_owned(), |at| format!("again at {at}"));
            format!("job {} failed ({}), {next}", said.job, said.reason)
        }
        JobEvent::Taught(said) => {
            let titles = [Some(&said.name), Some(&said.trigger), said.steps.first()];
            let title = titles.into_iter().flatten().find(|title| !title.is_empty());
            let end = match said.verified {
                Some(true) => "it went well",
                Some(false) => "it failed",
                None => "no end is known",
            };
            let title = title.map_or("", |title| title.as_str());
            format!("job {} saw how to do {title:?}: {end}", said.job)
        }
    }
}

fn of_delivery(event: &DeliveryEvent<'_>) -> String {
    match event {
        DeliveryEvent::Attempted(said) => {
            let count = said.items.len().saturating_add(said.gone.len());
            format!("{count} items on their way to {}", said.sink)
        }
        DeliveryEvent::Settled(said) if said.failed.is_empty() => {
            format!("delivery {} to {} applied", said.attempt, said.sink)
        }
        DeliveryEvent::Settled(said) => {
            let next =
                said.retry_at.map_or("never again".to_owned(), |at| format!("again at {at}"));
            let failed = said.failed.len();
            let (attempt, sink, reason) = (said.attempt, &said.sink, &said.reason);
            format!("delivery {attempt} to {sink}: {failed} not applied ({reason}), {next}")
        }
        DeliveryEvent::Switched(said) => {
            let to = word(&serde_json::to_value(said.to).unwrap_or_default());
            format!("{} {to} ({})", said.sink, said.reason)
        }
    }
}

fn of_memory(event: &MemoryEvent<'_>, who: &str) -> String {
    match event {
        MemoryEvent::Surfaced(said) => {
            let query = said.receipt.as_ref().map(|receipt| format!("{:?}", receipt.query));
            match query {
                Some(query) => format!("shown to {who}, who asked {query}: {}", ids(&said.targets)),
                None => format!("met again by {who}: {}", ids(&said.targets)),
            }
        }
        MemoryEvent::Confirmed(said) => {
            let did = if said.verified { "confirmed, verified" } else { "confirmed" };
            told(did, &said.targets, who, None)
        }
        MemoryEvent::Promoted(said) => told("promoted", &said.targets, who, None),
        MemoryEvent::Pinned(target) => told("pinned", &[*target], who, None),
        MemoryEvent::Elsewhere(said) => {
            let did = match said.said {
                SaidElsewhere::Forgotten => "forgotten".to_owned(),
                SaidElsewhere::Restored => "brought back".to_owned(),
                SaidElsewhere::ReplacedBy(id) => format!("replaced by {id}"),
                SaidElsewhere::Erased => "to be erased".to_owned(),
                SaidElsewhere::Confirmed { verified: true } => "confirmed, verified".to_owned(),
                SaidElsewhere::Confirmed { verified: false } => "confirmed".to_owned(),
                SaidElsewhere::Declined => "declined".to_owned(),
                SaidElsewhere::Pinned => "pinned".to_owned(),
                SaidElsewhere::Unpinned => "unpinned".to_owned(),
            };
            let of = Citation { ledger: said.ledger, id: said.id };
            format!("{of}, of another machine: {did} by {who}")
        }
        MemoryEvent::Unpinned(target) => told("unpinned", &[*target], who, None),
        MemoryEvent::Invalidated(said) => {
            let reason = said.reason.as_ref().map(|text| text.as_str());
            told("invalidated", &said.targets, who, reason)
        }
        MemoryEvent::Reconfirmed(said) => {
            let reason = said.reason.as_ref().map(|text| text.as_str());
            told("reconfirmed", &said.targets, who, reason)
        }
        MemoryEvent::Embedded(said) => told("given a vector", &[said.target], who, None),
        MemoryEvent::Remembered(said) => format!("{who}: {}", said.text),
    }
}

fn of_outcome(outcome: &Outcome) -> String {
    let told = |did: &str, targets: &[RecordId]| format!("{did} {}", ids(targets));
    match outcome {
        Outcome::Added => "added".to_owned(),
        Outcome::Skipped => "skipped".to_owned(),
        Outcome::Restated(id) => told("restated", &[*id]),
        Outcome::Revived(id) => told("revived", &[*id]),
        Outcome::Corrected(id) => told("corrected", &[*id]),
        Outcome::Reopened(id) => told("reopened", &[*id]),
        Outcome::Settled(id) => told("settled", &[*id]),
        Outcome::Superseded(all) => told("superseded", all),
        Outcome::Proposed(all) => told("proposed against", all),
        Outcome::Disputed(all) => told("disputed", all),
    }
}

fn told(did: &str, targets: &[RecordId], who: &str, why: Option<&str>) -> String {
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    format!("{did} by {who}{why} ({})", ids(targets))
}

fn ids(targets: &[RecordId]) -> String {
    targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The strings in `value`, in order, each with its name.
fn strings(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) => {
            values.iter().map(|value| strings(Some(value))).collect::<Vec<_>>().join(" ")
        }
        Some(Value::Object(fields)) => {
            let named = fields.values().map(|value| strings(Some(value)));
            named.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => String::new(),
    }
}
