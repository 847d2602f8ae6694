use std::cmp::Ordering;
use std::sync::OnceLock;

use crate::search::{lower_bound, proportion};
use crate::wave::Wave;
use crate::{Bytes, Fields, Place, Row};

/// Contents of one run of a table: the rows that were written last in its stretch of the log, and
/// those that were removed in it; each sorted by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) rows: Bytes,
    /// As they were when they were removed, but for those of the oldest run: nothing lies
    /// below it that they could hide.
    pub(crate) gone: Bytes,
    rows_ends: Ends,
    gone_ends: Ends,
}

/// The numbers of the first and the last key, once they were read.
///
/// Most keys that a run is asked for lie outside of its stretch: this says so without a
/// look at its bytes.
type Ends = OnceLock<(u64, u64)>;

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
    pub(crate) fn new(rows: Bytes, gone: Bytes) -> Part {
        Part { rows, gone, ..Part::default() }
    }

    /// Says that the run is asked soon for keys that are numbers.
    pub(crate) fn will_need_ends<R: Row>(&self, wave: &mut Wave) {
        if self.rows_ends.get().is_none() {
            self.rows.will_need(0, R::WIDTH, wave);
            self.rows.will_need(self.rows.len().saturating_sub(R::WIDTH), R::WIDTH, wave);
        }
    }

    /// Says that the row at `key` is read soon, where it is known about where it lies.
    pub(crate) fn will_need<R: Row>(&self, key: &R::Key, wave: &mut Wave) {
        let Place::Number(sought) = R::place(key) else { return };
        let Some((first, last)) = number_ends::<R>(&self.rows, &self.rows_ends) else { return };
        if (first..=last).contains(&sought) {
            let count = count::<R>(&self.rows);
            let at = proportion(sought - first, (first, last), count).min(count - 1);
            self.rows.will_need(at * R::WIDTH, R::WIDTH, wave);
        }
    }

    /// Returns what the run says of `key`; `None` where it says nothing.
    pub(crate) fn find<R: Row>(&self, key: &R::Key) -> Option<Kept<R>> {
        match row_of::<R>(&self.rows, &self.rows_ends, key) {
            Some(row) => Some(Kept::Here(row)),
            None => row_of::<R>(&self.gone, &self.gone_ends, key).map(Kept::Gone),
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
    let guess = R::place(key).guess(count, |at| Some(R::place(&key_at::<R>(bytes, at)?)));
    lower_bound(count, guess, |at| Some(compare(&key_at::<R>(bytes, at)?, key)))
}

/// The row at `key`.
fn row_of<R: Row>(bytes: &Bytes, ends: &Ends, key: &R::Key) -> Option<R> {
    let count = count::<R>(bytes);
    let last_row = count.checked_sub(1)?;
    let place_at = |at| Some(R::place(&key_at::<R>(bytes, at)?));
    let place = R::place(key);
    let ends = match place {
        Place::Number(sought) => {
            let ends = number_ends::<R>(bytes, ends);
            let Some((first, last)) = ends else { return found::<R>(bytes, None, key) };
            if sought < first || last < sought {
                return None;
            }
            // Where numbers have no gaps, this is it.
            let at = proportion(sought - first, (first, last), count).min(last_row);
            let row = bytes.get(at.checked_mul(R::WIDTH)?, R::WIDTH)?;
            if R::read_key(row) == *key {
                return Some(R::read(&mut Fields::new(row)));
            }
            (first, last)
        }
        Place::Even(_) | Place::Unknown => (0, 0),
    };
    found::<R>(bytes, place.guess_between(ends, count, place_at), key)
}

/// The numbers of the first and the last key.
fn number_ends<R: Row>(bytes: &Bytes, ends: &Ends) -> Option<(u64, u64)> {
    if let Some(ends) = ends.get() {
        return Some(*ends);
    }
    let last_row = count::<R>(bytes).checked_sub(1)?;
    let place_at = |at| Some(R::place(&key_at::<R>(bytes, at)?));
    match (place_at(0)?, place_at(last_row)?) {
        (Place::Number(first), Place::Number(last)) => Some(*ends.get_or_init(|| (first, last))),
        _ => None,
    }
}

/// The row at `key`, looked for from a guess.
fn found<R: Row>(bytes: &Bytes, guess: Option<usize>, key: &R::Key) -> Option<R> {
    let count = count::<R>(bytes);
    let at = lower_bound(count, guess, |at| Some(key_at::<R>(bytes, at)?.cmp(key)));
    row_at::<R>(bytes, at).filter(|row| row.key() == *key)
}

fn key_at<R: Row>(bytes: &Bytes, at: usize) -> Option<R::Key> {
    Some(R::read_key(bytes.get(at * R::WIDTH, R::WIDTH)?))
}
