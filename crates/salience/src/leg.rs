use memlith_log::Timestamp;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::{Decimal, Log2};

/// A piece of an item's curve: from one event that moved it to the next, it only decays.
///
/// On a logarithmic scale it is a straight line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leg {
    /// Where it begins: when the event happened, and not before the leg before.
    pub from: Timestamp,
    /// The level, which time doesn't change; `None` where the item doesn't decay at all, as
    /// one that nothing touched under `compat-zaxy`.
    pub level: Option<Log2>,
}

impl Serialize for Leg {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Leg", 2)?;
        out.serialize_field("from", &self.from)?;
        out.serialize_field("salience", &self.shown(self.from))?;
        out.end()
    }
}

impl Leg {
    /// The logarithm of the salience at `at`, within that of 0.01 and 10.
    #[must_use]
    pub fn log2(&self, at: Timestamp) -> Log2 {
        self.level.map_or(Log2::ZERO, |level| level.read(at))
    }

    /// The salience at `at`: 0.01 to 10, 12 significant digits.
    #[must_use]
    pub fn shown(&self, at: Timestamp) -> Decimal {
        self.level.map_or(Decimal::ONE, |level| level.shown(at))
    }
}
