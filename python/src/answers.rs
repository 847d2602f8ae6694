//! Answers as JSON, as the Python half reads them. Instants are microseconds since 1970.

use std::collections::BTreeMap;

use memlith::copy::ImportReport;
use memlith::prove::{Report, Stat};
use memlith::read::Explained;
use memlith::{Checkout, Cited, Entry, RecordId, Step, Timestamp, Written};
use serde_json::{Value, json};

fn ids(ids: &[RecordId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

fn instant(at: Option<Timestamp>) -> Option<i64> {
    at.map(|at| at.0)
}

pub(crate) fn written(written: &Written) -> Value {
    json!({
        "id": written.id.to_string(),
        "status": written.status(),
        "superseded": ids(&written.superseded()),
        "contested": ids(written.contested()),
        "near": written.near.iter().map(|one| one.id.to_string()).collect::<Vec<_>>(),
        "redacted": written.redacted.values().sum::<u64>(),
    })
}

pub(crate) fn hit(cited: &Cited) -> Value {
    json!({
        "id": cited.id.to_string(),
        "text": cited.excerpt.text,
        "citation": cited.citation.to_string(),
        "speaker": cited.speaker,
        "said_at": cited.occurred_at.0,
        "score": cited.score as f64 / 10_000_000.0,
        "is_record": cited.why.record,
        "standing": cited.why.authority.label(),
    })
}

pub(crate) fn pack(checkout: &Checkout) -> Value {
    json!({
        "items": checkout.pack.items.iter().map(hit).collect::<Vec<_>>(),
        "prompt": checkout.prompt(),
        "observed": checkout.observed.as_ref().ok().map(ToString::to_string),
        "not_observed": checkout.observed.as_ref().err(),
    })
}

pub(crate) fn entry(entry: &Entry) -> Value {
    let slot = entry.slot.as_ref();
    json!({
        "id": entry.id.to_string(),
        "text": entry.text,
        "speaker": entry.speaker,
        "standing": entry.authority.label(),
        "created_at": entry.created_at.0,
        "entity": slot.map(|slot| &slot.entity),
        "predicate": slot.map(|slot| &slot.predicate),
        "value": slot.map(|slot| &slot.value),
        "metadata": entry.metadata,
        "replaced_by": entry.replaced_by.map(|id| id.to_string()),
        "replaced_at": instant(entry.replaced_at),
    })
}

pub(crate) fn step(step: &Step) -> Value {
    json!({ "id": step.id.to_string(), "at": step.at.0, "kind": step.kind, "text": step.text })
}

pub(crate) fn explained(explained: &Explained) -> Value {
    json!({
        "id": explained.id.to_string(),
        "standing": explained.authority.label(),
        "at": explained.at.0,
        "curve": curve(explained),
        "detail": explained,
    })
}

/// Instants and the salience at each, from the item's own time on; straight between them on a
/// logarithmic scale.
fn curve(explained: &Explained) -> Vec<(i64, f64)> {
    let (legs, until) = (&explained.explanation.curve, explained.at);
    let ends = legs.iter().skip(1).map(|leg| leg.from.min(until)).chain([until]);
    let pieces = legs.iter().zip(ends).filter(|(leg, _)| leg.from <= until);
    let points = pieces.flat_map(|(leg, end)| [(leg.from, leg), (end, leg)]);
    points.map(|(at, leg)| (at.0, (leg.log2(at).0 as f64 / DOUBLING).exp2())).collect()
}

/// A doubling of salience, as its logarithm is kept.
const DOUBLING: f64 = (1_u64 << 44) as f64;

pub(crate) fn imported(report: &ImportReport) -> Value {
    json!({
        "added": report.added,
        "known": report.already_present,
        "skipped": report.skipped,
        "redacted": report.redacted.values().sum::<u64>(),
    })
}

pub(crate) fn stat(stat: &Stat) -> Value {
    let memories: BTreeMap<&str, u64> =
        stat.memories.iter().map(|(standing, count)| (standing.label(), *count)).collect();
    json!({
        "ledger": stat.ledger.to_string(),
        "records": stat.records,
        "recorded_at": stat.recorded_at.0,
        "memories": memories,
        "said": stat.item_records,
        "bytes": stat.bytes(),
        "checkpoints": stat.checkpoints.len(),
        "findings": stat.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(crate) fn report(report: &Report) -> Value {
    json!({
        "ok": report.is_ok(),
        "records": report.records,
        "findings": report.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "holds_through": report.sound_through.map(|seq| seq.0),
    })
}
