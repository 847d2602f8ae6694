use std::collections::BTreeMap;
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;

use crate::merge::{Merge, Source};
use crate::part::{Kept, Part};
use crate::wave::Wave;
use crate::{CheckpointError, Row, Sections, Tabular};

/// Rows by key: sorted bytes in runs, each of what one stretch of the log changed, below a
/// small ordered overlay.
///
/// A newer run hides the older ones' rows of the same key, the overlay those of all runs.
/// Cloning is cheap and gives a snapshot: the next write copies the overlay only while a
/// clone lives.
///
/// Cost: `get` and the start of a `range` are O(runs log n), each step is O(runs); a write
/// is O(log n) of the overlay.
#[derive(Clone, Debug)]
pub struct Table<R: Row> {
    runs: Arc<Vec<Part>>,
    overlay: Arc<BTreeMap<R::Key, Kept<R>>>,
}

impl<R: Row> Default for Table<R> {
    fn default() -> Table<R> {
        Table { runs: Arc::default(), overlay: Arc::default() }
    }
}

impl<R: Row> Table<R> {
    /// The row at `key`.
    #[must_use]
    pub fn get(&self, key: &R::Key) -> Option<R> {
        if let Some(kept) = self.overlay.get(key) {
            return kept.clone().here();
        }
        self.runs.iter().rev().find_map(|part| part.find::<R>(key))?.here()
    }

    /// Says that the rows at these keys are read soon and in this order, so that a disk brings
    /// those that lie apart at once, and another thread checks the last ones. A hint, for keys
    /// that are numbers: it changes no answer.
    pub fn will_need(&self, keys: &[R::Key]) {
        let mut ends = Wave::default();
        self.runs.iter().for_each(|part| part.will_need_ends::<R>(&mut ends));
        ends.ask();
        let mut wave = Wave::default();
        for key in keys {
            self.runs.iter().for_each(|part| part.will_need::<R>(key, &mut wave));
        }
        wave.ask();
    }

    /// The rows whose keys lie in `range`, in key order.
    pub fn range<B: RangeBounds<R::Key>>(&self, range: B) -> impl Iterator<Item = R> + '_ {
        let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
        let mut sources: Vec<Source<'_, R>> = Vec::new();
        for part in self.runs.iter() {
            sources.extend(Source::of_part(part, &bounds));
        }
        if range_is_ordered(&bounds) {
            sources.extend(Source::of_overlay(self.overlay.range(bounds)));
        }
        Merge::new(sources).filter_map(Kept::here)
    }

    /// All rows, in key order.
    pub fn rows(&self) -> impl Iterator<Item = R> + '_ {
        self.range(..)
    }

    /// Writes `row`, in place of any row with its key.
    pub fn put(&mut self, row: R) {
        Arc::make_mut(&mut self.overlay).insert(row.key(), Kept::Here(row));
    }

    /// Removes the row at `key`, if there is one.
    pub fn remove(&mut self, key: &R::Key) {
        if let Some(row) = self.get(key) {
            Arc::make_mut(&mut self.overlay).insert(key.clone(), Kept::Gone(row));
        }
    }

    /// The section of the rows that runs removed.
    fn gone_name() -> String {
        format!("{}-", R::NAME)
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

/// The bytes of sorted rows; what was removed is of no use below everything else.
fn encode<R: Row>(rows: impl Iterator<Item = Kept<R>>, oldest: bool) -> Part {
    let (mut here, mut gone) = (Vec::new(), Vec::new());
    for kept in rows {
        match kept {
            Kept::Here(row) => row.write(&mut here),
            Kept::Gone(row) if !oldest => row.write(&mut gone),
            Kept::Gone(_) => {}
        }
        debug_assert!(here.len().is_multiple_of(R::WIDTH), "{} has one width", R::NAME);
    }
    Part::new(here.into(), gone.into())
}

impl<R: Row> Tabular for Table<R> {
    fn freeze(&mut self) {
        let part = encode(self.overlay.values().cloned(), self.runs.is_empty());
        Arc::make_mut(&mut self.runs).push(part);
        self.overlay = Arc::default();
    }

    fn save(&self, runs: Range<usize>, out: &mut Sections) {
        let oldest = runs.start == 0;
        let mut part = Part::default();
        if let Some([only]) = self.runs.get(runs.clone()) {
            part = only.clone();
        } else if let Some(parts) = self.runs.get(runs) {
            let all = (Bound::Unbounded, Bound::Unbounded);
            let sources = parts.iter().flat_map(|part| Source::of_part(part, &all)).collect();
            part = encode(Merge::<R>::new(sources), oldest);
        }
        out.push(R::NAME, part.rows);
        out.push(&Self::gone_name(), part.gone);
    }

    fn replace(&mut self, runs: Range<usize>, from: &mut Sections) -> Result<(), CheckpointError> {
        let part = Part::new(from.take(R::NAME), from.take(&Self::gone_name()));
        for len in [part.rows.len(), part.gone.len()] {
            if !len.is_multiple_of(R::WIDTH) {
                return Err(CheckpointError::SectionLength { name: R::NAME, len });
            }
        }
        Arc::make_mut(&mut self.runs).splice(runs, [part]);
        Ok(())
    }

    fn each_row_of(&self, part: u64, visit: &mut dyn FnMut(&'static str, &[u8])) {
        if part > 0 {
            return;
        }
        let mut bytes = Vec::with_capacity(R::WIDTH);
        for row in self.rows() {
            bytes.clear();
            row.write(&mut bytes);
            visit(R::NAME, &bytes);
        }
    }
}

#[cfg(test)]
mod tests;
