use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

/// A typed reference from an event to an earlier record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The meaning of the reference.
    pub kind: LinkKind,
    /// The record referred to.
    pub target: RecordId,
}

/// Meaning of a [`Link`]. Only `rests_on` cascades; a taint follows all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// The item is true only as long as its target is.
    RestsOn,
    /// The item takes its target's place from its own valid_from on.
    Supersedes,
    /// The item replaces its target, which was wrong from the start.
    Corrects,
    /// The target was weighed in a decision.
    Considered,
    /// The event is about its target.
    About,
    /// The target is the checkout that showed what led to the item.
    ShownIn,
}
