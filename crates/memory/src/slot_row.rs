use memlith_event::Key;
use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

/// The place of a memory in its slot: by valid_from, then by sequence.
///
/// Only rows that have been active have a place; invalidated, stale, erased and
/// future rows keep theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotRow {
    pub(crate) slot: Key,
    pub(crate) valid_from: Timestamp,
    pub(crate) seq: Seq,
}

impl Row for SlotRow {
    type Key = (Key, Timestamp, Seq);
    const NAME: &'static str = "slots";
    const WIDTH: usize = Key::WIDTH + 16;

    fn key(&self) -> (Key, Timestamp, Seq) {
        (self.slot, self.valid_from, self.seq)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.slot.0);
        out.extend(self.valid_from.0.to_le_bytes());
        out.extend(self.seq.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> SlotRow {
        let slot = Key::read(fields);
        SlotRow { slot, valid_from: Timestamp(fields.i64()), seq: Seq(fields.u64()) }
    }

    fn place(key: &(Key, Timestamp, Seq)) -> Place {
        Place::Even(key.0.place())
    }
}
