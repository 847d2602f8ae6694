use memlith_event::Key;
use memlith_log::{RecordId, Seq};
use memlith_state::{Entry, Fields, Place, read_varint, write_varint};

/// A record that a writer filed under an idempotency key; of several the first counts.
///
/// A list of entries and not a row: an entry is appended without a look at what is there,
/// which would lead every event to another page of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownKey {
    pub(crate) idempotency: Key,
    pub(crate) id: RecordId,
}

impl Entry for KnownKey {
    type Key = Key;
    const NAME: &'static str = "keys";
    const KEY_WIDTH: usize = Key::WIDTH;

    fn key(&self) -> Key {
        self.idempotency
    }

    fn write_key(key: &Key, out: &mut Vec<u8>) {
        out.extend(key.0);
    }

    fn read_key(fields: &mut Fields<'_>) -> Key {
        Key::read(fields)
    }

    fn write(&self, _: Option<&KnownKey>, out: &mut Vec<u8>) {
        write_varint(self.id.seq.0, out);
        out.extend(self.id.hash);
    }

    fn read(key: &Key, _: Option<&KnownKey>, bytes: &mut &[u8]) -> Option<KnownKey> {
        let seq = Seq(read_varint(bytes)?);
        let (hash, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(KnownKey { idempotency: *key, id: RecordId { seq, hash: *hash } })
    }

    fn place(key: &Key) -> Place {
        Place::Even(key.place())
    }
}
