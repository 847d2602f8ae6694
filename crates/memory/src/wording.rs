use memlith_event::Key;
use memlith_log::Seq;
use memlith_state::{Fields, Place, Row};

/// A memory under what it says: its normalised text, and its slot value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wording {
    pub(crate) says: Key,
    pub(crate) seq: Seq,
}

impl Row for Wording {
    type Key = (Key, Seq);
    const NAME: &'static str = "wordings";
    const WIDTH: usize = Key::WIDTH + 8;

    fn key(&self) -> (Key, Seq) {
        (self.says, self.seq)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.says.0);
        out.extend(self.seq.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Wording {
        Wording { says: Key::read(fields), seq: Seq(fields.u64()) }
    }

    fn place(key: &(Key, Seq)) -> Place {
        Place::Even(key.0.place())
    }
}
