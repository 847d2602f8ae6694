use memlith_log::{RecordId, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Slot, Text, Weighing};

/// Event of the reconciler on a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconcileEvent<'a> {
    /// A write was compared with what exists, and its outcome decided.
    Decided(#[serde(borrow)] Decided<'a>),
}

/// A decision with all that it rests on, so that a replay decides nothing again.
///
/// It is written before the memory it admits, in one batch with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided<'a> {
    /// The words of a write that made no row of its own; empty where a row follows.
    #[serde(borrow)]
    pub text: Text<'a>,
    /// The slot of such a write.
    pub slot: Option<Slot<'a>>,
    /// The rows that were weighed, ascending.
    pub candidates: Vec<Candidate>,
    /// The embedding model, where a cosine was weighed, and the version of the grammar, where
    /// that gave the slot.
    pub model: Option<Text<'a>>,
    /// The decision.
    pub outcome: Outcome,
    /// The ends that the decision sets, ascending by row.
    pub closings: Vec<Closing>,
    /// Pending rows that the write makes moot, ascending.
    pub settled: Vec<RecordId>,
    /// By what likeness it was weighed; `None` where by none.
    pub weighing: Option<Box<Weighing<'a>>>,
}

/// One row ends where another begins.
///
/// The end is written down with the decision, not derived from the other row: that
/// one's body can be erased, and the end has to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Closing {
    /// The row that ends. It may be the one that follows the decision.
    pub row: Seq,
    /// The row that begins there. It may be the one that follows the decision.
    pub by: Seq,
    /// The first instant at which `row` no longer holds.
    pub at: Timestamp,
}

/// A row that a write was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The row.
    pub id: RecordId,
    /// In what it is like the write.
    pub matched: Match,
}

/// In what a candidate is like a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Equal normalised texts.
    Text,
    /// Equal slot and equal value.
    SlotValue,
    /// Equal slot, another value.
    Slot,
    /// Other words that mean much the same.
    Likeness,
}

/// Decision of the reconciler on a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A new row that displaces nothing.
    Added,
    /// No new row: it says what this row says.
    Restated(RecordId),
    /// A justification that makes this stale row stand again.
    Revived(RecordId),
    /// A new row that closes these.
    Superseded(Vec<RecordId>),
    /// A new row that takes this one's place in the past as well.
    Corrected(RecordId),
    /// A new row that waits for review, because it would displace these, which are now disputed.
    Proposed(Vec<RecordId>),
    /// No new row: an invalidation by one below the guard of these, which are now disputed.
    Disputed(Vec<RecordId>),
    /// An invalidated row that was said again by one who may: reconfirmed.
    Reopened(RecordId),
    /// No new row: an arbiter thought it not worth one.
    Skipped,
    /// No new row: this one holds, and what contradicted it is closed.
    Settled(RecordId),
}

impl Decided<'_> {
    /// The rows that the new row stands beside and contradicts, ascending.
    #[must_use]
    pub fn contests(&self) -> &[RecordId] {
        self.weighing.as_ref().map_or(&[], |weighing| &weighing.contests)
    }
}
