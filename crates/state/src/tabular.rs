use std::ops::Range;

use crate::{CheckpointError, Sections};

/// Common interface of [`crate::Table`] and [`crate::Lists`]: an overlay above runs, each of which
/// holds what one stretch of the log changed.
///
/// Runs are counted from the oldest, which is 0. All tables of a state have as many.
pub trait Tabular {
    /// Makes the overlay the newest run, also where it is empty. Changes no answer.
    fn freeze(&mut self);

    /// Appends the sections of these runs taken together: what a single one would hold
    /// that had been frozen behind the last of them and not before.
    fn save(&self, runs: Range<usize>, out: &mut Sections);

    /// Puts one run, from its sections, in the place of these.
    ///
    /// # Errors
    /// A section of broken length.
    fn replace(&mut self, runs: Range<usize>, from: &mut Sections) -> Result<(), CheckpointError>;

    /// Into how many parts its rows are cut by their keys, so that threads can share them.
    fn parts(&self) -> u64 {
        1
    }

    /// Visits the rows of a part in key order: the table's name and the row's bytes. Those of
    /// all parts, from 0, one after another, are all rows in key order.
    fn each_row_of(&self, part: u64, visit: &mut dyn FnMut(&'static str, &[u8]));

    /// Visits every row in key order.
    fn each_row(&self, visit: &mut dyn FnMut(&'static str, &[u8])) {
        (0..self.parts()).for_each(|part| self.each_row_of(part, visit));
    }
}
