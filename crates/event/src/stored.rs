use memlith_log::{RecordId, Seq, Timestamp};

use crate::{Body, Kind};

/// One record as a fold sees it.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    /// Its id.
    pub id: RecordId,
    /// When the ledger learned it.
    pub recorded_at: Timestamp,
    /// The content of the record, as a fold needs it.
    pub content: Content<'a>,
}

/// Content of a record, as a fold reads it.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// An event of the vocabulary.
    Event(Box<Body<'a>>),
    /// A record whose body was erased, or will be when the erasure is finished.
    Erased(Kind),
    /// A record of the log's own, or of a kind unknown here: folds to nothing.
    Other,
}

impl Stored<'_> {
    /// Its position.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.id.seq
    }
}
