//! Values of an entity's slots, as far as they are known.

use memlith_event::{Citation, Event, MemoryEvent, Slot};
use memlith_log::{Record, RecordId, Timestamp};
use memlith_memory::{Authority, Item};
use memlith_text::as_said;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::read::inspect::{End, end_of, write_end};

/// Which values are asked for; the caller's scope says whose, its instant when.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The entity, up to case and white space.
    pub entity: String,
    /// Only this property of it, up to case and white space.
    pub predicate: Option<String>,
    /// Also the values that don't hold at that instant: earlier and later ones, those that wait
    /// for review, and those that were declared wrong.
    pub history: bool,
}

/// A value of a property.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SlotValue {
    /// The memory that states it, as an item.
    #[serde(flatten, serialize_with = "write_source")]
    pub item: Item,
    /// Its citation.
    pub citation: Citation,
    /// Entity, property and value; the value as the memory's words have it, where they do.
    #[serde(flatten)]
    pub slot: Slot<'static>,
    /// The memory in words.
    pub text: String,
    /// How it stands at the instant.
    pub authority: Authority,
    /// The first instant at which it holds.
    pub valid_from: Timestamp,
    /// When it ceases to hold, or did, and why.
    #[serde(flatten, serialize_with = "write_end")]
    pub end: Option<End>,
    /// The memory that took its place.
    pub replaced_by: Option<RecordId>,
}

fn write_source<S: Serializer>(item: &Item, out: S) -> Result<S::Ok, S::Error> {
    let mut out = out.serialize_struct("Source", 3)?;
    out.serialize_field("id", &item.id)?;
    out.serialize_field("origin", &item.origin)?;
    out.serialize_field("tier", &item.tier)?;
    out.end()
}

impl Ledger {
    /// The values that an entity has at the caller's instant, as far as its scope sees them: by
    /// property, then by when they hold, then by sequence.
    ///
    /// By what the ledger knows today, also of an instant in the past: what was known then is
    /// asked with an [`AsOf`](crate::AsOf).
    ///
    /// Cost: the index's shortest list among the words of entity and property, and one read for
    /// each memory with a slot that has all of them; only for names of stop words alone, one for
    /// each memory with a slot.
    ///
    /// # Errors
    /// The log's.
    pub fn get(&self, caller: &Caller, wanted: &Wanted) -> Result<Vec<SlotValue>, Error> {
        let now = self.instant(caller);
        self.read(|state| {
            let asked = (wanted.entity.as_str(), wanted.predicate.as_deref());
            let mut values = Vec::new();
            self.each_about(state, caller, asked, |record| {
                let value = self.value(state, record, now);
                let holds = |one: &SlotValue| wanted.history || one.authority.is_shown();
                values.extend(value.filter(holds));
            })?;
            values.sort_by_cached_key(|one| {
                let predicate = memlith_text::normalised(&one.slot.predicate);
                (predicate, one.valid_from, one.item.id.seq)
            });
            Ok(values)
        })
    }

    /// The value that a memory with a slot states.
    fn value(&self, state: &State, record: &Record, now: Timestamp) -> Option<SlotValue> {
        let (memory, seq) = (&state.memory, record.seq);
        let (item, assertion) = (memory.item(seq)?, memory.assertion(seq)?);
        let body = body_of(record).ok().flatten()?;
        let Event::Memory(MemoryEvent::Remembered(row)) = body.event else { return None };
        let closed = memory.closed(seq);
        let mut slot = row.slot?.into_owned();
        if let Some(said) = as_said(&row.text, &slot.value) {
            slot.value = said.to_owned().into();
        }
        Some(SlotValue {
            citation: self.cite(item.id),
            item,
            slot,
            text: row.text.to_string(),
            authority: memory.authority(seq, now).unwrap_or(Authority::Erased),
            valid_from: assertion.valid_from,
            end: end_of(&item, Some(&assertion), closed),
            replaced_by: closed.and_then(|(by, _)| Some(memory.item(by)?.id)),
        })
    }
}
