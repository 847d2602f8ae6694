use anyhow::Result;
use memlith::{
    Digest, Ledger, RecordId, Seq, Timestamp,
    item::{Inspected, InspectedItem, ItemFlags, OwnStatus, Reason},
};
use serde::Serialize;
use serde_json::Value;

use crate::line::Line;

/// What is known of a record.
#[derive(Serialize)]
pub(super) struct Answer {
    #[serde(flatten)]
    pub(super) record: RecordJson,
    /// `None` for what is no item.
    #[serde(flatten)]
    pub(super) item: Option<Box<ItemJson>>,
    body: Value,
}

/// What every record has.
#[derive(Serialize)]
pub(super) struct RecordJson {
    pub(super) id: RecordId,
    pub(super) citation: String,
    pub(super) what: &'static str,
    pub(super) kind: &'static str,
    pub(super) says: Option<String>,
    pub(super) text: Option<String>,
    pub(super) about: Vec<RecordId>,
    pub(super) actor: Option<String>,
    pub(super) rank: Option<String>,
    pub(super) via: Option<String>,
    pub(super) session: Option<String>,
    pub(super) recorded_at: Timestamp,
    pub(super) occurred_at: Option<Timestamp>,
    pub(super) seq: Seq,
    pub(super) hash: Digest,
    pub(super) chain: Digest,
    pub(super) previous_chain: Option<Digest>,
}

/// What an item has beyond that.
#[derive(Serialize)]
pub(super) struct ItemJson {
    pub(super) authority: &'static str,
    own_status: OwnStatus,
    pub(super) pinned: bool,
    pub(super) accepted: bool,
    pub(super) origin: Option<String>,
    pub(super) tier: Option<u8>,
    pub(super) guard: Option<u8>,
    pub(super) valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    pub(super) until_why: Option<&'static str>,
    pub(super) restated: Option<u32>,
    slot: Value,
    #[serde(skip)]
    pub(super) slot_text: Option<String>,
    closed_by: Option<RecordId>,
    closed_at: Option<Timestamp>,
    pub(super) replaced: Vec<OtherJson>,
    pub(super) replaced_by: Vec<OtherJson>,
    pub(super) rests_on: Vec<Vec<RecordId>>,
    pub(super) disputed_by: Vec<RecordId>,
    pub(super) contested_with: Vec<RecordId>,
    pub(super) reasons: Vec<ReasonJson>,
}

/// What an item took the place of, or what took its place.
#[derive(Serialize)]
pub(super) struct OtherJson {
    pub(super) id: RecordId,
    pub(super) at: Timestamp,
}

/// What somebody said of an item.
#[derive(Serialize)]
pub(super) struct ReasonJson {
    pub(super) item: RecordId,
    pub(super) record: RecordId,
    pub(super) kind: &'static str,
    pub(super) actor: String,
    rank: String,
    at: Timestamp,
    pub(super) text: Option<String>,
    #[serde(skip)]
    pub(super) of_itself: bool,
}

/// Where a memory's slot stands in its body.
const SLOT: &str = "/content/memory/remembered/slot";

impl Answer {
    pub(super) fn of(ledger: &Ledger, inspected: &Inspected) -> Result<Answer> {
        let record = &inspected.record;
        let body = memlith::log::decode(record)?;
        let envelope = body.as_ref().map(|body| &body.envelope);
        let line = Line::of(record);
        let item =
            inspected.item.as_ref().map(|item| Box::new(ItemJson::of(item, &line.json.body)));
        let text = body.as_ref().and_then(|body| body.event.item_text()).map(Into::into);
        let record = RecordJson {
            id: record.id(),
            citation: ledger.cite(record.id()).to_string(),
            what: inspected.item.as_ref().map_or("event", what),
            kind: line.json.kind,
            says: inspected.item.is_none().then(|| line.told().to_owned()),
            text,
            about: inspected.about.clone(),
            actor: envelope.map(|envelope| envelope.actor.name.to_string()),
            rank: envelope.map(|envelope| word(&envelope.actor.rank)),
            via: envelope.map(|envelope| word(&envelope.via)),
            session: envelope.and_then(|one| Some(one.scope.session.as_ref()?.to_string())),
            recorded_at: record.recorded_at,
            occurred_at: envelope.map(|envelope| envelope.occurred_at),
            seq: record.seq,
            hash: record.record_hash,
            chain: record.chain,
            previous_chain: inspected.previous,
        };
        Ok(Answer { record, item, body: line.json.body })
    }
}

impl ItemJson {
    fn of(inspected: &InspectedItem, body: &Value) -> ItemJson {
        let (shown, item) = (&inspected.shown, &inspected.shown.item);
        // Of an erased item the fold keeps nothing of its source.
        let kept = item.own != OwnStatus::Erased;
        let assertion = shown.assertion.as_ref();
        let open = memlith::item::Assertion::OPEN;
        let slot = body.pointer(SLOT).cloned().unwrap_or_default();
        let others = |others: &[(RecordId, Timestamp)]| {
            others.iter().map(|(id, at)| OtherJson { id: *id, at: *at }).collect()
        };
        let reason = |reason: &Reason| ReasonJson {
            item: reason.item,
            record: reason.record,
            kind: reason.kind,
            actor: reason.actor.clone(),
            rank: word(&reason.rank),
            at: reason.at,
            text: reason.text.clone(),
            of_itself: reason.item == item.id,
        };
        ItemJson {
            authority: shown.authority.label(),
            own_status: item.own,
            pinned: item.is_pinned(),
            accepted: item.flags.has(ItemFlags::ACCEPTED),
            origin: kept.then(|| word(&item.origin)),
            tier: kept.then_some(item.tier.0),
            guard: kept.then_some(item.guard),
            valid_from: assertion.map(|assertion| assertion.valid_from),
            valid_until: assertion.map(|one| one.valid_until).filter(|until| *until != open),
            until: inspected.end.map(|end| end.at),
            until_why: inspected.end.map(|end| end.why.label()),
            restated: assertion.map(|assertion| assertion.restated),
            slot_text: slot_text(&slot),
            slot,
            closed_by: shown.closed_by.map(|(by, _)| by),
            closed_at: shown.closed_by.map(|(_, at)| at),
            replaced: others(&inspected.replaced),
            replaced_by: others(&inspected.replaced_by),
            rests_on: shown.rests_on.iter().map(|(_, members)| members.clone()).collect(),
            disputed_by: shown.disputed_by.clone(),
            contested_with: shown.contested_with.clone(),
            reasons: inspected.reasons.iter().map(reason).collect(),
        }
    }
}

fn what(item: &InspectedItem) -> &'static str {
    match (item.shown.item.is_record(), item.shown.item.is_summary()) {
        (true, _) => "record",
        (false, true) => "summary",
        (false, false) => "memory",
    }
}

fn slot_text(slot: &Value) -> Option<String> {
    let fields = slot.as_object()?;
    let part = |name| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(format!("{} / {} = {}", part("entity"), part("predicate"), part("value")))
}

/// A value that is one word in JSON.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map(str::to_owned).unwrap_or_default()
}
