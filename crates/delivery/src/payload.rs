//! Records as a sink gets them.

use memlith::log::{
    Body, CompactionEvent, Event, IdentityKind, MemoryEvent, Record, Summarised, decode,
};
use memlith::transaction::State;
use memlith::{Error, Seq};
use memlith_queues::{Deliverable, Parcel};
use serde_json::{Value, json};

use crate::batch::{Batch, Item};
use crate::delivery::Delivery;

impl Delivery<'_> {
    /// Builds the batch of a parcel. What is erased meanwhile, or doesn't stand, is left out.
    pub(crate) fn batch(&self, state: &State, parcel: &Parcel) -> Result<Batch, Error> {
        let (mut items, mut hasher) = (Vec::new(), blake3::Hasher::new());
        for (seq, what) in &parcel.items {
            let record = self.ledger.record(*seq)?;
            let Some(body) = decode(&record).ok().flatten() else { continue };
            if *what == Deliverable::Memory && !self.stands(state, *seq) {
                continue;
            }
            let Some((key, data)) = self.told(&body)? else { continue };
            let key = key.unwrap_or_else(|| record.id().to_string());
            items.push(item(&record, what.name(), key, data));
        }
        for seq in &parcel.gone {
            let record = self.ledger.record(*seq)?;
            let id = record.id().to_string();
            items.push(item(&record, "tombstone", id, Value::Null));
        }
        for item in &items {
            for field in [&item.id, &item.kind] {
                hasher.update(field.as_bytes());
                hasher.update(&[0]);
            }
        }
        Ok(Batch { id: uuid(hasher.finalize().as_bytes()), items })
    }

    fn stands(&self, state: &State, seq: Seq) -> bool {
        let authority = state.memory().authority(seq, self.ledger.now());
        authority.is_some_and(|authority| authority.is_shown())
    }

    /// The key of a record, where it has one of its own, and what it says.
    fn told(&self, body: &Body<'_>) -> Result<Option<(Option<String>, Value)>, Error> {
        Ok(match &body.event {
            Event::Foreign(foreign) => {
                let mut note: Value = serde_json::from_str(&foreign.json).unwrap_or_default();
                let key = note.get("key").and_then(Value::as_str).map(str::to_owned);
                Some((key, note.get_mut("data").map(Value::take).unwrap_or_default()))
            }
            Event::Compaction(CompactionEvent::Summarised(summary)) => {
                let session = body.envelope.scope.session.as_deref().unwrap_or_default();
                let data = self.session(session, summary)?;
                Some((Some(session.to_owned()), data))
            }
            Event::Memory(MemoryEvent::Remembered(memory)) => {
                let slot = memory.slot.as_ref();
                let data = json!({
                    "text": memory.text,
                    "actor": body.envelope.actor.name,
                    "origin": body.envelope.origin,
                    "occurred_at": body.envelope.occurred_at.to_string(),
                    "entity": slot.map(|slot| &slot.entity),
                    "predicate": slot.map(|slot| &slot.predicate),
                    "value": slot.map(|slot| &slot.value),
                });
                Some((None, data))
            }
            Event::Session(_)
            | Event::Turn(_)
            | Event::Memory(_)
            | Event::Reconcile(_)
            | Event::Outcome(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Procedure(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_) => None,
        })
    }

    fn session(&self, name: &str, summary: &Summarised<'_>) -> Result<Value, Error> {
        let quotes: Vec<&str> = summary.quotes.iter().map(|quote| &*quote.text).collect();
        let is_entity = |kind| matches!(kind, IdentityKind::Entity | IdentityKind::Name);
        let named = summary.mentions.iter().filter(|mention| is_entity(mention.kind));
        let mut entities: Vec<&str> = named.map(|mention| &*mention.text).collect();
        entities.sort_unstable();
        entities.dedup();
        let at = |seq| -> Result<Option<i64>, Error> {
            let record = self.ledger.record(seq)?;
            let body = decode(&record).ok().flatten();
            Ok(body.map(|body| body.envelope.occurred_at.0))
        };
        let minutes = match (at(summary.first)?, at(summary.last)?) {
            (Some(first), Some(last)) => Some(last.saturating_sub(first).max(0) / 60_000_000),
            (None, _) | (_, None) => None,
        };
        let summary = quotes.join("\n");
        Ok(json!({
            "session": name, "summary": summary, "entities": entities, "minutes": minutes,
        }))
    }
}

fn item(record: &Record, kind: &str, key: String, data: Value) -> Item {
    Item {
        id: record.id().to_string(),
        kind: kind.to_owned(),
        key,
        version: record.seq.0,
        hash: record.record_hash.to_string(),
        data,
    }
}

/// The UUID of version 8 (RFC 9562, 5.8) that begins with these bytes but for its own bits.
fn uuid(hash: &[u8; 32]) -> String {
    let [first, .., _] = hash.as_chunks::<16>().0 else { return String::new() };
    let number = u128::from_be_bytes(*first);
    let version = (number & !(0xf << 76)) | (0x8 << 76);
    let variant = (version & !(0x3 << 62)) | (0x2 << 62);
    let digits = format!("{variant:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default().to_owned();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_named_by_a_uuid_of_version_8() {
        assert_eq!(uuid(&[0xff; 32]), "ffffffff-ffff-8fff-bfff-ffffffffffff");
        assert_eq!(uuid(&[0; 32]), "00000000-0000-8000-8000-000000000000");
    }
}
