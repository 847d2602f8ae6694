use std::collections::{BTreeMap, BTreeSet};

use memlith_log::Seq;
use proptest::prelude::*;

use super::*;
use crate::{FileBytes, Run, read_varint, write_varint};

#[derive(Clone, Debug, PartialEq)]
struct Posting(u16, u32);

impl Entry for Posting {
    type Key = u16;
    const NAME: &'static str = "postings";
    const KEY_WIDTH: usize = 2;
    fn key(&self) -> u16 {
        self.0
    }
    fn write_key(key: &u16, out: &mut Vec<u8>) {
        out.extend(key.to_le_bytes());
    }
    fn read_key(fields: &mut Fields<'_>) -> u16 {
        fields.u16()
    }
    fn write(&self, previous: Option<&Posting>, out: &mut Vec<u8>) {
        write_varint(u64::from(self.1.wrapping_sub(previous.map_or(0, |one| one.1))), out);
    }
    fn read(key: &u16, previous: Option<&Posting>, bytes: &mut &[u8]) -> Option<Posting> {
        let difference = u32::try_from(read_varint(bytes)?).ok()?;
        Some(Posting(*key, previous.map_or(0, |one| one.1).wrapping_add(difference)))
    }
    fn is_counted(&self) -> bool {
        !self.1.is_multiple_of(3)
    }
}

/// An entry of a list whose keys are spread evenly.
#[derive(Clone, Debug, PartialEq)]
struct Even(u64, u32);

impl Entry for Even {
    type Key = u64;
    const NAME: &'static str = "even";
    const KEY_WIDTH: usize = 8;
    fn key(&self) -> u64 {
        self.0
    }
    fn write_key(key: &u64, out: &mut Vec<u8>) {
        out.extend(key.to_le_bytes());
    }
    fn read_key(fields: &mut Fields<'_>) -> u64 {
        fields.u64()
    }
    fn write(&self, _previous: Option<&Even>, out: &mut Vec<u8>) {
        write_varint(u64::from(self.1), out);
    }
    fn read(key: &u64, _previous: Option<&Even>, bytes: &mut &[u8]) -> Option<Even> {
        Some(Even(*key, u32::try_from(read_varint(bytes)?).ok()?))
    }
    fn place(key: &u64) -> Place {
        Place::Even(*key)
    }
}

fn agree(lists: &Lists<Posting>, model: &BTreeMap<u16, Vec<u32>>, limit: usize) {
    for key in 0..13 {
        let expected = model.get(&key).cloned().unwrap_or_default();
        let numbers = |entries: Vec<Posting>| entries.iter().map(|one| one.1).collect::<Vec<_>>();
        assert_eq!(
            lists.counted(&key),
            expected.iter().filter(|one| !one.is_multiple_of(3)).count() as u64
        );
        assert_eq!(
            numbers(lists.newest(&key, limit)),
            expected[expected.len().saturating_sub(limit)..]
        );
        assert_eq!(numbers(lists.list(&key)), expected);
    }
}

fn sections(lists: &Lists<Posting>, runs: Range<usize>) -> Vec<Vec<u8>> {
    let mut out = Sections::default();
    lists.save(runs, &mut out);
    out.iter().map(|(_, bytes)| bytes.get(0, bytes.len()).unwrap().to_vec()).collect()
}

