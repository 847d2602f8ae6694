use memlith_memory::Authority;

use crate::Cited;

/// Items of one section of a rendering: one, or several that stand near each other in one
/// session and share all that is said of them but who spoke, when, and what.
///
/// Invariants: never empty, and of one ledger, standing, source and trust; in the order of the
/// log.
pub(crate) struct Section<'a>(Vec<&'a Cited>);

/// So far apart in the log two items are near: with each other's answers between them.
const NEAR_RECORDS: u64 = 4;

impl<'a> Section<'a> {
    /// The sections of `items`, each where the first of its items stands.
    ///
    /// Source: `docs/model.md`, "Checkout", "Rendering". Cost: a comparison of each two items
    /// at most.
    pub(crate) fn all(items: &'a [Cited]) -> Vec<Section<'a>> {
        let mut sections: Vec<Section<'a>> = Vec::new();
        for item in items {
            let near = sections.iter_mut().find(|section| section.takes(item));
            match near {
                Some(section) => section.0.push(item),
                None => sections.push(Section(vec![item])),
            }
        }
        for section in &mut sections {
            section.0.sort_by_key(|item| item.id.seq);
        }
        sections
    }

    /// Its items.
    pub(crate) fn items(&self) -> &[&'a Cited] {
        &self.0
    }

    fn takes(&self, item: &Cited) -> bool {
        is_plain(item) && self.0.iter().any(|other| is_plain(other) && is_near(item, other))
    }
}

/// Whether nothing is said of the item that it doesn't share with its neighbours: nobody has
/// decided anything about it.
fn is_plain(item: &Cited) -> bool {
    let why = &item.why;
    why.record
        && why.authority == Authority::Active
        && !(why.pinned || why.accepted || why.disputed)
        && why.newer.is_empty()
        && why.contested_with.is_empty()
}

fn is_near(item: &Cited, other: &Cited) -> bool {
    item.said_in.is_some()
        && item.said_in == other.said_in
        && item.citation.ledger == other.citation.ledger
        && (item.why.origin, item.why.tier) == (other.why.origin, other.why.tier)
        && item.id.seq.0.abs_diff(other.id.seq.0) <= NEAR_RECORDS
}
