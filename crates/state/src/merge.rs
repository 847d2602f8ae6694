use std::collections::btree_map;
use std::ops::{Bound, Range};

use crate::part::{Kept, Part, position, position_after, row_at};
use crate::{Bytes, Row};

/// Sorted rows of several sources as one: of equal keys the newest source's.
pub(crate) struct Merge<'a, R: Row> {
    /// From the oldest to the newest.
    sources: Vec<Source<'a, R>>,
}

/// One sorted source.
pub(crate) struct Source<'a, R: Row> {
    rows: Rows<'a, R>,
    next: Option<Kept<R>>,
}

enum Rows<'a, R: Row> {
    /// Rows that are there, or were removed, of a run.
    Part {
        bytes: &'a Bytes,
        left: Range<usize>,
        here: bool,
    },
    Overlay(btree_map::Range<'a, R::Key, Kept<R>>),
}

impl<'a, R: Row> Source<'a, R> {
    /// Makes the sources of a run in a range, without empty ones.
    pub(crate) fn of_part(
        part: &'a Part,
        bounds: &(Bound<R::Key>, Bound<R::Key>),
    ) -> impl Iterator<Item = Source<'a, R>> {
        let source = |bytes: &'a Bytes, here| {
            if bytes.is_empty() {
                return None;
            }
            let left = positions::<R>(bytes, bounds);
            Source::started(Rows::Part { bytes, left, here })
        };
        [source(&part.rows, true), source(&part.gone, false)].into_iter().flatten()
    }

    pub(crate) fn of_overlay(
        range: btree_map::Range<'a, R::Key, Kept<R>>,
    ) -> Option<Source<'a, R>> {
        Source::started(Rows::Overlay(range))
    }

    fn started(rows: Rows<'a, R>) -> Option<Source<'a, R>> {
        let mut source = Source { rows, next: None };
        source.advance();
        source.next.is_some().then_some(source)
    }

    fn advance(&mut self) {
        self.next = match &mut self.rows {
            Rows::Overlay(rows) => rows.next().map(|(_, kept)| kept.clone()),
            Rows::Part { bytes, left, here } => {
                let row = left.next().and_then(|at| row_at::<R>(bytes, at));
                row.map(|row| if *here { Kept::Here(row) } else { Kept::Gone(row) })
            }
        };
    }

    fn key(&self) -> Option<R::Key> {
        self.next.as_ref().map(|kept| kept.row().key())
    }
}

impl<'a, R: Row> Merge<'a, R> {
    pub(crate) fn new(sources: Vec<Source<'a, R>>) -> Merge<'a, R> {
        Merge { sources }
    }
}

impl<R: Row> Iterator for Merge<'_, R> {
    type Item = Kept<R>;

    fn next(&mut self) -> Option<Kept<R>> {
        if let [only] = self.sources.as_mut_slice() {
            let next = only.next.take();
            only.advance();
            return next;
        }
        let least = self.sources.iter().filter_map(Source::key).min()?;
        let mut newest = None;
        for source in &mut self.sources {
            if source.key().as_ref() == Some(&least) {
                newest = source.next.take();
                source.advance();
            }
        }
        newest
    }
}

fn positions<R: Row>(bytes: &Bytes, bounds: &(Bound<R::Key>, Bound<R::Key>)) -> Range<usize> {
    let start = match &bounds.0 {
        Bound::Included(key) => position::<R>(bytes, key),
        Bound::Excluded(key) => position_after::<R>(bytes, key),
        Bound::Unbounded => 0,
    };
    let end = match &bounds.1 {
        Bound::Included(key) => position_after::<R>(bytes, key),
        Bound::Excluded(key) => position::<R>(bytes, key),
        Bound::Unbounded => crate::part::count::<R>(bytes),
    };
    start..end
}
