//! Remarks on items of other machines' ledgers: this ledger says them, and readers of both go by
//! them. Nothing of another ledger is changed.

use memlith_event::{Elsewhere, Key, SaidElsewhere};
use memlith_log::{LedgerId, RecordId, Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

use crate::memory::Memory;

/// A remark of one event on an item of another ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark {
    item: Key,
    /// The event.
    pub by: Seq,
    /// When it was said.
    pub at: Timestamp,
    /// The level of the rank that said it.
    pub rank: u8,
    /// Whether the item is out of sight from then on.
    pub hides: bool,
    /// The record of this ledger that took its place.
    pub successor: Option<RecordId>,
}

impl Memory {
    /// Returns what was said here of an item of another ledger, by sequence.
    pub fn remarks(&self, ledger: LedgerId, id: RecordId) -> impl Iterator<Item = Remark> + '_ {
        let item = key_of(ledger, id);
        self.remarks.range((item, Seq(0))..=(item, Seq::MAX))
    }

    /// Whether anything was said here of items of other ledgers.
    #[must_use]
    pub fn has_remarks(&self) -> bool {
        self.remarks.rows().next().is_some()
    }

    pub(crate) fn fold_elsewhere(
        &mut self,
        by: Seq,
        (at, rank): (Timestamp, u8),
        event: &Elsewhere<'_>,
    ) {
        let (hides, successor) = match event.said {
            SaidElsewhere::Forgotten | SaidElsewhere::Erased => (true, None),
            SaidElsewhere::Restored => (false, None),
            SaidElsewhere::ReplacedBy(id) => (true, Some(id)),
            // The ledger that holds it does it: salience and pins are each ledger's own.
            SaidElsewhere::Confirmed { .. } | SaidElsewhere::Pinned | SaidElsewhere::Unpinned => {
                return;
            }
        };
        let item = key_of(event.ledger, event.id);
        self.remarks.put(Remark { item, by, at, rank, hides, successor });
    }
}

fn key_of(ledger: LedgerId, id: RecordId) -> Key {
    Key::of("elsewhere", &[&ledger.0, &id.seq.0.to_le_bytes(), &id.hash])
}

impl Row for Remark {
    type Key = (Key, Seq);
    const NAME: &'static str = "remarks";
    const WIDTH: usize = Key::WIDTH + 8 + 8 + 2 + 14;

    fn key(&self) -> (Key, Seq) {
        (self.item, self.by)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.item.0);
        out.extend(self.by.0.to_le_bytes());
        out.extend(self.at.0.to_le_bytes());
        out.extend([self.rank, u8::from(self.hides)]);
        let successor = self.successor.unwrap_or_default();
        out.extend(successor.seq.0.to_le_bytes());
        out.extend(successor.hash);
    }

    fn read(fields: &mut Fields<'_>) -> Remark {
        let (item, by) = (Key::read(fields), Seq(fields.u64()));
        let (at, rank, hides) = (Timestamp(fields.i64()), fields.u8(), fields.u8() == 1);
        let successor = RecordId { seq: Seq(fields.u64()), hash: fields.bytes() };
        let successor = Some(successor).filter(|id| *id != RecordId::default());
        Remark { item, by, at, rank, hides, successor }
    }

    fn place(key: &(Key, Seq)) -> Place {
        Place::Even(key.0.place())
    }
}
