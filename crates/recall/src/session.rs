use memlith_event::Key;
use memlith_state::{Fields, Place, Row};

/// One session in one cell as the index keeps it: row `recall.sessions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// Its number, in the order sessions were first seen.
    pub(crate) number: u32,
    /// How many items are in it.
    pub(crate) items: u32,
    /// The number of the last of them.
    pub(crate) last: u32,
    /// The lengths of all of them, in fifths of a term.
    pub(crate) length: u64,
}

/// The number of a session: row `recall.names`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionName {
    /// The cell and the session's name.
    pub(crate) key: Key,
    /// Its number.
    pub(crate) number: u32,
}

const _: () = assert!(Session::WIDTH == 20, "docs/format.md, sections of recall");

impl Row for Session {
    type Key = u32;
    const NAME: &'static str = "recall.sessions";
    // number, items, last, length
    const WIDTH: usize = 4 + 4 + 4 + 8;

    fn key(&self) -> u32 {
        self.number
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.number.to_le_bytes());
        out.extend(self.items.to_le_bytes());
        out.extend(self.last.to_le_bytes());
        out.extend(self.length.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Session {
        Session {
            number: fields.u32(),
            items: fields.u32(),
            last: fields.u32(),
            length: fields.u64(),
        }
    }

    fn read_key(row: &[u8]) -> u32 {
        Fields::new(row).u32()
    }

    fn place(key: &u32) -> Place {
        Place::Number(u64::from(*key))
    }
}

const _: () = assert!(SessionName::WIDTH == 20, "docs/format.md, sections of recall");

impl Row for SessionName {
    type Key = Key;
    const NAME: &'static str = "recall.names";
    // key, number
    const WIDTH: usize = Key::WIDTH + 4;

    fn key(&self) -> Key {
        self.key
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key.0);
        out.extend(self.number.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> SessionName {
        SessionName { key: Key::read(fields), number: fields.u32() }
    }

    fn place(key: &Key) -> Place {
        Place::Even(key.place())
    }
}
