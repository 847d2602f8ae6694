use memlith_log::Seq;
use memlith_state::{Entry, Fields, Row};

/// An event that concerns an item: what `history` and `explain` replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) item: Seq,
    pub(crate) event: Seq,
}

impl Row for Touch {
    type Key = Seq;
    const NAME: &'static str = "touches";
    const WIDTH: usize = 16;

    fn key(&self) -> Seq {
        self.item
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0.to_le_bytes());
        out.extend(self.event.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Touch {
        Touch { item: Seq(fields.u64()), event: Seq(fields.u64()) }
    }
}

impl Entry for Touch {
    const ITEMS_NAME: &'static str = "touches+";
    const KEY_WIDTH: usize = 8;
}

/// A decision that repeats an item's words without a row of its own: it is erased with
/// the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    pub(crate) item: Seq,
    pub(crate) event: Seq,
}

impl Row for Repeat {
    type Key = Seq;
    const NAME: &'static str = "repeats";
    const WIDTH: usize = 16;

    fn key(&self) -> Seq {
        self.item
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0.to_le_bytes());
        out.extend(self.event.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Repeat {
        Repeat { item: Seq(fields.u64()), event: Seq(fields.u64()) }
    }
}

impl Entry for Repeat {
    const ITEMS_NAME: &'static str = "repeats+";
    const KEY_WIDTH: usize = 8;
}
