use crate::Recall;
use crate::item::{Item, NONE, Traits};
use crate::matches::Matches;

/// The rows of items that a search has read, each with what matches in it.
///
/// A row is found again by the place where it was put. Rows are also looked up by number;
/// the table for that forgets, so that it stays small: a row that it forgot is read anew.
#[derive(Debug)]
pub(crate) struct Rows {
    rows: Vec<FoundRow>,
    /// The places of rows, by the last bits of their numbers.
    slots: Vec<usize>,
}

/// A row, and the place of its item among the matched ones.
#[derive(Clone, Debug)]
pub(crate) struct FoundRow {
    pub(crate) item: Item,
    pub(crate) matched: Option<usize>,
}

/// Four times what most searches read.
const SLOTS: usize = 4_096;

impl Rows {
    pub(crate) fn new() -> Rows {
        Rows { rows: Vec::new(), slots: vec![0; SLOTS] }
    }

    /// The place of the item `number`; none for [`NONE`].
    pub(crate) fn find(
        &mut self,
        recall: &Recall,
        matches: &Matches,
        number: u32,
    ) -> Option<usize> {
        if number == NONE {
            return None;
        }
        let slot = self.slots.get_mut(number as usize % SLOTS)?;
        if self.rows.get(*slot).is_some_and(|row| row.item.number == number) {
            return Some(*slot);
        }
        let row = FoundRow { item: recall.items.get(&number)?, matched: matches.place_of(number) };
        *slot = self.rows.len();
        self.rows.push(row);
        Some(*slot)
    }

    /// The row at a place.
    pub(crate) fn at(&self, place: usize) -> Option<&FoundRow> {
        self.rows.get(place)
    }

    /// The row at a place, with what has to be read out of the item's text.
    pub(crate) fn read(&mut self, recall: &Recall, place: usize) -> Option<&FoundRow> {
        let row = self.rows.get_mut(place)?;
        if row.item.traits.has(Traits::UNREAD) {
            row.item = recall.read(row.item.clone());
        }
        Some(row)
    }
}
