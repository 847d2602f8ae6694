use memlith_event::Key;
use memlith_log::Seq;
use memlith_state::{Fields, Place, Row};

use crate::{Entry, Log2, Sort};

/// The entry of an item that something has touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    pub(crate) item: Seq,
    pub(crate) entry: Entry,
}

/// Evidence that has been counted: it stands for presence alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counted {
    pub(crate) item: Seq,
    pub(crate) sort: u8,
    pub(crate) witness: Key,
}

impl Counted {
    pub(crate) fn new(item: Seq, sort: Sort, witness: Key) -> Counted {
        Counted { item, sort: sort.code(), witness }
    }
}

impl Row for Touched {
    type Key = Seq;
    const NAME: &'static str = "salience";
    const WIDTH: usize = 32;

    fn key(&self) -> Seq {
        self.item
    }

    fn write(&self, out: &mut Vec<u8>) {
        let Entry { level, gained, penalty } = self.entry;
        out.extend(self.item.0.to_le_bytes());
        out.extend(level.0.to_le_bytes());
        out.extend(gained.0.to_le_bytes());
        out.extend(penalty.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Touched {
        let item = Seq(fields.u64());
        let level = Log2(fields.i64());
        // A checkpoint's bytes are verified, but reading is total: the entry's invariants
        // hold of whatever stands there.
        let gained = Log2(fields.i64().clamp(0, Log2::ONE.0));
        let penalty = Log2(fields.i64().min(0));
        Touched { item, entry: Entry { level, gained, penalty } }
    }

    fn read_key(row: &[u8]) -> Seq {
        Seq(Fields::new(row).u64())
    }

    fn place(key: &Seq) -> Place {
        Place::Number(key.0)
    }
}

impl Row for Counted {
    type Key = (Seq, u8, Key);
    const NAME: &'static str = "evidence";
    const WIDTH: usize = 25;

    fn key(&self) -> (Seq, u8, Key) {
        (self.item, self.sort, self.witness)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0.to_le_bytes());
        out.push(self.sort);
        out.extend(self.witness.0);
    }

    fn read(fields: &mut Fields<'_>) -> Counted {
        Counted { item: Seq(fields.u64()), sort: fields.u8(), witness: Key::read(fields) }
    }
}
