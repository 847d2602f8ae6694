use std::cmp::Ordering;

use crate::search::lower_bound;
use crate::{Bytes, Fields, Row};

/// What one run holds of a table: the rows that were written last in its stretch of the
/// log, and those that were removed in it; each sorted by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) rows: Bytes,
    /// As they were when they were removed, but for those of the oldest run: nothing lies
    /// below it that they could hide.
    pub(crate) gone: Bytes,
}

/// A row, or that there is none any more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kept<R> {
    Here(R),
    Gone(R),
}

impl<R: Row> Kept<R> {
    pub(crate) fn row(&self) -> &R {
        match self {
            Kept::Here(row) | Kept::Gone(row) => row,
        }
    }

    pub(crate) fn here(self) -> Option<R> {
        match self {
            Kept::Here(row) => Some(row),
            Kept::Gone(_) => None,
        }
    }
}

impl Part {
    /// What the run says of `key`; `None` where it says nothing.
    pub(crate) fn find<R: Row>(&self, key: &R::Key) -> Option<Kept<R>> {
        let found = |bytes| {
            let at = position::<R>(bytes, key);
            row_at::<R>(bytes, at).filter(|row| row.key() == *key)
        };
        match found(&self.rows) {
            Some(row) => Some(Kept::Here(row)),
            None => found(&self.gone).map(Kept::Gone),
        }
    }
}

pub(crate) fn count<R: Row>(bytes: &Bytes) -> usize {
    bytes.len() / R::WIDTH
}

pub(crate) fn row_at<R: Row>(bytes: &Bytes, position: usize) -> Option<R> {
    if position >= count::<R>(bytes) {
        return None;
    }
    let bytes = bytes.get(position * R::WIDTH, R::WIDTH)?;
    Some(R::read(&mut Fields::new(bytes)))
}

/// The first position whose key is not below `key`.
pub(crate) fn position<R: Row>(bytes: &Bytes, key: &R::Key) -> usize {
    search::<R>(bytes, key, |found, key| found.cmp(key))
}

/// The first position whose key is above `key`.
pub(crate) fn position_after<R: Row>(bytes: &Bytes, key: &R::Key) -> usize {
    search::<R>(bytes, key, |found, key| found.cmp(key).then(Ordering::Less))
}

fn search<R: Row>(
    bytes: &Bytes,
    key: &R::Key,
    compare: impl Fn(&R::Key, &R::Key) -> Ordering,
) -> usize {
    let count = count::<R>(bytes);
    let key_at = |at: usize| Some(R::read_key(bytes.get(at * R::WIDTH, R::WIDTH)?));
    let guess = R::place(key).guess(count, |at| Some(R::place(&key_at(at)?)));
    lower_bound(count, guess, |at| Some(compare(&key_at(at)?, key)))
}