proptest! {
    #[test]
    fn lists_are_a_map_of_vectors(
        ops in prop::collection::vec((0u8..9, 0u16..12, any::<u32>(), 1u32..300), 0..60),
        limit in 0usize..400,
    ) {
        let mut lists = Lists::<Posting>::default();
        let mut model: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for (op, key, value, times) in ops {
            let runs = lists.runs.len();
            if op == 0 {
                lists.freeze();
            } else if op == 1 && runs > 1 {
                let first = usize::from(key) % runs;
                let mut sections = Sections::default();
                lists.save(first..runs, &mut sections);
                lists.replace(first..runs, &mut sections).unwrap();
            } else {
                let key_of = |more: u32| if op > 4 && more % 3 == 1 { 11 - key } else { key };
                let pushed = (0..times).map(|more| Posting(key_of(more), value.wrapping_add(more)));
                let pushed: Vec<Posting> = pushed.collect();
                for Posting(key, value) in &pushed {
                    model.entry(*key).or_default().push(*value);
                }
                if op % 2 == 0 {
                    pushed.into_iter().for_each(|entry| lists.push(entry));
                } else {
                    lists.push_all(pushed);
                }
            }
        }
        agree(&lists, &model, limit);
        // Runs are canonical: frozen in pieces and merged, or at once.
        lists.freeze();
        let mut whole = Lists::<Posting>::default();
        for (key, values) in &model {
            values.iter().for_each(|value| whole.push(Posting(*key, *value)));
        }
        whole.freeze();
        prop_assert_eq!(sections(&lists, 0..lists.runs.len()), sections(&whole, 0..1));
    }

    #[test]
    fn the_rows_of_all_parts_are_all_rows_in_order(
        pushed in prop::collection::vec((any::<u64>(), any::<u32>(), 0u8..9), 1..80),
    ) {
        let mut lists = Lists::<Even>::default();
        let mut model: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (number, (key, value, op)) in pushed.into_iter().enumerate() {
            // Keys at the ends of parts, and some that several runs have.
            let key = if op > 5 { key >> 54 << 54 } else { key | u64::from(op) << 60 };
            model.entry(key).or_default().push(value);
            lists.push(Even(key, value));
            if op == 0 || number == 0 {
                lists.freeze();
            }
        }
        let longest = lists.runs.iter().map(Part::count::<Even>).max().unwrap();
        prop_assert_eq!(lists.parts() > 1, longest >= PART_KEYS);
        let expected = model.iter().flat_map(|(key, values)| values.iter().map(move |value| {
            let mut row = Vec::new();
            Even::write_key(key, &mut row);
            Even(*key, *value).write(None, &mut row);
            row
        }));
        let mut rows = Vec::new();
        lists.each_row(&mut |_, row| rows.push(row.to_vec()));
        prop_assert_eq!(rows, expected.collect::<Vec<_>>());
    }

    #[test]
    fn every_key_is_found_in_a_file_however_keys_are_spread(
        seed in any::<u64>(),
        skew in 0u32..40,
        count in 1u64..2_500,
    ) {
        let keys: BTreeSet<u64> = (1..=count)
            .map(|number| number.wrapping_mul(seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .map(|key| if key % 3 == 0 { key >> skew } else { key })
            .collect();
        let mut lists = Lists::<Even>::default();
        lists.push_all(keys.iter().map(|key| Even(*key, 7)).collect());
        lists.freeze();
        let mut sections = Sections::default();
        sections.push("before", vec![1; usize::try_from(seed % 30_000).unwrap()]);
        lists.save(0..1, &mut sections);
        let (_, file) = Run::encode(1, Seq(0), Seq(1), &sections);
        let mut sections = Run::open(FileBytes::Read(file)).unwrap().sections;
        lists.replace(0..1, &mut sections).unwrap();
        for key in &keys {
            for key in [key.wrapping_sub(1), *key, key.wrapping_add(1)] {
                prop_assert_eq!(lists.counted(&key), u64::from(keys.contains(&key)));
            }
        }
    }

    /// A directory and lists of any bytes are read without a panic.
    #[test]
    fn any_bytes_are_read(
        directory in prop::collection::vec(0u8..4, 0..110),
        lists in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut sections = Sections::default();
        sections.push("postings", directory);
        sections.push("postings+", lists);
        let mut read = Lists::<Posting>::default();
        if read.replace(0..0, &mut sections).is_ok() {
            for key in 0..1_030 {
                assert!(read.newest(&key, 5).len() <= 5);
                let _: u64 = read.counted(&key);
            }
            read.each_row(&mut |_, _| ());
        }
    }
}
