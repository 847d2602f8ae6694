use memlith_event::{Key, OwnStatus, Tier};
use memlith_log::{Digest, RecordId, Seq};
use memlith_memory::Authority;
use memlith_salience::Log2;

/// What the planner has to know of one record of the log; its words come from [`Bodies`].
///
/// [`Bodies`]: crate::Bodies
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it stands in the log.
    pub seq: Seq,
    /// Its record hash.
    pub hash: Digest,
    /// What sort of record it is.
    pub sort: Sort,
    /// Tenant, agent and subject.
    pub cell: Key,
    /// Its session within the cell.
    pub session: Option<Key>,
    /// Whether only queries of its session see it.
    pub session_only: bool,
    /// What was decided about it, at the view's sequence.
    pub own: OwnStatus,
    /// What its sources and time made of it, at the view's sequence.
    pub label: Authority,
    /// Whether it was made from other items.
    pub derived: bool,
    /// How far its source is trusted.
    pub tier: Tier,
    /// k, its level of salience: see [`Log2`].
    pub level: Log2,
}

/// What an entry of the log is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// What happened.
    Record,
    /// What is asserted.
    Memory,
    /// What the engine notes for itself: receipts, confirmations, decisions, pins, seals.
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
