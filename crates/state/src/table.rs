use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::{Bytes, CheckpointError, Fields, Row, Section, Sections, Tabular};

/// Rows by key: sorted base bytes below a small ordered overlay.
///
/// A write to the overlay hides the base's row of the same key. Cloning is cheap
/// and gives a snapshot: the next write copies the overlay only while a clone lives.
///
/// Cost: `get` and the start of a `range` are O(log n), each step is O(1); a write
/// is O(log n), and O(n) at every doubling, when the overlay is folded into the base.
#[derive(Clone, Debug)]
pub struct Table<R: Row> {
    base: Bytes,
    overlay: Arc<BTreeMap<R::Key, Option<R>>>,
}

/// An overlay smaller than this is never folded into the base on its own.
const OVERLAY_ROWS_MIN: usize = 8_192;

impl<R: Row> Default for Table<R> {
    fn default() -> Table<R> {
        Table { base: Bytes::default(), overlay: Arc::default() }
    }
}

impl<R: Row> Table<R> {
    /// The row at `key`.
    #[must_use]
    pub fn get(&self, key: &R::Key) -> Option<R> {
        if let Some(row) = self.overlay.get(key) {
            return row.clone();
        }
        let row = self.base_row(self.base_position(key))?;
        (row.key() == *key).then_some(row)
    }

