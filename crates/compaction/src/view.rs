use std::borrow::Cow;
use std::collections::BTreeSet;

use memlith_event::Key;
use memlith_log::{RecordId, Seq};

use crate::{Item, SummaryId};

/// The items of a ledger as they stand at one sequence, to be planned from.
///
/// Items and ends may come in any order. All items of a cell have to be there from its
/// first on, of whatever status: spans are counted off from there.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The last sequence that is seen.
    pub seq: Seq,
    /// The items up to and with it.
    pub items: &'a [Item],
    /// The ends of sessions up to and with it.
    pub ends: &'a [SessionEnd],
    /// The summaries that were written, and stand.
    pub written: &'a BTreeSet<SummaryId>,
}

/// The end of a session. One that goes on all the same begins a new span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionEnd {
    /// The session within its cell.
    pub session: Key,
    /// Where its end stands in the log.
    pub at: Seq,
}

/// The words of items.
pub trait Bodies {
    /// Reads the words of an item, or `None` where it can't be read.
    ///
    /// Asked of the possible sources of one closed span after the other, and once more of
    /// those of the spans that are to be summarised.
    fn read(&self, id: RecordId) -> Option<Words<'_>>;
}

/// The words of an item.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Words<'a> {
    /// Its text, as an excerpt of it is cut.
    pub text: Cow<'a, str>,
    /// The entity of its slot.
    pub entity: Option<Cow<'a, str>>,
}
