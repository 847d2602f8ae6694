//! Items: what a memory or a record is, how it came about, and lists of them.

pub use crate::cursor::{Cursor, CursorError, List, ListOf};
pub use crate::getting::{SlotValue, Wanted};
pub use crate::inspect::{Explained, Shown, Traced};
pub use crate::inspected::{End, EndReason, Inspected, InspectedItem, Past, Reason};
pub use crate::listing::{
    Listed, ListedItem, ListedSession, Listing, RecentSession, Sessions as SessionPage,
};
pub use crate::reference::{IdPrefix, ParseReferenceError, Reference};
pub use crate::tainting::Tainted;
pub use crate::walking::{Walked, WalkedItem};
pub use memlith_event::{
    Key, OwnStatus, ParseCitationError, ParseOriginError, ParseRankError, Tier,
};
pub use memlith_log::{ParseIdError, ParseTimestampError};
pub use memlith_memory::{Assertion, Item, ItemFlags};
pub use memlith_salience::{
    Act, Change as SalienceChange, Decimal, Effect, Explanation, Leg, Log2, Multiplier,
    Order as SalienceOrder, Sort, Step, Unmoved,
};
