//! Questions and their answers: why an item was shown, how much an answer rests on, receipts.

pub use crate::blend::Blend;
pub use memlith_checkout::{
    AskedOf, Error as RequestError, Evidence, Excerpt, Excluded, Former, Hinted, Knowledge,
    Learned, Noted, Novelty, Prompt, PromptLine, QuarterBytes, Statement, TokenCounter, Verdict,
    Why, inert, newer_of,
};
pub use memlith_event::{
    CheckoutId, HINT_NAMES, LeftOut, LeftOutReason, Receipt, ReceiptItem, UnknownPurpose,
};
pub use memlith_memory::Tally;
pub use memlith_recall::{Signals, WEIGHTS};
