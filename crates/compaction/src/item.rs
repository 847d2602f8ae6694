use memlith_event::{Key, OwnStatus, Tier};
use memlith_log::{Digest, RecordId, Seq};
use memlith_memory::Authority;
use memlith_salience::Log2;

/// One record of the log as the planner knows it; its words come from [`Bodies`].
///
/// [`Bodies`]: crate::Bodies
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it stands in the log.
    pub seq: Seq,
    /// Its record hash.
    pub hash: Digest,
    /// The sort of record it is.
    pub sort: Sort,
    /// Tenant, agent and subject.
    pub cell: Key,
    /// Its session within the cell.
    pub session: Option<Key>,
    /// Whether only queries of its session see it.
    pub session_only: bool,
    /// The decisions about it, at the view's sequence.
    pub own: OwnStatus,
    /// The authority that its sources and time gave it, at the view's sequence.
    pub label: Authority,
    /// Whether it was made from other items.
    pub derived: bool,
    /// How far its source is trusted.
    pub tier: Tier,
    /// k, its level of salience: see [`Log2`].
    pub level: Log2,
}

/// The sort of an entry of the log, to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A record of what happened.
    Record,
    /// A memory of what is asserted.
    Memory,
    /// A note of the engine for itself: receipts, confirmations, decisions, pins, seals.
    Bookkeeping,
}

impl Item {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RecordId {
        RecordId::new(self.seq, &self.hash)
    }

    /// Whether it is one of the items that spans are made of: neither bookkeeping nor
    /// derived. Fixed when it is written, so that what is decided later cuts no other spans.
    #[must_use]
    pub fn is_primary(&self) -> bool {
        self.sort != Sort::Bookkeeping && !self.derived
    }
}
