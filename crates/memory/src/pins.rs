//! Which items of a cell are pinned: found without a pass over all items.

use memlith_event::{Key, OwnStatus};
use memlith_log::Seq;
use memlith_state::{Fields, Row};

use crate::item::Item;
use crate::memory::{Memory, Sight};

/// An item of the cell is pinned; it stands for presence alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    cell: Key,
    item: Seq,
}

impl Memory {
    /// The pinned items that `sight` has, ascending, whatever their authority.
    ///
    /// Cost: O(log n) for each cell, and their number.
    #[must_use]
    pub fn pinned(&self, sight: &Sight) -> Vec<Item> {
        let of_cell = |cell: &Key| self.pins.range((*cell, Seq(0))..=(*cell, Seq::MAX));
        let pins: Vec<Pin> = match sight.cells() {
            Some(cells) => cells.iter().flat_map(of_cell).collect(),
            None => self.pins.rows().collect(),
        };
        let items = pins.iter().filter_map(|pin| self.items.get(&pin.item));
        let mut items: Vec<Item> = items.filter(|item| sight.has(item)).collect();
        items.sort_unstable_by_key(|item| item.id.seq);
        items
    }

    /// Sets the rank that pinned the item to what `pinner` makes of it.
    pub(crate) fn set_pin(&mut self, seq: Seq, pinner: impl FnOnce(u8) -> u8) {
        self.change(seq, |item| item.pinner = pinner(item.pinner));
        let Some(item) = self.items.get(&seq) else { return };
        let pin = Pin { cell: item.cell, item: seq };
        if item.is_pinned() && item.own != OwnStatus::Erased {
            self.pins.put(pin);
        } else {
            self.pins.remove(&pin.key());
        }
    }
}

impl Row for Pin {
    type Key = (Key, Seq);
    const NAME: &'static str = "pins";
    const WIDTH: usize = Key::WIDTH + 8;

    fn key(&self) -> (Key, Seq) {
        (self.cell, self.item)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.cell.0);
        out.extend(self.item.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Pin {
        Pin { cell: Key::read(fields), item: Seq(fields.u64()) }
    }
}
