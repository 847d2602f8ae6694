use memlith_event::Key;
use memlith_state::{Entry, Fields, Row};

/// One place of a term in an item: list `recall.terms`, items in `recall.terms+`.
///
/// An item has at most [`Posting::PLACES_MAX`] for one term: further ones would
/// change no score (BM25 saturates) and only cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    /// The list: see [`Posting::term`], [`Posting::actor`] and [`Posting::day`].
    pub(crate) key: Key,
    /// The item's number.
    pub(crate) item: u32,
    /// The number of the item's session.
    pub(crate) session: u32,
    /// The place among the content words of the field.
    pub(crate) position: u16,
    /// The item's length in fifths of a term.
    pub(crate) length: u16,
    /// The part of the item that the term stands in.
    pub(crate) field: Field,
    /// Whether the item is derived.
    pub(crate) derived: bool,
}

/// The parts of an item that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// What was said, remembered, called or returned.
    Text,
    /// What a picture shows.
    Caption,
    /// The tool's name, the foreign kind, the slot's entity, predicate and value.
    Label,
    /// Nothing that was said: the actor, the day.
    Circumstance,
}

impl Field {
    /// What one occurrence counts for, in fifths: a caption is worth 0.6 of speech.
    ///
    /// Source: specs/recall.md, "The scorer, in words", 2.
    pub(crate) fn fifths(self) -> u16 {
        match self {
            Field::Text => 5,
            Field::Caption | Field::Label => 3,
            Field::Circumstance => 0,
        }
    }

    fn code(self) -> u8 {
        match self {
            Field::Text => 0,
            Field::Caption => 1,
            Field::Label => 2,
            Field::Circumstance => 3,
        }
    }

    fn from_code(code: u8) -> Field {
        match code {
            0 => Field::Text,
            1 => Field::Caption,
            2 => Field::Label,
            _ => Field::Circumstance,
        }
    }
}

impl Posting {
    /// No item has more places of one term in one list.
    pub(crate) const PLACES_MAX: usize = 8;

    /// The list of a term in a cell.
    pub(crate) fn term(cell: Key, term: &str) -> Key {
        Key::of("term", &[&cell.0, term.as_bytes()])
    }

    /// The list of what an actor did in a cell.
    pub(crate) fn actor(cell: Key, actor: Key) -> Key {
        Key::of("term of actor", &[&cell.0, &actor.0])
    }

    /// The list of what happened on a day in a cell.
    pub(crate) fn day(cell: Key, day: i32) -> Key {
        Key::of("term of day", &[&cell.0, &day.to_le_bytes()])
    }
}

const _: () = assert!(Posting::WIDTH == 29, "docs/format.md, sections of recall");

impl Row for Posting {
    type Key = Key;
    const NAME: &'static str = "recall.terms";
    // key, item, session, position, length, field and derived
    const WIDTH: usize = Key::WIDTH + 4 + 4 + 2 + 2 + 1;

    fn key(&self) -> Key {
        self.key
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key.0);
        out.extend(self.item.to_le_bytes());
        out.extend(self.session.to_le_bytes());
        out.extend(self.position.to_le_bytes());
        out.extend(self.length.to_le_bytes());
        out.push(self.field.code() | u8::from(self.derived) << 7);
    }

    fn read(fields: &mut Fields<'_>) -> Posting {
        let key = Key::read(fields);
        let (item, session) = (fields.u32(), fields.u32());
        let (position, length) = (fields.u16(), fields.u16());
        let code = fields.u8();
        let (field, derived) = (Field::from_code(code & 0x7f), code & 0x80 != 0);
        Posting { key, item, session, position, length, field, derived }
    }
}

impl Entry for Posting {
    const ITEMS_NAME: &'static str = "recall.terms+";
    const KEY_WIDTH: usize = Key::WIDTH;
}
