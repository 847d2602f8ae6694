//! Queries that put an item into a graph: one for each type of item.
//!
//! Every query merges, and begins with the guard that lets nothing happen twice: an item is taken
//! off its batch's list of what is left in the query that applies it, so that an item which the
//! graph refuses is left, and is tried again with the batch. A version that is not newer than
//! what is there changes nothing. They use what openCypher has, and no function of one server.
//!
//! Source: the handlers of Feature 007 of Dionysus, whose own counted twice on redelivery.

use crate::batch::{Batch, Item};
use serde_json::Value;

use crate::cypher::parameters;

/// Nothing happens where the item is not left of its batch.
const GUARD: &str = "\
MATCH (d:Delivery {id: $batch}) WHERE $id IN d.refused \
SET d.refused = [other IN d.refused WHERE other <> $id] WITH d ";

const PREDICTION: &str = "\
MERGE (p:Prediction {key: $key}) WITH p WHERE coalesce(p.version, -1) < $version \
SET p.version = $version, p.id = $id, p.hash = $hash, p.model_id = $model_id, \
p.text = $prediction, p.domain = $domain \
MERGE (o:Observation {key: $key}) SET o.id = $id, o.text = $observation \
MERGE (p)-[r:RESULTED_IN]->(o) SET r.accuracy = $accuracy";

const SESSION: &str = "\
MERGE (e:Episode {key: $key}) WITH e WHERE coalesce(e.version, -1) < $version \
SET e.version = $version, e.id = $id, e.hash = $hash, e.type = 'session', \
e.summary = $summary, e.minutes = $minutes \
FOREACH (name IN $entities | MERGE (n:Entity {name: name}) MERGE (e)-[:MENTIONS]->(n)) \
WITH e OPTIONAL MATCH (e)-[old:MENTIONS]->(n) WHERE NOT n.name IN $entities DELETE old";

const MODEL: &str = "\
MERGE (m:Model {key: $key}) WITH m WHERE coalesce(m.version, -1) < $version \
SET m.version = $version, m.id = $id, m.hash = $hash, m.domain = $domain, m.weights = $weights, \
m.revisions = coalesce(m.revisions, 0) + 1 \
FOREACH (name IN $old_basins | MERGE (b:Basin {key: name}) MERGE (m)-[:HAD]->(b)) \
FOREACH (name IN $new_basins | MERGE (b:Basin {key: name}) \
MERGE (m)-[r:REVISED_TO]->(b) SET r.trigger = $trigger) \
WITH m OPTIONAL MATCH (m)-[old:HAD]->(b) WHERE NOT b.key IN $old_basins DELETE old \
WITH DISTINCT m OPTIONAL MATCH (m)-[old:REVISED_TO]->(b) WHERE NOT b.key IN $new_basins \
DELETE old";

/// A link to what is erased is left out.
const BASIN: &str = "\
MERGE (b:Basin {key: $key}) WITH b WHERE coalesce(b.version, -1) < $version \
SET b.version = $version, b.id = $id, b.hash = $hash, b.strength = $strength, \
b.summary = $summary, b.strengthened = coalesce(b.strengthened, 0) + 1 \
WITH b OPTIONAL MATCH (t:Tombstone) WHERE t.id IN $links WITH b, collect(t.id) AS gone \
FOREACH (link IN [link IN $links WHERE NOT link IN gone] | MERGE (m:Memory {id: link}) \
MERGE (b)-[r:ATTRACTS]->(m) SET r.strength = $strength) \
WITH b OPTIONAL MATCH (b)-[old:ATTRACTS]->(m) WHERE NOT m.id IN $links DELETE old";

const MEMORY: &str = "\
MERGE (m:Memory {id: $id}) WITH m WHERE coalesce(m.version, -1) < $version \
SET m.version = $version, m.hash = $hash, m.text = $text, m.occurred_at = $occurred_at";

/// A basin is left its key alone, as a model that stands may name it.
const TOMBSTONE: &str = "\
MERGE (:Tombstone {id: $id}) \
WITH 1 AS one OPTIONAL MATCH (:Basin {id: $id})-[old:ATTRACTS]->() DELETE old \
WITH DISTINCT one OPTIONAL MATCH (n {id: $id}) WHERE NOT n:Tombstone AND NOT n:Basin \
DETACH DELETE n \
WITH DISTINCT one MATCH (b:Basin {id: $id}) SET b = {key: b.key}";

/// Nothing of an erased record is written again.
const ALIVE: &str = "OPTIONAL MATCH (t:Tombstone {id: $id}) WITH t WHERE t IS NULL ";

/// Behind an erasure: names go that nothing mentions which stands.
pub(crate) const SWEEP: [&str; 3] = [
    "MATCH (n:Entity) WHERE NOT (n)--() DELETE n",
    "MATCH (n:Basin) WHERE n.id IS NULL AND NOT (n)--() DELETE n",
    "MATCH (n:Memory) WHERE n.version IS NULL AND NOT (n)--() DELETE n",
];

/// The type of an item that tells of an erasure.
pub(crate) const ERASURE: &str = "tombstone";

/// The query for each type of item, and the fields of the item that it needs.
const HANDLERS: [(&str, &str, &[&str]); 6] = [
    (
        "prediction.resolved",
        PREDICTION,
        &["model_id", "observation", "accuracy", "prediction", "domain"],
    ),
    ("session.ended", SESSION, &["summary", "minutes", "entities"]),
    ("model.revised", MODEL, &["old_basins", "new_basins", "trigger", "domain", "weights"]),
    ("basin.strengthened", BASIN, &["strength", "summary", "links"]),
    ("memory", MEMORY, &["text", "occurred_at"]),
    (ERASURE, TOMBSTONE, &[]),
];

/// The query that applies an item of a batch, with the edges that its key has by it and no other;
/// `None` of a type that the graph has no place for.
pub(crate) fn query(batch: &str, item: &Item) -> Option<String> {
    let (_, handler, fields) = HANDLERS.iter().find(|(kind, ..)| *kind == item.kind)?;
    let mut values = vec![
        ("batch", Value::from(batch)),
        ("id", Value::from(item.id.as_str())),
        ("key", Value::from(item.key.as_str())),
        ("version", Value::from(item.version)),
        ("hash", Value::from(item.hash.as_str())),
    ];
    for field in *fields {
        values.push((*field, item.data.get(*field).cloned().unwrap_or_default()));
    }
    let alive = if item.kind == ERASURE { "" } else { ALIVE };
    Some(format!("{}{GUARD}{alive}{handler}", parameters(&values)))
}

/// The query that begins a batch: all of it is left, where it is new.
pub(crate) fn begin(batch: &Batch) -> String {
    let ids: Vec<&str> = batch.items.iter().map(|item| item.id.as_str()).collect();
    let values = parameters(&[("batch", Value::from(batch.id.as_str())), ("ids", ids.into())]);
    format!("{values}MERGE (d:Delivery {{id: $batch}}) ON CREATE SET d.refused = $ids")
}
