use memlith_event::Key;
use memlith_log::Seq;
use memlith_state::{Fields, Place, Row};

use crate::page::Page;

/// One item as the index keeps it: row `recall.items`.
///
/// Items are numbered in the order they were folded: a number is a third of the
/// bytes of a sequence and a key in a posting list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its number.
    pub(crate) number: u32,
    /// Its record.
    pub(crate) seq: Seq,
    /// The number of its session, [`NONE`] outside any; a derived item is in none.
    pub(crate) session: u32,
    /// The item before it in its session, [`NONE`] for the first.
    pub(crate) previous: u32,
    /// The item after it in its session, [`NONE`] for the last.
    pub(crate) next: u32,
    /// Its actor.
    pub(crate) actor: Key,
    /// The day it happened, counted from 1970-01-01.
    pub(crate) day: i32,
    /// Its length: see [`crate::page::Texts::length`].
    pub(crate) length: u16,
    /// How many words of its text speak of the speaker, at most 255.
    pub(crate) first_person: u8,
    /// Short facts about it.
    pub(crate) traits: Traits,
}

/// No item, no session.
pub(crate) const NONE: u32 = u32::MAX;

/// Short facts about an item, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Traits(pub(crate) u8);

impl Traits {
    /// It was made from other items: found, but never counted.
    pub(crate) const DERIVED: Traits = Traits(1);
    /// Its text ends with a question mark.
    pub(crate) const QUESTION: Traits = Traits(2);
    /// Its text says when.
    pub(crate) const TIME: Traits = Traits(4);
    /// It is a record of what a tool did.
    pub(crate) const TOOL: Traits = Traits(8);
    /// Its text wasn't looked at yet: it is pending. No run has such a row.
    pub(crate) const UNREAD: Traits = Traits(16);
    /// It is a memory, and no record of what was said or done.
    pub(crate) const MEMORY: Traits = Traits(32);

    /// Whether every bit of `other` is set.
    pub(crate) fn has(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }

    /// These without `other`.
    pub(crate) fn without(self, other: Traits) -> Traits {
        Traits(self.0 & !other.0)
    }

    /// These, and `other` where `holds`.
    pub(crate) fn with(self, other: Traits, holds: bool) -> Traits {
        if holds { Traits(self.0 | other.0) } else { self }
    }
}

impl Item {
    /// The row with what its page says.
    pub(crate) fn with(self, page: &Page) -> Item {
        Item {
            first_person: page.first_person,
            traits: self.traits.without(Traits::UNREAD).with(page.traits, true),
            ..self
        }
    }

    /// Whether it is the first of its session.
    pub(crate) fn begins_session(&self) -> bool {
        self.session != NONE && self.previous == NONE
    }
}

const _: () = assert!(Item::WIDTH == 48, "docs/format.md, sections of recall");

impl Row for Item {
    type Key = u32;
    const NAME: &'static str = "recall.items";
    // number, seq, session, previous, next, actor, day, length, first person, traits
    const WIDTH: usize = 4 + 8 + 4 + 4 + 4 + 16 + 4 + 2 + 1 + 1;

    fn key(&self) -> u32 {
        self.number
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.number.to_le_bytes());
        out.extend(self.seq.0.to_le_bytes());
        out.extend(self.session.to_le_bytes());
        out.extend(self.previous.to_le_bytes());
        out.extend(self.next.to_le_bytes());
        out.extend(self.actor.0);
        out.extend(self.day.to_le_bytes());
        out.extend(self.length.to_le_bytes());
        out.push(self.first_person);
        out.push(self.traits.0);
    }

    fn read(fields: &mut Fields<'_>) -> Item {
        Item {
            number: fields.u32(),
            seq: Seq(fields.u64()),
            session: fields.u32(),
            previous: fields.u32(),
            next: fields.u32(),
            actor: Key::read(fields),
            day: i32::from_le_bytes(fields.bytes()),
            length: fields.u16(),
            first_person: fields.u8(),
            traits: Traits(fields.u8()),
        }
    }

    fn read_key(row: &[u8]) -> u32 {
        Fields::new(row).u32()
    }

    fn place(key: &u32) -> Place {
        Place::Number(u64::from(*key))
    }
}
