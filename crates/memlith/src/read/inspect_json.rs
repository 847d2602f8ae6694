use memlith_event::OwnStatus;
use memlith_log::{Record, RecordId, Timestamp};
use memlith_memory::{Assertion, ItemFlags};
use serde::ser::{Error as _, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::fold::state::body_of;
use crate::read::inspect::InspectedItem;
use crate::read::named::{metadata_of, slot_of};
use crate::read::record_json::RecordJson;
use crate::read::show::decode;

/// Item that another took the place of, or that took the place of another, and from when.
#[derive(Serialize)]
struct Other {
    id: RecordId,
    at: Timestamp,
}

/// Writes what every record has.
pub(crate) fn write_record<S: Serializer>(record: &Record, out: S) -> Result<S::Ok, S::Error> {
    let body = decode(record).map_err(S::Error::custom)?;
    let envelope = body.as_ref().map(|body| &body.envelope);
    let json = RecordJson::of(record);
    let mut out = out.serialize_struct("Record", 13)?;
    out.serialize_field("id", &json.id)?;
    out.serialize_field("kind", json.kind)?;
    out.serialize_field("text", &body.as_ref().and_then(|body| body.event.item_text()))?;
    out.serialize_field("actor", &envelope.map(|envelope| &envelope.actor.name))?;
    out.serialize_field("rank", &envelope.map(|envelope| envelope.actor.rank))?;
    out.serialize_field("via", &envelope.map(|envelope| envelope.via))?;
    out.serialize_field("session", &envelope.and_then(|one| one.scope.session.as_ref()))?;
    out.serialize_field("recorded_at", &json.recorded_at)?;
    out.serialize_field("occurred_at", &envelope.map(|envelope| envelope.occurred_at))?;
    out.serialize_field("seq", &json.seq)?;
    out.serialize_field("hash", &json.hash)?;
    out.serialize_field("chain", &json.chain)?;
    out.serialize_field("body", &json.body)?;
    out.end()
}

/// Writes what an item has beyond that; of what is none, that it is an event.
pub(crate) fn write_item<S: Serializer>(
    item: &Option<InspectedItem>,
    out: S,
) -> Result<S::Ok, S::Error> {
    if let Some(item) = item {
        return item.serialize(out);
    }
    let mut out = out.serialize_struct("Event", 1)?;
    out.serialize_field("what", "event")?;
    out.end()
}

impl InspectedItem {
    /// The word for what it is.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match (self.shown.item.is_record(), self.shown.item.is_summary()) {
            (true, _) => "record",
            (false, true) => "summary",
            (false, false) => "memory",
        }
    }
}

impl Serialize for InspectedItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shown, item) = (&self.shown, &self.shown.item);
        // Of an erased item the fold keeps nothing of its source.
        let kept = item.own != OwnStatus::Erased;
        let assertion = shown.assertion.as_ref();
        let own_end = assertion.map(|one| one.valid_until);
        let own_end = own_end.filter(|until| *until != Assertion::OPEN);
        let body = body_of(&shown.record).ok().flatten();
        let rests_on: Vec<&Vec<RecordId>> = shown.rests_on.iter().map(|(_, all)| all).collect();
        let mut out = serializer.serialize_struct("InspectedItem", 23)?;
        out.serialize_field("what", self.what())?;
        out.serialize_field("authority", &shown.authority)?;
        out.serialize_field("own_status", &item.own)?;
        out.serialize_field("pinned", &item.is_pinned())?;
        out.serialize_field("accepted", &item.flags.has(ItemFlags::ACCEPTED))?;
        out.serialize_field("origin", &kept.then_some(item.origin))?;
        out.serialize_field("tier", &kept.then_some(item.tier))?;
        out.serialize_field("guard", &kept.then_some(item.guard))?;
        out.serialize_field("valid_from", &assertion.map(|one| one.valid_from))?;
        out.serialize_field("valid_until", &own_end)?;
        out.serialize_field("until", &self.end.map(|end| end.at))?;
        out.serialize_field("until_why", &self.end.map(|end| end.why))?;
        out.serialize_field("restated", &assertion.map(|one| one.restated))?;
        out.serialize_field("slot", &body.as_ref().and_then(slot_of))?;
        out.serialize_field("metadata", &body.as_ref().and_then(metadata_of))?;
        out.serialize_field("closed_by", &shown.closed_by.map(|(by, _)| by))?;
        out.serialize_field("closed_at", &shown.closed_by.map(|(_, at)| at))?;
        out.serialize_field("replaced", &others(&self.replaced))?;
        out.serialize_field("replaced_by", &others(&self.replaced_by))?;
        out.serialize_field("rests_on", &rests_on)?;
        out.serialize_field("disputed_by", &shown.disputed_by)?;
        out.serialize_field("contested_with", &shown.contested_with)?;
        out.serialize_field("reasons", &self.reasons)?;
        out.end()
    }
}

fn others(others: &[(RecordId, Timestamp)]) -> Vec<Other> {
    others.iter().map(|&(id, at)| Other { id, at }).collect()
}
