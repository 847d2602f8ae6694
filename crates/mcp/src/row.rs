//! Memories as rows of a table: what the adapters read and write, by the verbs.

use std::path::Path;

use serde::Deserialize;

use crate::host::{Answered, Host, Refused};
use crate::words::Words;

/// The host that runs verbs, and the folder in which it does.
pub(crate) type At<'a> = (&'a dyn Host, &'a Path);

/// A memory that stands, with the slot that an adapter gave it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    slot: Option<Slot>,
}

/// A slot as an adapter writes it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Slot {
    pub(crate) entity: String,
    pub(crate) predicate: String,
    pub(crate) value: String,
    #[serde(default)]
    pub(crate) single: bool,
}

/// A page of a listing.
#[derive(Debug, Deserialize)]
struct Page {
    items: Vec<Row>,
    next: Option<String>,
}

/// Rows of a page.
const PAGE: u32 = 10_000;

/// An id that no two different lists of texts share: a slot is compared without regard to case
/// and blanks, and these are not.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

impl Row {
    /// Its words; nothing where they are gone.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Its slot, where its predicate begins with `prefix`.
    pub(crate) fn slot(&self, prefix: &str) -> Option<&Slot> {
        self.slot.as_ref().filter(|slot| slot.predicate.starts_with(prefix))
    }

    /// Every row that stands and whose predicate begins with `prefix`, of `entity` alone where
    /// one is named, the oldest first.
    ///
    /// # Errors
    /// The verb's.
    pub(crate) fn all(
        (host, folder): At<'_>,
        entity: Option<&str>,
        prefix: &str,
    ) -> Result<Vec<Row>, Refused> {
        let mut rows = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let words = Words::verb("list").switch("oldest", true).flag("status", Some("active"));
            let words = words.flag("limit", Some(PAGE)).flag("entity", entity);
            let listed = host.run(folder, &words.flag("cursor", cursor.take()).finish())?;
            let page: Page = serde_json::from_value(listed.json)
                .map_err(|error| Refused { what: format!("read a listing: {error}") })?;
            rows.extend(page.items.into_iter().filter(|row| row.slot(prefix).is_some()));
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(rows),
            }
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// The verb's, or it is written and doesn't stand: it waits for a person.
    pub(crate) fn write(
        (host, folder): At<'_>,
        text: &str,
        slot: Slot,
    ) -> Result<Answered, Refused> {
        let words = Words::verb("remember").flag("entity", Some(slot.entity));
        let words = words.flag("predicate", Some(slot.predicate)).flag("value", Some(slot.value));
        let words = words.switch("single", slot.single).value(text);
        in_force(host.run(folder, &words.finish())?)
    }

    /// Ends rows: they don't stand any more, and nothing is erased.
    ///
    /// # Errors
    /// The verb's, or one of them is above the rank of who asks, and stands.
    pub(crate) fn end(
        (host, folder): At<'_>,
        ids: Vec<String>,
        reason: &str,
    ) -> Result<(), Refused> {
        if ids.is_empty() {
            return Ok(());
        }
        let words = Words::verb("invalidate").flag("reason", Some(reason)).values(ids);
        in_force(host.run(folder, &words.finish())?).map(drop)
    }
}

/// Refuses what was written down and doesn't hold; what the verb says of it is why.
fn in_force(answered: Answered) -> Result<Answered, Refused> {
    if !answered.has_findings {
        return Ok(answered);
    }
    let told = answered.notes.iter().filter(|note| !note.is_stored);
    let told: Vec<&str> = told.map(|note| note.text.as_str()).collect();
    Err(Refused { what: told.join("\n") })
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
