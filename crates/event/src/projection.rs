use std::ops::Range;

use memlith_log::{Seq, Timestamp};
use memlith_state::{CheckpointError, Sections, Tabular};

use crate::{OwnStatus, Stored};

/// A pure fold of the log.
///
/// Total, deterministic and infallible: no clock, no randomness, no I/O, no order but
/// that of keys, no floats. Validity was decided before the append. All state is in
/// tables; the laws in the test kit are run for every projection.
pub trait Projection: Clone + Default {
    /// Folds in one record. `facts` is what was known of items just before it.
    fn apply(&mut self, stored: &Stored<'_>, facts: &dyn Facts);

    /// The tables, in the order they are saved in; complete once it is settled.
    fn tables(&self) -> Vec<&dyn Tabular>;

    /// Gives the tables of [`Projection::tables`], to freeze or replace their runs.
    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular>;

    /// Puts into the tables what was put off. Changes no answer.
    fn settle(&mut self) {}

    /// Makes the overlays of all tables the newest run.
    fn freeze(&mut self) {
        self.settle();
        self.tables_mut().into_iter().for_each(Tabular::freeze);
    }

    /// Appends the sections of all tables, of these runs taken together.
    fn save(&self, runs: Range<usize>, out: &mut Sections) {
        for table in self.tables() {
            table.save(runs.clone(), out);
        }
    }

    /// Puts one run, from its sections, in the place of these.
    ///
    /// # Errors
    /// The first section that is broken.
    fn replace(&mut self, runs: Range<usize>, from: &mut Sections) -> Result<(), CheckpointError> {
        self.tables_mut().into_iter().try_for_each(|table| table.replace(runs.clone(), from))
    }
}

/// Source of facts about items just before an event.
pub trait Facts {
    /// The facts of the item at `seq`, or `None` where there is no item.
    fn item(&self, seq: Seq) -> Option<ItemFacts>;
}

/// Facts about an item that salience needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemFacts {
    /// Its own status; a shown record is active, a withdrawn one invalidated.
    pub own: OwnStatus,
    /// When it happened: its salience is born then.
    pub occurred_at: Timestamp,
    /// Whether the engine or a model made it from other items.
    pub derived: bool,
    /// Whether review accepted it.
    pub accepted: bool,
    /// The least rank that may displace it.
    pub guard: u8,
}
