use memlith_event::Key;
use memlith_state::{Entry, Fields, Place, read_varint, write_varint};

/// One item that has a term: list `recall.terms`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    /// The list: see [`Posting::term`], [`Posting::of_memories`], [`Posting::actor`] and
    /// [`Posting::day`].
    pub(crate) key: Key,
    /// The item's number.
    pub(crate) item: u32,
    /// The number of the item's session; in a list of memories the sketch of its terms.
    pub(crate) session: u32,
    /// The item's length; 0 in a list of memories.
    pub(crate) length: u16,
    /// How often the term occurs, in fifths, as far as it has [`Places`].
    pub(crate) frequency: u16,
    /// Whether the item is derived.
    pub(crate) derived: bool,
    /// Where it stands among the content words.
    pub(crate) places: Places,
}

/// The first places of a term in an item, ascending.
///
/// Further ones would change no score (BM25 saturates) and only cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Places {
    at: [u16; Places::MAX],
    len: u8,
}

impl Places {
    /// No item has more places of one term in one list.
    pub(crate) const MAX: usize = 8;

    /// Takes in a place, unless there are enough.
    pub(crate) fn push(&mut self, place: u16) -> bool {
        let slot = self.at.get_mut(usize::from(self.len));
        slot.map(|slot| *slot = place).inspect(|()| self.len += 1).is_some()
    }

    /// All of them.
    pub(crate) fn as_slice(&self) -> &[u16] {
        self.at.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// The parts of an item that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Words that were said, remembered, called or returned.
    Text,
    /// The description of a picture.
    Caption,
    /// The tool's name, the foreign kind, the slot's entity, predicate and value.
    Label,
}

impl Field {
    /// The weight of one occurrence, in fifths: a caption is worth 0.6 of speech.
    ///
    /// Source: specs/recall.md, "The scorer, in words", 2.
    pub(crate) fn fifths(self) -> u16 {
        match self {
            Field::Text => 5,
            Field::Caption | Field::Label => 3,
        }
    }
}

impl Posting {
    /// The list of a term in a cell.
    pub(crate) fn term(cell: Key, term: &str) -> Key {
        Key::of("term", &[&cell.0, term.as_bytes()])
    }

    /// The list of those items of a term's list that are memories, and not derived.
    ///
    /// Records are many times as many as memories: among them a memory would be found by its
    /// newest words alone. Source: ADR 0021.
    pub(crate) fn of_memories(term: Key) -> Key {
        Key::of("term of memories", &[&term.0])
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

/// The bits of a posting's first byte: derived, the places less one in three, and what
/// need not be written because it is as usual.
const DERIVED: u8 = 1;
const PLACES_SHIFT: u32 = 1;
const SAME_SESSION: u8 = 0x10;
const OF_SPEECH: u8 = 0x20;
const NO_PLACE: u8 = 0x40;

impl Entry for Posting {
    type Key = Key;
    const NAME: &'static str = "recall.terms";
    const KEY_WIDTH: usize = Key::WIDTH;

    fn key(&self) -> Key {
        self.key
    }

    fn write_key(key: &Key, out: &mut Vec<u8>) {
        out.extend(key.0);
    }

    fn read_key(fields: &mut Fields<'_>) -> Key {
        Key::read(fields)
    }

    fn write(&self, previous: Option<&Posting>, out: &mut Vec<u8>) {
        let (item, session) = previous.map_or((0, 0), |one| (one.item, one.session));
        let places = self.places.as_slice();
        let bit = |bit: u8, holds: bool| if holds { bit } else { 0 };
        let more = self.places.len.saturating_sub(1);
        out.push(
            bit(DERIVED, self.derived)
                | more << PLACES_SHIFT
                | bit(SAME_SESSION, self.session == session)
                | bit(OF_SPEECH, self.frequency == of_speech(places))
                | bit(NO_PLACE, places.is_empty()),
        );
        write_varint(u64::from(self.item.wrapping_sub(item)), out);
        if self.session != session {
            write_varint(u64::from(self.session.wrapping_sub(session)), out);
        }
        write_varint(u64::from(self.length), out);
        if self.frequency != of_speech(places) {
            write_varint(u64::from(self.frequency), out);
        }
        let mut before = 0_u16;
        for place in places {
            write_varint(u64::from(place.wrapping_sub(before)), out);
            before = *place;
        }
    }

    fn read(key: &Key, previous: Option<&Posting>, bytes: &mut &[u8]) -> Option<Posting> {
        let (item, session) = previous.map_or((0, 0), |one| (one.item, one.session));
        let (bits, rest) = bytes.split_first()?;
        *bytes = rest;
        let item = u32::try_from(read_varint(bytes)?).ok()?.wrapping_add(item);
        let session = match bits & SAME_SESSION {
            0 => u32::try_from(read_varint(bytes)?).ok()?.wrapping_add(session),
            _ => session,
        };
        let length = u16::try_from(read_varint(bytes)?).ok()?;
        let stated = match bits & OF_SPEECH {
            0 => Some(u16::try_from(read_varint(bytes)?).ok()?),
            _ => None,
        };
        let (mut places, mut place) = (Places::default(), 0_u16);
        let count = if bits & NO_PLACE != 0 { 0 } else { (bits >> PLACES_SHIFT & 7) + 1 };
        for _ in 0..count {
            place = u16::try_from(read_varint(bytes)?).ok()?.wrapping_add(place);
            places.push(place);
        }
        let frequency = stated.unwrap_or_else(|| of_speech(places.as_slice()));
        let derived = bits & DERIVED != 0;
        Some(Posting { key: *key, item, session, length, frequency, derived, places })
    }

    fn is_counted(&self) -> bool {
        !self.derived
    }

    fn place(key: &Key) -> Place {
        Place::Even(key.place())
    }
}

/// The frequency of a term that was said at each of these places.
fn of_speech(places: &[u16]) -> u16 {
    let spoken = places.iter().map(|_| Field::Text.fifths());
    spoken.fold(0, u16::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn posting()(
            item: u32,
            session in prop_oneof![0_u32..3, any::<u32>()],
            length: u16,
            places in prop::collection::vec(any::<u16>(), 0..9),
            stated: Option<u16>,
            derived: bool,
        ) -> Posting {
            let mut sorted = places;
            sorted.sort_unstable();
            let mut places = Places::default();
            sorted.into_iter().for_each(|place| assert!(places.push(place)));
            let frequency = stated.unwrap_or_else(|| of_speech(places.as_slice()));
            Posting { key: Key([7; 16]), item, session, length, frequency, derived, places }
        }
    }

    proptest! {
        #[test]
        fn postings_come_back(all in prop::collection::vec(posting(), 1..20)) {
            let mut bytes = Vec::new();
            let befores = || [None].into_iter().chain(all.iter().map(Some));
            for (one, before) in all.iter().zip(befores()) {
                one.write(before, &mut bytes);
            }
            let mut rest = bytes.as_slice();
            for (one, before) in all.iter().zip(befores()) {
                let read = Posting::read(&one.key, before, &mut rest);
                prop_assert_eq!(read.as_ref(), Some(one));
            }
            prop_assert!(rest.is_empty());
        }
    }
}
