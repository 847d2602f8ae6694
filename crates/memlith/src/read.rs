//! Reads: questions and their answers, items from every side, and lists of them.

pub(crate) mod answer;
pub(crate) mod beside;
pub(crate) mod blend;
pub(crate) mod bodies;
pub(crate) mod checkout;
pub(crate) mod cursor;
pub(crate) mod ended;
pub(crate) mod get;
pub(crate) mod influence;
pub(crate) mod inspect;
pub(crate) mod inspect_json;
pub(crate) mod list;
pub(crate) mod named;
pub(crate) mod record_json;
pub(crate) mod reference;
pub(crate) mod show;
pub(crate) mod walk;

pub use self::blend::Blend;
pub use memlith_checkout::{
    AskedOf, Error as RequestError, Evidence, Excerpt, Excluded, Former, Hinted, Knowledge,
    Learned, Noted, Novelty, Prompt, PromptLine, QuarterBytes, Statement, TokenCounter, Verdict,
    Why, inert, newer_of,
};
pub use memlith_event::{
    CheckoutId, HINT_NAMES, LeftOut, LeftOutReason, Receipt, ReceiptItem, UnknownPurpose,
};
pub use memlith_memory::Tally;
pub use memlith_recall::{Signals, WEIGHTS, is_stop_word};

pub use self::cursor::{Cursor, CursorError, List, ListOf};
pub use self::ended::{Ended, EndedHow};
pub use self::get::{SlotValue, Wanted};
pub use self::influence::Tainted;
pub use self::inspect::{End, EndReason, Inspected, InspectedItem, Past, Reason};
pub use self::list::{
    Listed, ListedItem, ListedSession, Listing, RecentSession, Sessions as SessionPage,
};
pub use self::reference::{IdPrefix, ParseReferenceError, Reference};
pub use self::show::{Explained, Shown, Traced};
pub use self::walk::{Walked, WalkedItem};
pub use memlith_event::{
    Key, OwnStatus, ParseCitationError, ParseOriginError, ParseRankError, Tier,
};
pub use memlith_log::{ParseIdError, ParseTimestampError};
pub use memlith_memory::{Assertion, Item, ItemFlags};
pub use memlith_salience::{
    Act, Change as SalienceChange, Decimal, Effect, Explanation, Leg, Log2, Multiplier,
    Order as SalienceOrder, Sort, Step, Unmoved,
};
