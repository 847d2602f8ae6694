//! Salience as Zaxy 3.2.0 computes it: the policy `compat-zaxy`.

use memlith_event::Weight;
use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

use crate::{Act, Change, Log2, Unmoved};

/// The salience of one item in Zaxy's own arithmetic.
///
/// A factor that events multiply, and the time of the last of them, whatever it was and even
/// where it is earlier than the one before. The factor is a float because Zaxy's is: it is
/// multiplied and clamped and nothing else, which every machine does to the same bits.
///
/// Source: Zaxy 3.2.0, its salience (`docs/model.md`, "Policies").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mirror {
    pub(crate) item: Seq,
    /// The bits of the factor, 0.01 to 10.
    factor: u64,
    last: Timestamp,
}

/// The bounds of a factor.
const FACTOR_MIN: f64 = 0.01;
const FACTOR_MAX: f64 = 10.0;

impl Mirror {
    /// The item before anything named it.
    pub(crate) fn born(item: Seq, born: Timestamp) -> Mirror {
        Mirror { item, factor: 1.0_f64.to_bits(), last: born }
    }

    /// The item after a reinforcement of this strength, and whether a bound clipped that.
    pub(crate) fn after(self, weight: Weight, at: Timestamp) -> (Mirror, bool) {
        let strength = f64::from(weight.0.clamp(1, 10_000_000)) / 1_000_000.0;
        let product = f64::from_bits(self.factor) * strength;
        let clipped = !(FACTOR_MIN..=FACTOR_MAX).contains(&product);
        let factor = product.clamp(FACTOR_MIN, FACTOR_MAX).to_bits();
        (Mirror { factor, last: at, ..self }, clipped)
    }

    /// The factor as a logarithm, rounded down.
    pub(crate) fn factor(self) -> Log2 {
        Log2::of_bits(self.factor)
    }

    /// The factor's decay at `now` as a logarithm: none before the last event.
    pub(crate) fn decay(self, now: Timestamp) -> Log2 {
        Log2::at(self.last).minus(Log2::at(now.max(self.last)))
    }
}

/// The row of the table of changes that a claim is in Zaxy's, which has four.
///
/// # Errors
/// [`Unmoved::Policy`]: Zaxy knows nothing like it.
pub(crate) fn row_of(act: Act) -> Result<Change, Unmoved> {
    match act {
        Act::Surface => Ok(Change::Surfaced),
        Act::Confirm => Ok(Change::ConfirmedOutside),
        Act::Promote => Ok(Change::Promoted),
        // There a failed outcome is an invalidation.
        Act::Invalidate | Act::Doubt => Ok(Change::Invalidated),
        Act::Restate | Act::Reconfirm | Act::Accept => Err(Unmoved::Policy),
    }
}

impl Row for Mirror {
    type Key = Seq;
    const NAME: &'static str = "mirrors";
    const WIDTH: usize = 24;

    fn key(&self) -> Seq {
        self.item
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0.to_le_bytes());
        out.extend(self.factor.to_le_bytes());
        out.extend(self.last.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Mirror {
        let item = Seq(fields.u64());
        // A checkpoint's bytes are verified, but reading is total: no other float gets in.
        let factor = f64::from_bits(fields.u64());
        let factor = if factor.is_nan() { 1.0 } else { factor.clamp(FACTOR_MIN, FACTOR_MAX) };
        Mirror { item, factor: factor.to_bits(), last: Timestamp(fields.i64()) }
    }

    fn read_key(row: &[u8]) -> Seq {
        Seq(Fields::new(row).u64())
    }

    fn place(key: &Seq) -> Place {
        Place::Number(key.0)
    }
}
