//! Compares what the person that a question names said with what everybody else said.

use memlith_log::RecordId;
use memlith_recall::{Hit, WEIGHTS};
use serde::Serialize;

use crate::Cited;

/// Margin by which the person that a question names answers better than everybody else.
///
/// Source: `docs/model.md`, "What words tell".
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedOf {
    /// The best answer that somebody else gave.
    pub other: RecordId,
    /// How much better the person's own best answers than that, as a share of the better one, in
    /// millionths; below 0 where the other's is better.
    pub margin: i64,
    /// The words by which the question names the person.
    #[serde(skip)]
    names: Vec<String>,
}

impl AskedOf {
    /// Compares the `hits` of the person with those of others, for a question that names one person
    /// by `names`; `id` gives a hit's record.
    pub(crate) fn of<'h>(
        names: &[String],
        hits: impl Iterator<Item = (&'h Hit, RecordId)>,
    ) -> Option<AskedOf> {
        let (mut own, mut other) = (0, None);
        for (hit, id) in hits {
            // Who speaks of themselves isn't the point here, but what is said.
            let said = hit.relevance - WEIGHTS.about * hit.signals.about / 100;
            if hit.is_named {
                own = own.max(said);
            } else if other.is_none_or(|(best, _)| best < said) {
                other = Some((said, id));
            }
        }
        let (said, other) = other.filter(|_| !names.is_empty())?;
        let margin = (own - said).saturating_mul(1_000_000) / own.max(said).max(1);
        Some(AskedOf { other, margin, names: names.to_vec() })
    }

    /// The first of the items shown, where somebody else said it, it answers better than anything
    /// of the person's, and it doesn't name them.
    #[must_use]
    pub fn said_by_another<'a>(&self, shown: &'a [Cited]) -> Option<&'a Cited> {
        let first = shown.iter().find(|item| !item.why.pinned)?;
        let other = Some(first).filter(|item| item.id == self.other && self.margin < 0)?;
        let text = other.excerpt.text.to_lowercase();
        (!self.names.iter().any(|name| text.contains(name.as_str()))).then_some(other)
    }
}
