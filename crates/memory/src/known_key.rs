use memlith_event::Key;
use memlith_log::{RecordId, Seq};
use memlith_state::{Fields, Place, Row};

/// The first record that a writer filed under an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownKey {
    pub(crate) idempotency: Key,
    pub(crate) id: RecordId,
}

impl Row for KnownKey {
    type Key = Key;
    const NAME: &'static str = "keys";
    const WIDTH: usize = Key::WIDTH + 14;

    fn key(&self) -> Key {
        self.idempotency
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.idempotency.0);
        out.extend(self.id.seq.0.to_le_bytes());
        out.extend(self.id.hash);
    }

    fn read(fields: &mut Fields<'_>) -> KnownKey {
        let idempotency = Key::read(fields);
        let id = RecordId { seq: Seq(fields.u64()), hash: fields.bytes() };
        KnownKey { idempotency, id }
    }

    fn place(key: &Key) -> Place {
        Place::Even(key.place())
    }
}
