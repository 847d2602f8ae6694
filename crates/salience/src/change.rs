use memlith_event::{OwnStatus, Weight};
use serde::{Serialize, Serializer};

use crate::{Decimal, Log2};

/// Effect of an event on the salience of one item: a row of the table of
/// `docs/model.md`, "Salience".
///
/// A change says nothing of who may cause it; [`crate::Claim::judged`] decides that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// A checkout showed it: a gain within the budget.
    Surfaced,
    /// The assistant confirmed it: a gain within the budget.
    ConfirmedInside,
    /// Evidence from outside confirmed it.
    ConfirmedOutside,
    /// A user said it again.
    Restated,
    /// One with authority raised it.
    Promoted,
    /// It was declared wrong.
    Invalidated,
    /// A user took the invalidation back.
    ReconfirmedOutside,
    /// Another who may took the invalidation back.
    ReconfirmedInside,
    /// A verified outcome failed with it.
    Doubted,
    /// Review accepted it.
    Accepted,
}

impl Change {
    /// The name under which it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Change::Surfaced => "surfaced",
            Change::ConfirmedInside => "confirmed_inside",
            Change::ConfirmedOutside => "confirmed_outside",
            Change::Restated => "restated",
            Change::Promoted => "promoted",
            Change::Invalidated => "invalidated",
            Change::ReconfirmedOutside => "reconfirmed_outside",
            Change::ReconfirmedInside => "reconfirmed_inside",
            Change::Doubted => "doubted",
            Change::Accepted => "accepted",
        }
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The sorts of evidence of which one memory, actor and session has one each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A confirmation from outside.
    Confirmation,
    /// A restatement from outside.
    Restatement,
    /// A doubt.
    Doubt,
}

/// A strength in millionths: 1,000,000 changes nothing.
const NEUTRAL: u32 = 1_000_000;

impl Change {
    /// Every change, in the order of the table.
    pub const ALL: [Change; 10] = [
        Change::Surfaced,
        Change::ConfirmedOutside,
        Change::ConfirmedInside,
        Change::Restated,
        Change::Promoted,
        Change::Invalidated,
        Change::ReconfirmedOutside,
        Change::ReconfirmedInside,
        Change::Doubted,
        Change::Accepted,
    ];

    /// The own status that the item must have just before the event.
    ///
    /// Labels computed at read (stale, superseded, expired, ...) don't matter.
    #[must_use]
    pub fn needs(self) -> OwnStatus {
        match self {
            Change::Surfaced
            | Change::ConfirmedInside
            | Change::ConfirmedOutside
            | Change::Restated
            | Change::Promoted
            | Change::Invalidated
            | Change::Doubted => OwnStatus::Active,
            Change::ReconfirmedOutside | Change::ReconfirmedInside => OwnStatus::Invalidated,
            Change::Accepted => OwnStatus::Pending,
        }
    }

    /// Whether it stands for evidence from outside, after which the budget is whole again.
    #[must_use]
    pub fn is_outside(self) -> bool {
        match self {
            Change::ConfirmedOutside
            | Change::Restated
            | Change::Promoted
            | Change::ReconfirmedOutside
            | Change::Accepted => true,
            Change::Surfaced
            | Change::ConfirmedInside
            | Change::Invalidated
            | Change::ReconfirmedInside
            | Change::Doubted => false,
        }
    }

    /// The sort under which it counts once per memory, actor and session.
    #[must_use]
    pub fn counted(self) -> Option<Sort> {
        match self {
            Change::ConfirmedOutside => Some(Sort::Confirmation),
            Change::Restated => Some(Sort::Restatement),
            Change::Doubted => Some(Sort::Doubt),
            Change::Surfaced
            | Change::ConfirmedInside
            | Change::Promoted
            | Change::Invalidated
            | Change::ReconfirmedOutside
            | Change::ReconfirmedInside
            | Change::Accepted => None,
        }
    }

    /// The table's strength in millionths, where the change has one.
    ///
    /// Source: 1.05, 1.5, 2.0 and 0.2 are Zaxy's; 0.8 is ours (`docs/model.md`).
    #[must_use]
    pub fn strength(self) -> Option<Weight> {
        match self {
            Change::Surfaced => Some(Weight(1_050_000)),
            Change::ConfirmedInside | Change::ConfirmedOutside | Change::Restated => {
                Some(Weight(1_500_000))
            }
            Change::Promoted => Some(Weight(2_000_000)),
            Change::Invalidated => Some(Weight(200_000)),
            Change::Doubted => Some(Weight(800_000)),
            Change::ReconfirmedOutside | Change::ReconfirmedInside | Change::Accepted => None,
        }
    }

    /// Whether an event may state `weight` for it: at most 1 for an invalidation and a
    /// doubt, at least 1 for the others, 0.000001 to 10 in all.
    #[must_use]
    pub fn admits(self, weight: Weight) -> bool {
        Weight::new(weight.0).is_some()
            && match self {
                Change::Invalidated | Change::Doubted => weight.0 <= NEUTRAL,
                Change::Surfaced
                | Change::ConfirmedInside
                | Change::ConfirmedOutside
                | Change::Restated
                | Change::Promoted => weight.0 >= NEUTRAL,
                Change::ReconfirmedOutside | Change::ReconfirmedInside | Change::Accepted => false,
            }
    }

    /// The strength in force: the stated one, or the table's; 1 where there is none.
    ///
    /// Total over what may stand in a log: a weight on the wrong side of 1 counts as 1.
    #[must_use]
    pub(crate) fn effective(self, stated: Option<Weight>) -> Weight {
        let Some(table) = self.strength() else { return Weight(NEUTRAL) };
        let weight = stated.unwrap_or(table).0.clamp(1, 10_000_000);
        Weight(if table.0 < NEUTRAL { weight.min(NEUTRAL) } else { weight.max(NEUTRAL) })
    }

    /// The strength in force as a logarithm.
    pub(crate) fn log2(self, stated: Option<Weight>) -> Log2 {
        match (self, stated) {
            // One event surfaces every item of a checkout: no logarithm for each.
            (Change::Surfaced, None) => SURFACED,
            _ => Log2::of_millionths(self.effective(stated).0),
        }
    }

    /// The strength in force as a decimal.
    pub(crate) fn decimal(self, stated: Option<Weight>) -> Decimal {
        Decimal::of_millionths(self.effective(stated).0)
    }
}

const SURFACED: Log2 = Log2::of_millionths(1_050_000);

impl Sort {
    /// The sort as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Sort::Confirmation => 0,
            Sort::Restatement => 1,
            Sort::Doubt => 2,
        }
    }
}
