//! Words that mean about the same, by a list that is made of the built-in table.
//!
//! For each piece that begins a word, and may be one, the list has eight others, the nearest
//! first. It is looked up with a query's words; nothing of the table itself but the letters
//! of those words is read. `examples/neighbours.rs` makes the list, and checks it.

use rust_stemmers::{Algorithm, Stemmer};

use crate::StaticTable;
use crate::embedding::Table;
use crate::stop_words::is_stop_word;

/// How near a word is to itself.
pub(crate) const SAME: u64 = 255;

/// A word has so many neighbours. Source: ADR 0023; 16 or 32 find no more.
const NEIGHBOURS: usize = 8;

/// Words less near are no neighbours: a cosine of 0.5.
///
/// Source: ADR 0023; with 0.35 more is read and no more is found.
const LIKENESS_MIN: u8 = 128;

/// The place of the neighbour in the table, of two bytes, and the likeness.
const ENTRY: usize = 3;

/// For each piece of the table that begins a word its neighbours, zeros where there are fewer.
static LIST: &[u8] = include_bytes!("../table/neighbours.bin");

/// The words near `word` or, where that is not known, near its stem, the nearest first, with
/// how near they are of [`SAME`].
pub(crate) fn of(word: &str, stem: &str) -> impl Iterator<Item = (&'static str, u8)> {
    let table = StaticTable::built_in().table();
    let place = table.find(false, word.as_bytes()).or_else(|| table.find(false, stem.as_bytes()));
    let entries = place.and_then(|place| {
        let width = NEIGHBOURS * ENTRY;
        let start = place.checked_mul(width)?;
        LIST.get(start..start.checked_add(width)?)
    });
    let entries = entries.unwrap_or_default().chunks_exact(ENTRY).map_while(|entry| {
        let [low, high, likeness] = entry.first_chunk()?;
        (*likeness > 0).then_some((u16::from_le_bytes([*low, *high]), *likeness))
    });
    entries.filter_map(|(place, likeness)| Some((table.piece(usize::from(place))?.1, likeness)))
}

/// The neighbours as the list should have them of the pieces `first..last` of `table`.
///
/// Cost: a millisecond for each piece and two for the first.
#[doc(hidden)]
#[must_use]
pub fn neighbours(table: &StaticTable<'static>, first: usize, last: usize) -> Vec<u8> {
    let words = words(table.table());
    let stemmer = Stemmer::create(Algorithm::English);
    let rows: Vec<_> = words
        .iter()
        .filter_map(|(place, word)| Some((*place, stemmer.stem(word), table.word(word)?)))
        .collect();
    let mut list = Vec::new();
    for place in first..last {
        let own = rows.iter().find(|row| usize::from(row.0) == place);
        let mut near = Vec::new();
        if let Some((_, stem, vector)) = own {
            let others = rows.iter().filter(|(_, other, _)| other != stem);
            near.extend(others.filter_map(|(other, stem, row)| {
                let millionths = u64::try_from(vector.cosine(row)?).ok()?;
                let likeness = u8::try_from(millionths * SAME / 1_000_000).ok()?;
                let likeness = likeness.min(u8::MAX - 1);
                (likeness >= LIKENESS_MIN).then_some((std::cmp::Reverse(likeness), *other, stem))
            }));
        }
        near.sort_unstable();
        let mut kept: Vec<(u16, u8)> = Vec::new();
        let mut stems = Vec::new();
        for (std::cmp::Reverse(likeness), other, stem) in near {
            if kept.len() < NEIGHBOURS && !stems.contains(&stem) {
                kept.push((other, likeness));
                stems.push(stem);
            }
        }
        kept.resize(NEIGHBOURS, (0, 0));
        let entries = kept.iter().map(|(other, likeness)| (other.to_le_bytes(), *likeness));
        list.extend(entries.flat_map(|([low, high], likeness)| [low, high, likeness]));
    }
    list
}

/// The pieces that may be a content word, with their places.
fn words(table: &Table<'static>) -> Vec<(u16, &'static str)> {
    let plain = |word: &str| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words = (0..=u16::MAX).map_while(|place| Some((place, table.piece(usize::from(place))?)));
    let words = words.filter(|(_, (goes_on, word))| !goes_on && plain(word));
    words.map(|(place, (_, word))| (place, word)).filter(|(_, word)| !is_stop_word(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_that_of_the_table() {
        let table = StaticTable::built_in();
        let begin = words(table.table()).last().map_or(0, |last| usize::from(last.0));
        assert!(LIST.len() > begin * NEIGHBOURS * ENTRY, "{begin}");
        for word in ["counselor", "violin"] {
            let place = table.table().find(false, word.as_bytes()).unwrap();
            let width = NEIGHBOURS * ENTRY;
            let listed = &LIST[place * width..][..width];
            assert_eq!(listed, neighbours(table, place, place + 1), "{word}");
        }
    }

    #[test]
    fn words_have_the_neighbours_that_people_would_give_them() {
        for (word, near) in [("violin", "viola"), ("car", "vehicle"), ("doctor", "physician")] {
            assert!(of(word, word).any(|(other, _)| other == near), "{word}");
        }
        let near: Vec<_> = of("violins", "violin").collect();
        assert!(near.is_sorted_by(|a, b| a.1 >= b.1) && !near.is_empty(), "{near:?}");
        assert_eq!(of("zzxxqq", "zzxxqq").count(), 0);
        assert_eq!(of("the", "the").count(), 0);
    }
}