    /// The rows whose keys lie in `range`, in key order.
    pub fn range<B: RangeBounds<R::Key>>(&self, range: B) -> impl Iterator<Item = R> + '_ {
        let start = match range.start_bound() {
            Bound::Included(key) => self.base_position(key),
            Bound::Excluded(key) => self.base_position_after(key),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(key) => self.base_position_after(key),
            Bound::Excluded(key) => self.base_position(key),
            Bound::Unbounded => self.base_len(),
        };
        let base = (start..end).filter_map(|position| self.base_row(position));
        let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
        let overlay = range_is_ordered(&bounds).then(|| self.overlay.range(bounds));
        Merge { base: base.peekable(), overlay: overlay.into_iter().flatten().peekable() }
    }

    /// All rows, in key order.
    pub fn rows(&self) -> impl Iterator<Item = R> + '_ {
        self.range(..)
    }

    /// Writes `row`, in place of any row with its key.
    pub fn put(&mut self, row: R) {
        Arc::make_mut(&mut self.overlay).insert(row.key(), Some(row));
        self.rebase_when_large();
    }

    /// Removes the row at `key`, if there is one.
    pub fn remove(&mut self, key: &R::Key) {
        let base_row = self.base_row(self.base_position(key));
        let overlay = Arc::make_mut(&mut self.overlay);
        if base_row.is_some_and(|row| row.key() == *key) {
            overlay.insert(key.clone(), None);
        } else {
            overlay.remove(key);
        }
    }

    /// Folds the overlay into a new base. Changes no answer.
    pub fn rebase(&mut self) {
        if !self.overlay.is_empty() {
            self.base = self.encode().into();
            self.overlay = Arc::default();
        }
    }

    fn rebase_when_large(&mut self) {
        if self.overlay.len() > OVERLAY_ROWS_MIN.max(self.base_len()) {
            self.rebase();
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity((self.base_len() + self.overlay.len()) * R::WIDTH);
        for (count, row) in self.rows().enumerate() {
            row.write(&mut out);
            debug_assert_eq!(out.len(), (count + 1) * R::WIDTH, "{} has one width", R::NAME);
        }
        out
    }

    fn base_len(&self) -> usize {
        self.base.len() / R::WIDTH
    }

    fn base_row(&self, position: usize) -> Option<R> {
        let start = position.checked_mul(R::WIDTH)?;
        let bytes = self.base.as_slice().get(start..)?.get(..R::WIDTH)?;
        Some(R::read(&mut Fields::new(bytes)))
    }

    /// The first base position whose key is not below `key`.
    fn base_position(&self, key: &R::Key) -> usize {
        self.partition(|row| row.key() < *key)
    }

    fn base_position_after(&self, key: &R::Key) -> usize {
        self.partition(|row| row.key() <= *key)
    }

    fn partition(&self, below: impl Fn(&R) -> bool) -> usize {
        let (mut low, mut high) = (0, self.base_len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.base_row(middle).is_some_and(|row| below(&row)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// `BTreeMap::range` panics on a range that ends before it starts; ours is empty.
fn range_is_ordered<K: Ord>(bounds: &(Bound<K>, Bound<K>)) -> bool {
    match bounds {
        (Bound::Excluded(start), Bound::Excluded(end)) => start < end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start <= end,
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => true,
    }
}

struct Merge<B: Iterator, O: Iterator> {
    base: Peekable<B>,
    overlay: Peekable<O>,
}

impl<'a, R, B, O> Iterator for Merge<B, O>
where
    R: Row + 'a,
    R::Key: 'a,
    B: Iterator<Item = R>,
    O: Iterator<Item = (&'a R::Key, &'a Option<R>)>,
{
    type Item = R;

    fn next(&mut self) -> Option<R> {
        loop {
            let Some((key, _)) = self.overlay.peek() else { return self.base.next() };
            let base_key = self.base.peek().map(Row::key);
            if base_key.as_ref().is_some_and(|base_key| base_key < *key) {
                return self.base.next();
            }
            if base_key.as_ref() == Some(*key) {
                self.base.next();
            }
            if let Some((_, Some(row))) = self.overlay.next() {
                return Some(row.clone());
            }
        }
    }
}

impl<R: Row> Tabular for Table<R> {
    fn save(&self, out: &mut Sections) {
        let bytes = if self.overlay.is_empty() { self.base.clone() } else { self.encode().into() };
        out.push(Section { name: R::NAME, bytes });
    }

    fn load(&mut self, sections: &mut Sections) -> Result<(), CheckpointError> {
        let bytes = sections.take(R::NAME)?;
        if !bytes.len().is_multiple_of(R::WIDTH) {
            return Err(CheckpointError::SectionLength { name: R::NAME, len: bytes.len() });
        }
        *self = Table { base: bytes, overlay: Arc::default() };
        let mut previous = None;
        for key in self.rows().map(|row| row.key()) {
            if previous.as_ref().is_some_and(|previous| *previous >= key) {
                return Err(CheckpointError::SectionOrder { name: R::NAME });
            }
            previous = Some(key);
        }
        Ok(())
    }

    fn each_row(&self, visit: &mut dyn FnMut(&'static str, &[u8])) {
        let mut bytes = Vec::with_capacity(R::WIDTH);
        for row in self.rows() {
            bytes.clear();
            row.write(&mut bytes);
            visit(R::NAME, &bytes);
        }
    }

    fn rebase(&mut self) {
        Table::rebase(self);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    }

    proptest! {
        /// A table is a map, wherever its rows lie: in the base, above it, or hidden.
        #[test]
        fn a_table_is_a_map(ops in prop::collection::vec((0u8..4, 0u16..40, any::<u32>()), 0..200)) {
            let mut table = Table::<Pair>::default();
            let mut model = BTreeMap::new();
            for (op, key, value) in ops {
                match op {
                    0 | 1 => { table.put(Pair(key, value)); model.insert(key, value); }
                    2 => { table.remove(&key); model.remove(&key); }
                    _ => table.rebase(),
                }
                prop_assert_eq!(table.get(&key).map(|row| row.1), model.get(&key).copied());
                let (low, high) = (key / 2, key);
                prop_assert!(table.range(low..high).map(|row| (row.0, row.1)).eq(model.range(low..high).map(|(k, v)| (*k, *v))));
                prop_assert!(table.range(high..=low).count() <= 1);
            }
            let mut sections = Sections::default();
            table.save(&mut sections);
            let mut loaded = Table::<Pair>::default();
            loaded.load(&mut sections).unwrap();
            prop_assert!(loaded.rows().eq(table.rows()));
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
    fn a_section_out_of_order_or_of_broken_rows_is_refused() {
        for bytes in [vec![2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], vec![1; 7]] {
            let mut sections = Sections::default();
            sections.push(Section { name: Pair::NAME, bytes: bytes.into() });
            assert!(Table::<Pair>::default().load(&mut sections).is_err());
        }
    }
}
