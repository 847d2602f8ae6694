//! Remarks on items of other machines' ledgers: this ledger says them, readers of both go by them,
//! and the ledger that holds the item does what they ask for. Nothing of another ledger is changed.

use memlith_event::{Elsewhere, Envelope, IdempotencyKey, Key, SaidElsewhere};
use memlith_log::{LedgerId, RecordId, Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

use crate::memory::Memory;

/// A remark of one event on an item of another ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The ledger that holds the item.
    pub ledger: LedgerId,
    /// The item.
    pub id: RecordId,
    /// The event.
    pub by: Seq,
    /// When it was said.
    pub at: Timestamp,
    /// The level of the rank that said it.
    pub rank: u8,
    /// Remark on the item.
    pub said: SaidElsewhere,
    /// The key under which the ledger that holds the item files what it does for the remark.
    done: Key,
}

impl Remark {
    /// The key of what the ledger that holds the item does for the remark of the record `by`: it does
    /// it once.
    #[must_use]
    pub fn key(by: RecordId, said: &Elsewhere<'_>) -> IdempotencyKey {
        let (by, of, id) = (by.to_string(), said.ledger.to_string(), said.id.to_string());
        IdempotencyKey::of(&["elsewhere", &by, &of, &id])
    }

    /// Whether the item is out of sight from then on; `None` of a remark that is about nothing such.
    #[must_use]
    pub fn hides(&self) -> Option<bool> {
        match self.said {
            SaidElsewhere::Forgotten | SaidElsewhere::Erased | SaidElsewhere::ReplacedBy(_) => {
                Some(true)
            }
            SaidElsewhere::Restored => Some(false),
            SaidElsewhere::Confirmed { .. }
            | SaidElsewhere::Pinned
            | SaidElsewhere::Unpinned
            | SaidElsewhere::Declined => None,
        }
    }
}

impl Memory {
    /// Returns what was said here of an item of another ledger, by sequence.
    pub fn remarks(&self, ledger: LedgerId, id: RecordId) -> impl Iterator<Item = Remark> + '_ {
        let item = key_of(ledger, id);
        self.remarks.range((item, Seq(0))..=(item, Seq::MAX))
    }

    /// Returns what was said here of items of other ledgers, in no order of meaning.
    pub fn all_remarks(&self) -> impl Iterator<Item = Remark> + '_ {
        self.remarks.rows()
    }

    /// Whether this ledger, which holds the item, did or declined what a remark of another one asks for.
    #[must_use]
    pub fn has_done(&self, remark: &Remark) -> bool {
        !self.keys.list(&remark.done).is_empty()
    }

    pub(crate) fn fold_elsewhere(
        &mut self,
        by: RecordId,
        (envelope, cell): (&Envelope<'_>, Key),
        event: &Elsewhere<'_>,
    ) {
        let Elsewhere { ledger, id, said, .. } = *event;
        let (at, rank) = (envelope.occurred_at, envelope.actor.rank.level());
        let done = Remark::key(by, event).for_actor_in(cell, &envelope.actor);
        self.remarks.put(Remark { ledger, id, by: by.seq, at, rank, said, done });
    }
}

fn key_of(ledger: LedgerId, id: RecordId) -> Key {
    Key::of("elsewhere", &[&ledger.0, &id.seq.0.to_le_bytes(), &id.hash])
}

/// Remarks by code, but for [`SaidElsewhere::ReplacedBy`], which is [`REPLACED`].
const CODES: [SaidElsewhere; 8] = [
    SaidElsewhere::Forgotten,
    SaidElsewhere::Restored,
    SaidElsewhere::Erased,
    SaidElsewhere::Confirmed { verified: false },
    SaidElsewhere::Confirmed { verified: true },
    SaidElsewhere::Pinned,
    SaidElsewhere::Unpinned,
    SaidElsewhere::Declined,
];
const REPLACED: u8 = 8;

pub(crate) fn write_id(id: RecordId, out: &mut Vec<u8>) {
    out.extend(id.seq.0.to_le_bytes());
    out.extend(id.hash);
}

pub(crate) fn read_id(fields: &mut Fields<'_>) -> RecordId {
    RecordId { seq: Seq(fields.u64()), hash: fields.bytes() }
}

impl Row for Remark {
    type Key = (Key, Seq);
    const NAME: &'static str = "remarks";
    const WIDTH: usize = 16 + 14 + 8 + 8 + 2 + 14 + Key::WIDTH;

    fn key(&self) -> (Key, Seq) {
        (key_of(self.ledger, self.id), self.by)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.ledger.0);
        write_id(self.id, out);
        out.extend(self.by.0.to_le_bytes());
        out.extend(self.at.0.to_le_bytes());
        let code = CODES.iter().position(|known| *known == self.said);
        let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(REPLACED);
        let named = match self.said {
            SaidElsewhere::ReplacedBy(id) => id,
            SaidElsewhere::Forgotten
            | SaidElsewhere::Restored
            | SaidElsewhere::Erased
            | SaidElsewhere::Confirmed { .. }
            | SaidElsewhere::Pinned
            | SaidElsewhere::Unpinned
            | SaidElsewhere::Declined => RecordId::default(),
        };
        out.extend([self.rank, code]);
        write_id(named, out);
        out.extend(self.done.0);
    }

    fn read(fields: &mut Fields<'_>) -> Remark {
        let (ledger, id) = (LedgerId(fields.bytes()), read_id(fields));
        let (by, at) = (Seq(fields.u64()), Timestamp(fields.i64()));
        let (rank, code, named) = (fields.u8(), fields.u8(), read_id(fields));
        let said = CODES.get(usize::from(code)).copied();
        let said = said.unwrap_or(SaidElsewhere::ReplacedBy(named));
        Remark { ledger, id, by, at, rank, said, done: Key::read(fields) }
    }

    fn place(key: &(Key, Seq)) -> Place {
        Place::Even(key.0.place())
    }
}
