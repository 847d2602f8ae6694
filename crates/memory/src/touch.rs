use memlith_log::Seq;
use memlith_state::{Entry, Fields, Place, read_varint, write_varint};

/// An event that concerns an item: what `history` and `explain` replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) item: Seq,
    pub(crate) event: Seq,
}

impl Entry for Touch {
    type Key = Seq;
    const NAME: &'static str = "touches";
    const KEY_WIDTH: usize = 8;

    fn key(&self) -> Seq {
        self.item
    }

    fn place(item: &Seq) -> Place {
        Place::Number(item.0)
    }

    fn write_key(item: &Seq, out: &mut Vec<u8>) {
        out.extend(item.0.to_le_bytes());
    }

    fn read_key(fields: &mut Fields<'_>) -> Seq {
        Seq(fields.u64())
    }

    fn write(&self, previous: Option<&Touch>, out: &mut Vec<u8>) {
        write_since(previous.map(|touch| touch.event), self.event, out);
    }

    fn read(item: &Seq, previous: Option<&Touch>, bytes: &mut &[u8]) -> Option<Touch> {
        let event = read_since(previous.map(|touch| touch.event), bytes)?;
        Some(Touch { item: *item, event })
    }
}

/// A decision that repeats an item's words without a row of its own: it is erased with
/// the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    pub(crate) item: Seq,
    pub(crate) event: Seq,
}

impl Entry for Repeat {
    type Key = Seq;
    const NAME: &'static str = "repeats";
    const KEY_WIDTH: usize = 8;

    fn key(&self) -> Seq {
        self.item
    }

    fn place(item: &Seq) -> Place {
        Place::Number(item.0)
    }

    fn write_key(item: &Seq, out: &mut Vec<u8>) {
        out.extend(item.0.to_le_bytes());
    }

    fn read_key(fields: &mut Fields<'_>) -> Seq {
        Seq(fields.u64())
    }

    fn write(&self, previous: Option<&Repeat>, out: &mut Vec<u8>) {
        write_since(previous.map(|touch| touch.event), self.event, out);
    }

    fn read(item: &Seq, previous: Option<&Repeat>, bytes: &mut &[u8]) -> Option<Repeat> {
        let event = read_since(previous.map(|touch| touch.event), bytes)?;
        Some(Repeat { item: *item, event })
    }
}

/// Events of a list ascend: each is written as how far it is from the one before.
fn write_since(previous: Option<Seq>, event: Seq, out: &mut Vec<u8>) {
    write_varint(event.0.wrapping_sub(previous.unwrap_or_default().0), out);
}

fn read_since(previous: Option<Seq>, bytes: &mut &[u8]) -> Option<Seq> {
    Some(Seq(previous.unwrap_or_default().0.wrapping_add(read_varint(bytes)?)))
}
