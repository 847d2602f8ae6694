use std::collections::BTreeMap;

use memlith_event::{Event, MemoryEvent, Origin, Slot};
use memlith_log::{RecordId, Timestamp};
use memlith_memory::Authority;
use serde::Serialize;

use crate::read::Shown;
use crate::read::show::decode;

/// A memory, or something that was said, as it stands.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The id.
    pub id: RecordId,
    /// The words; none where they were erased.
    pub text: String,
    /// The name of the one who said it; of what was erased, none.
    pub speaker: Option<String>,
    /// The kind of source that spoke; of what was erased, none.
    pub origin: Option<Origin>,
    /// How it stands: active, superseded, pending and so on.
    pub authority: Authority,
    /// When it was said.
    pub created_at: Timestamp,
    /// Entity, property and value, where they are known.
    pub slot: Option<Slot<'static>>,
    /// The pairs that whoever wrote it keeps beside it.
    pub metadata: BTreeMap<String, String>,
    /// The memory that took its place.
    pub replaced_by: Option<RecordId>,
    /// When that one took it.
    pub replaced_at: Option<Timestamp>,
}

impl Entry {
    pub(crate) fn of(shown: &Shown) -> Entry {
        let (record, closed_by) = (&shown.record, shown.closed_by);
        let body = decode(record).ok().flatten();
        let text = body.as_ref().and_then(|body| body.event.item_text()).unwrap_or_default();
        let memory = body.as_ref().and_then(|body| {
            let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event else { return None };
            Some(memory)
        });
        Entry {
            id: record.id(),
            text: text.into_owned(),
            speaker: body.as_ref().map(|body| body.envelope.actor.name.to_string()),
            origin: body.as_ref().map(|body| body.envelope.origin),
            authority: shown.authority,
            created_at: body.as_ref().map_or(record.recorded_at, |body| body.envelope.occurred_at),
            slot: memory.and_then(|memory| memory.slot.clone()).map(Slot::into_owned),
            metadata: memory.map(|memory| memory.metadata.to_map()).unwrap_or_default(),
            replaced_by: closed_by.map(|(by, _)| by),
            replaced_at: closed_by.map(|(_, at)| at),
        }
    }
}
