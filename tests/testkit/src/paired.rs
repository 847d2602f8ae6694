use memlith_event::{Facts, Projection, Stored};
use memlith_state::Tabular;

/// Two projections folded together: the second tells the first the facts.
#[derive(Clone, Debug, Default)]
pub struct Paired<P, F> {
    /// The one that asks.
    pub asking: P,
    /// The one that knows what items were just before an event.
    pub knowing: F,
}

impl<P: Projection, F: Projection + Facts> Projection for Paired<P, F> {
    fn apply(&mut self, stored: &Stored<'_>, facts: &dyn Facts) {
        self.asking.apply(stored, &self.knowing);
        self.knowing.apply(stored, facts);
    }

    fn settle(&mut self) {
        self.asking.settle();
        self.knowing.settle();
    }

    fn tables(&self) -> Vec<&dyn Tabular> {
        let mut tables = self.asking.tables();
        tables.extend(self.knowing.tables());
        tables
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        let mut tables = self.asking.tables_mut();
        tables.extend(self.knowing.tables_mut());
        tables
    }
}
