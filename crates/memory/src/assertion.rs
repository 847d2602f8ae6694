use memlith_event::Key;
use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

/// Part of a memory beyond its item: its wording, its slot, its validity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The memory's position.
    pub seq: Seq,
    /// Its normalised text, within its room.
    pub text: Key,
    /// Its slot, zero where it has none.
    pub slot: Key,
    /// Its slot and value, zero where it has none.
    pub value: Key,
    /// The first instant at which it holds.
    pub valid_from: Timestamp,
    /// The first instant after it, by its own word; the last instant where it has none.
    pub valid_until: Timestamp,
    /// How often it was said again.
    pub restated: u32,
}

impl Assertion {
    /// The `valid_until` of a memory without an end of its own.
    pub const OPEN: Timestamp = Timestamp(i64::MAX);
}

impl Row for Assertion {
    type Key = Seq;
    const NAME: &'static str = "assertions";
    const WIDTH: usize = 8 + 3 * Key::WIDTH + 2 * 8 + 4;

    fn key(&self) -> Seq {
        self.seq
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.seq.0.to_le_bytes());
        out.extend(self.text.0);
        out.extend(self.slot.0);
        out.extend(self.value.0);
        out.extend(self.valid_from.0.to_le_bytes());
        out.extend(self.valid_until.0.to_le_bytes());
        out.extend(self.restated.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Assertion {
        Assertion {
            seq: Seq(fields.u64()),
            text: Key::read(fields),
            slot: Key::read(fields),
            value: Key::read(fields),
            valid_from: Timestamp(fields.i64()),
            valid_until: Timestamp(fields.i64()),
            restated: fields.u32(),
        }
    }

    fn read_key(row: &[u8]) -> Seq {
        Seq(Fields::new(row).u64())
    }

    fn place(key: &Seq) -> Place {
        Place::Number(key.0)
    }
}
