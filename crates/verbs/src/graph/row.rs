use anyhow::Result;
use memlith::log::{Event, MemoryEvent, decode};
use memlith::read::{ListOf, ListedItem, Listing};
use memlith::{Authority, Caller, Change, Ledger, RecordId, Remember, Slot, Status, Written};

use crate::exit;

/// A ledger, and the caller that rows are read and written for.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// Author of what is written.
    pub caller: &'a Caller,
}

/// A memory that stands and has a slot.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub id: RecordId,
    /// Its words.
    pub text: String,
    /// Its slot.
    pub slot: RowSlot,
}

/// The slot of a row.
#[derive(Clone, Debug, Default)]
pub struct RowSlot {
    /// The thing that it is about.
    pub entity: String,
    /// The property.
    pub predicate: String,
    /// Its value.
    pub value: String,
    /// Whether the property has one value at a time.
    pub single: bool,
}

/// The most rows of a page.
const PAGE: usize = 10_000;

/// A name for what has these parts, in hexadecimal digits.
#[must_use]
pub fn digest(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

impl Desk<'_> {
    /// Every row that stands and whose predicate begins with `prefix`, of `entity` alone where
    /// one is named, the oldest first.
    ///
    /// # Errors
    /// The ledger's.
    pub fn rows(self, entity: Option<&str>, prefix: &str) -> Result<Vec<Row>> {
        let mut listing = Listing {
            what: ListOf::Memories,
            entity: entity.map(str::to_owned),
            status: Some(Authority::Active),
            oldest: true,
            limit: PAGE,
            ..Listing::default()
        };
        let mut rows = Vec::new();
        loop {
            let page = self.ledger.list(self.caller, &listing)?;
            for item in &page.items {
                rows.extend(row(item)?.filter(|row| row.slot.predicate.starts_with(prefix)));
            }
            match page.next {
                Some(next) => listing.cursor = Some(next),
                None => return Ok(rows),
            }
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// The ledger's, or it is written and doesn't stand: it waits for a person.
    pub fn write(self, text: &str, slot: RowSlot) -> Result<()> {
        let RowSlot { entity, predicate, value, single } = slot;
        let slot = Slot {
            entity: entity.into(),
            predicate: predicate.into(),
            value: value.into(),
            single,
        };
        let remember = Remember { slot: Some(slot), ..Remember::new(text) };
        let written = self.ledger.remember(self.caller, remember)?;
        in_force(&written)
    }

    /// Ends rows: they don't stand any more, and nothing is erased.
    ///
    /// # Errors
    /// The ledger's, or one of them is above the caller's rank, and stands.
    pub fn end(self, ids: &[RecordId], reason: &str) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let written = self.ledger.change(self.caller, Change::invalidate(reason), ids)?;
        in_force(&written)
    }
}

fn row(item: &ListedItem) -> Result<Option<Row>> {
    let Some(body) = decode(&item.record)? else { return Ok(None) };
    let Event::Memory(MemoryEvent::Remembered(row)) = body.event else { return Ok(None) };
    let (id, text) = (item.item.id, row.text.to_string());
    Ok(row.slot.map(|slot| {
        let (entity, predicate) = (slot.entity.to_string(), slot.predicate.to_string());
        let value = slot.value.to_string();
        Row { id, text, slot: RowSlot { entity, predicate, value, single: slot.single } }
    }))
}

/// Refuses what was written down and doesn't hold.
fn in_force(written: &Written) -> Result<()> {
    let id = written.id;
    if written.is_in_force() {
        return Ok(());
    }
    let waits = written.status() == Status::Waiting;
    Err(exit::refused(if waits {
        format!(
            "pending: it waits for review; a person accepts it with `memlith review accept {id}`, \
             if it is right"
        )
    } else {
        format!(
            "disputed: the rank is too low to do this, so {id} stands; a person decides which is \
             right"
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_by_more_than_their_letters() {
        assert_ne!(digest(&["a", "bc"]), digest(&["ab", "c"]));
        assert_ne!(digest(&["A"]), digest(&["a"]));
        assert_eq!(digest(&["a"]).len(), 16);
    }
}
