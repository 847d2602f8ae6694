use proptest::prelude::*;

use super::*;
use crate::{Fields, Place};

#[derive(Clone, Debug, PartialEq)]
struct Pair(u16, u32);

impl Row for Pair {
    type Key = u16;
    const NAME: &'static str = "pairs";
    const WIDTH: usize = 6;
    fn key(&self) -> u16 {
        self.0
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.0.to_le_bytes());
        out.extend(self.1.to_le_bytes());
    }
    fn read(fields: &mut Fields<'_>) -> Pair {
        Pair(fields.u16(), fields.u32())
    }
    fn place(key: &u16) -> Place {
        Place::Number(u64::from(*key))
    }
}

/// Returns the sections of runs, byte for byte.
fn sections(table: &Table<Pair>, runs: Range<usize>) -> Vec<(String, Vec<u8>)> {
    let mut out = Sections::default();
    table.save(runs, &mut out);
    out.iter()
        .map(|(name, bytes)| (name.to_owned(), bytes.get(0, bytes.len()).unwrap().to_vec()))
        .collect()
}

proptest! {
    /// A table is a map, wherever its rows lie: in a run, above it, or hidden.
    #[test]
    fn a_table_is_a_map(ops in prop::collection::vec((0u8..6, 0u16..40, any::<u32>()), 0..200)) {
        let mut table = Table::<Pair>::default();
        let mut model = BTreeMap::new();
        for (op, key, value) in ops {
            let runs = table.runs.len();
            match op {
                0..=2 => { table.put(Pair(key, value)); model.insert(key, value); }
                3 => { table.remove(&key); model.remove(&key); }
                4 => table.freeze(),
                _ if runs > 1 => {
                    let first = usize::from(key) % runs;
                    let mut merged = Sections::default();
                    table.save(first..runs, &mut merged);
                    table.replace(first..runs, &mut merged).unwrap();
                }
                _ => {}
            }
            prop_assert_eq!(table.get(&key).map(|row| row.1), model.get(&key).copied());
            let (low, high) = (key / 2, key);
            prop_assert!(table.range(low..high).map(|row| (row.0, row.1)).eq(model.range(low..high).map(|(k, v)| (*k, *v))));
            prop_assert!(table.range(high..=low).count() <= 1);
        }
        prop_assert!(table.rows().map(|row| (row.0, row.1)).eq(model));
    }

    /// Runs are canonical: frozen in pieces and merged, a run is what it is frozen at once.
    #[test]
    fn merged_runs_are_what_one_run_would_be(
        ops in prop::collection::vec((0u8..3, 0u16..12, any::<u32>(), any::<bool>()), 0..80),
        base in prop::collection::vec(0u16..12, 0..8),
    ) {
        let mut pieces = Table::<Pair>::default();
        base.iter().for_each(|key| pieces.put(Pair(*key, 0)));
        pieces.freeze();
        let mut whole = pieces.clone();
        for (op, key, value, cut) in ops {
            for table in [&mut pieces, &mut whole] {
                if op == 0 { table.remove(&key) } else { table.put(Pair(key, value)) }
            }
            if cut { pieces.freeze() }
        }
        pieces.freeze();
        whole.freeze();
        prop_assert_eq!(sections(&pieces, 1..pieces.runs.len()), sections(&whole, 1..2));
        prop_assert_eq!(sections(&pieces, 0..pieces.runs.len()), sections(&whole, 0..2));
    }
}

#[test]
fn a_clone_is_a_snapshot() {
    let mut table = Table::<Pair>::default();
    table.put(Pair(1, 1));
    let before = table.clone();
    table.put(Pair(1, 2));
    assert_eq!((before.get(&1), table.get(&1)), (Some(Pair(1, 1)), Some(Pair(1, 2))));
}

#[test]
fn a_section_of_broken_rows_is_refused() {
    for name in ["pairs", "pairs-"] {
        let mut sections = Sections::default();
        sections.push(name, vec![1; 7]);
        assert!(Table::<Pair>::default().replace(0..0, &mut sections).is_err());
    }
}
