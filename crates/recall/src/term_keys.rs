use std::fmt;

use memlith_event::Key;

use crate::analysis::{Stems, Word};
use crate::posting::Posting;

/// The keys of words' terms; those of words that came lately are remembered.
///
/// A few thousand words are most of what is said, and stemming and hashing one costs some
/// fifty times what finding it does. What is given is the same, remembered or not: a word
/// has one place where it may be remembered, and the last one that belongs there is.
pub(crate) struct TermKeys {
    stems: Stems,
    /// Empty until so many words were asked for that it pays.
    known: Box<[Known]>,
    /// The cells that words are remembered in, by number.
    cells: Vec<Key>,
    asked: usize,
}

/// A word in a cell, and the key of its term: half a line of a processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Known {
    word: Packed,
    key: Key,
}

/// A word of at most [`PACKED_MAX`] bytes, its length, whether it is whole, and its cell.
///
/// No word has length 0, so that an empty place is no word's.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Packed {
    start: u64,
    rest: u64,
}

/// Longer words are rare, and not remembered.
const PACKED_MAX: usize = 14;

/// How many words are remembered: a megabyte of them.
const KNOWN: usize = 1 << 15;

/// Of so many cells; with one more, what is remembered is forgotten.
const CELLS_MAX: usize = 255;

/// Number of words that are asked for before any are remembered.
const PAYS: usize = 4_096;

impl Default for TermKeys {
    fn default() -> TermKeys {
        TermKeys { stems: Stems::new(), known: Box::default(), cells: Vec::new(), asked: 0 }
    }
}

impl fmt::Debug for TermKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TermKeys").finish_non_exhaustive()
    }
}

impl TermKeys {
    /// The keys of terms in one cell.
    pub(crate) fn in_cell(&mut self, cell: Key) -> CellKeys<'_> {
        let known = self.cells.iter().position(|known| *known == cell);
        let number = known.unwrap_or_else(|| {
            if self.cells.len() == CELLS_MAX {
                self.cells.clear();
                self.known.fill(Known::default());
            }
            self.cells.push(cell);
            self.cells.len() - 1
        });
        CellKeys { keys: self, cell, number: number as u64 }
    }
}

/// The keys of terms in one cell.
pub(crate) struct CellKeys<'a> {
    keys: &'a mut TermKeys,
    cell: Key,
    number: u64,
}

impl CellKeys<'_> {
    /// The key of the list of the word's term: see [`Posting::term`].
    pub(crate) fn of(&mut self, word: &Word<'_>) -> Key {
        if self.keys.known.is_empty() {
            self.keys.asked += 1;
            if self.keys.asked < PAYS {
                return self.worked_out(word);
            }
            self.keys.known = vec![Known::default(); KNOWN].into_boxed_slice();
        }
        let Some(packed) = packed(word, self.number) else { return self.worked_out(word) };
        let at = place(packed);
        if let Some(known) = self.keys.known.get(at).filter(|known| known.word == packed) {
            return known.key;
        }
        let key = self.worked_out(word);
        if let Some(known) = self.keys.known.get_mut(at) {
            *known = Known { word: packed, key };
        }
        key
    }

    fn worked_out(&self, word: &Word<'_>) -> Key {
        Posting::term(self.cell, &self.keys.stems.term(word))
    }
}

/// `None` for what is too long.
fn packed(word: &Word<'_>, cell: u64) -> Option<Packed> {
    let bytes = word.lower.as_bytes();
    let len = bytes.len();
    if len > PACKED_MAX {
        return None;
    }
    let mut packed = Packed::default();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        packed.start = u64::from_le_bytes(*first);
        // The last eight but for those that are among the first eight.
        let twice = u32::try_from((16 - len) * 8).ok()?;
        packed.rest = u64::from_le_bytes(*last).checked_shr(twice).unwrap_or_default();
    } else {
        let start = bytes.iter().rev().fold(0, |start, byte| start << 8 | u64::from(*byte));
        packed.start = start;
    }
    packed.rest |= cell << 56 | (len as u64) << 49 | u64::from(word.whole) << 48;
    Some(packed)
}

/// Where a word is remembered: any spread will do, as long as it is always the same.
fn place(word: Packed) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let spread = u128::from(word.start ^ ODD) * u128::from(word.rest ^ ODD.rotate_left(32));
    let (low, high) = (spread & u128::from(u64::MAX), spread >> 64);
    usize::try_from((low ^ high) % KNOWN as u128).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::scan;

    proptest! {
        #[test]
        fn what_is_remembered_is_what_would_be_worked_out(
            // Few different words, long ones among them, so that each is met again.
            texts in prop::collection::vec("([a-cA-C]{1,4}[ ./']){1,40}|[a-z]{20,30}", 1..40),
        ) {
            let mut keys = TermKeys { asked: PAYS, ..TermKeys::default() };
            let stems = Stems::new();
            for (at, text) in texts.iter().enumerate() {
                let cell = Key([u8::try_from(at % 3).unwrap(); 16]);
                scan(text, &mut |word| {
                    let expected = Posting::term(cell, &stems.term(word));
                    assert_eq!(keys.in_cell(cell).of(word), expected, "{word:?}");
                });
            }
        }
    }

    #[test]
    fn words_of_any_length_are_packed_without_loss() {
        for len in 1..=PACKED_MAX {
            let lower: String = ('a'..).take(len).collect();
            let of = |lower: &str, whole, cell| {
                let packed =
                    packed(&Word { lower, position: 0, whole, plain: !whole }, cell).unwrap();
                (packed.start, packed.rest)
            };
            let own = of(&lower, false, 3);
            assert!(own != of(&lower, true, 3) && own != of(&lower, false, 4));
            assert_ne!(own, of(&lower[1..], false, 3));
            for at in 0..len {
                let mut other = lower.clone().into_bytes();
                other[at] ^= 1;
                assert_ne!(own, of(std::str::from_utf8(&other).unwrap(), false, 3), "{len} {at}");
            }
        }
    }

    #[test]
    fn more_cells_than_are_remembered_have_keys_of_their_own() {
        let mut keys = TermKeys { asked: PAYS, ..TermKeys::default() };
        let word = Word { lower: "harbour", position: 0, whole: false, plain: true };
        for number in (0..600_u32).chain(0..600) {
            let cell = Key::of("cell", &[&number.to_le_bytes()]);
            assert_eq!(keys.in_cell(cell).of(&word), Posting::term(cell, "harbour"));
        }
    }

    #[test]
    fn words_of_one_place_take_it_from_each_other() {
        let mut keys = TermKeys { asked: PAYS, ..TermKeys::default() };
        let words: Vec<String> = (0..3 * KNOWN).map(|number| format!("word{number}")).collect();
        for _ in 0..2 {
            for lower in &words {
                let word = Word { lower, position: 0, whole: false, plain: true };
                let expected = Posting::term(Key::default(), lower);
                assert_eq!(keys.in_cell(Key::default()).of(&word), expected);
            }
        }
    }
}
