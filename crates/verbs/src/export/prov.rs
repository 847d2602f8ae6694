//! The life of a memory as W3C PROV-JSON (w3.org/Submission/prov-json).

use std::collections::BTreeMap;

use anyhow::Result;
use memlith::log::{LinkKind, RecordJson, decode};
use memlith::read::InspectedItem;
use memlith::{Caller, Ledger, RecordId};
use serde_json::{Map, Value, json};

/// Statements of a document, by relation and then by name.
#[derive(Default)]
struct Document(BTreeMap<&'static str, Map<String, Value>>);

/// The life of the record `id`, and of what it replaced: each record is an activity of who wrote
/// it, each item an entity that one generated, and others used, revised or ended.
///
/// # Errors
/// The caller doesn't see the record, or the ledger can't be read.
pub(super) fn of(ledger: &Ledger, caller: &Caller, id: RecordId) -> Result<Value> {
    let past = ledger.lineage(caller, id)?;
    let mut document = Document::default();
    for one in &past {
        let record = &one.record;
        let activity = format!("record:{}", record.seq);
        let at = record.recorded_at.to_string();
        let json = RecordJson::of(record);
        document.add(
            "activity",
            &activity,
            json!({"prov:startTime": at, "prov:endTime": at, "prov:type": json.kind}),
        );
        let is_item = one.of.contains(&record.id());
        let entity = item(record.id());
        let body = decode(record)?;
        if let Some(body) = &body {
            let actor = &body.envelope.actor;
            let agent = format!("agent:{}", percent(&actor.name));
            document.add("agent", &agent, json!({"prov:label": actor.name}));
            document.relate(
                "wasAssociatedWith",
                json!({"prov:activity": activity, "prov:agent": agent, "prov:role": actor.rank}),
            );
            if is_item {
                document
                    .relate("wasAttributedTo", json!({"prov:entity": entity, "prov:agent": agent}));
            }
            for link in body.envelope.links.iter().filter(|_| is_item) {
                document.link((&entity, &activity), link.kind, link.target);
            }
        }
        if is_item {
            let text = body.as_ref().and_then(|body| body.event.item_text());
            let value = text.map_or_else(
                || json!({"prov:type": "erased"}),
                |text| json!({"prov:value": text.as_ref()}),
            );
            document.add("entity", &entity, value);
            document.relate(
                "wasGeneratedBy",
                json!({"prov:entity": entity, "prov:activity": activity, "prov:time": at}),
            );
            if let Some(known) = ledger.inspect(caller, record.id())?.item {
                document.end(&entity, &known);
            }
        }
        for used in one.of.iter().filter(|used| **used != record.id()) {
            document.relate("used", json!({"prov:activity": activity, "prov:entity": item(*used)}));
        }
    }
    Ok(document.finish(ledger))
}

impl Document {
    fn add(&mut self, kind: &'static str, name: &str, value: Value) {
        self.0.entry(kind).or_default().insert(name.to_owned(), value);
    }

    /// Adds a statement that needs no name of its own, once.
    fn relate(&mut self, kind: &'static str, value: Value) {
        let known = self.0.entry(kind).or_default();
        if !known.values().any(|one| *one == value) {
            known.insert(format!("_:{kind}{}", known.len()), value);
        }
    }

    /// Says until when an item held, and what took its place.
    fn end(&mut self, entity: &str, known: &InspectedItem) {
        let Some(end) = &known.end else { return };
        let at = end.at.to_string();
        let ended = match known.replaced_by.first() {
            Some((by, _)) => {
                let by = format!("record:{}", by.seq);
                json!({"prov:entity": entity, "prov:activity": by, "prov:time": at})
            }
            None => json!({"prov:entity": entity, "prov:time": at}),
        };
        self.relate("wasInvalidatedBy", ended);
    }

    fn link(&mut self, (entity, activity): (&str, &str), kind: LinkKind, to: RecordId) {
        let derived = |kind: &str| {
            json!({
                "prov:generatedEntity": entity,
                "prov:usedEntity": item(to),
                "prov:activity": activity,
                "prov:type": {"$": kind, "type": "prov:QUALIFIED_NAME"},
            })
        };
        match kind {
            LinkKind::Supersedes | LinkKind::Corrects => {
                self.relate("wasDerivedFrom", derived("prov:Revision"));
            }
            LinkKind::RestsOn => self.relate("wasDerivedFrom", derived("prov:PrimarySource")),
            LinkKind::ShownIn => self.relate(
                "wasInformedBy",
                json!({"prov:informed": activity, "prov:informant": format!("record:{}", to.seq)}),
            ),
            LinkKind::Considered | LinkKind::About => {}
        }
    }

    fn finish(mut self, ledger: &Ledger) -> Value {
        let ledger = ledger.id();
        let prefix = json!({
            "item": format!("memlith://{ledger}/"),
            "record": format!("memlith://{ledger}/record/"),
            "agent": format!("memlith://{ledger}/agent/"),
        });
        // What a record speaks of may be seen by others only: its name is all that is said of it.
        let derived = self.0.get("wasDerivedFrom").into_iter().flat_map(Map::values);
        let named: Vec<String> = derived
            .filter_map(|one| Some(one.get("prov:usedEntity")?.as_str()?.to_owned()))
            .collect();
        let entities = self.0.entry("entity").or_default();
        for name in named {
            entities.entry(name).or_insert_with(|| json!({}));
        }
        let statements =
            self.0.into_iter().map(|(kind, all)| (kind.to_owned(), Value::Object(all)));
        Value::Object([("prefix".to_owned(), prefix)].into_iter().chain(statements).collect())
    }
}

fn item(id: RecordId) -> String {
    format!("item:{id}")
}

/// A name as the local part of a qualified name: letters, digits and hyphens stay.
fn percent(name: &str) -> String {
    let bytes = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    bytes.collect()
}
