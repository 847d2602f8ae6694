use memlith_event::{Body, Closing, Decided, Event, Outcome, OwnStatus, ReconcileEvent};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_state::{Fields, Row};

use crate::command::Door;
use crate::item::Item;
use crate::memory::Memory;
use crate::reconcile::blank;

/// A memory stands beside one that contradicts it; each has a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contest {
    pub(crate) memory: Seq,
    pub(crate) with: Seq,
}

impl Row for Contest {
    type Key = (Seq, Seq);
    const NAME: &'static str = "contests";
    const WIDTH: usize = 16;

    fn key(&self) -> (Seq, Seq) {
        (self.memory, self.with)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.memory.0.to_le_bytes());
        out.extend(self.with.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Contest {
        Contest { memory: Seq(fields.u64()), with: Seq(fields.u64()) }
    }
}

impl Memory {
    /// The memories that contradict the one at `seq` and stand at `now` as it might,
    /// ascending: one that was taken out, has ended or has not begun contests nothing.
    pub fn contested_with(&self, seq: Seq, now: Timestamp) -> impl Iterator<Item = RecordId> + '_ {
        let contests = self.contests.range((seq, Seq(0))..=(seq, Seq::MAX));
        contests.filter_map(move |contest| {
            let item = self.items.get(&contest.with)?;
            self.stands(&item, now).then_some(item.id)
        })
    }

    /// Whether the memory at `seq` was contradicted by one that is erased: when they stood beside
    /// each other nobody can tell any more.
    #[must_use]
    pub fn contested_with_erased(&self, seq: Seq) -> bool {
        let mut contests = self.contests.range((seq, Seq(0))..=(seq, Seq::MAX));
        contests.any(|contest| {
            self.items.get(&contest.with).is_some_and(|item| item.own == OwnStatus::Erased)
        })
    }

    pub(crate) fn put_contest(&mut self, newcomer: Seq, with: Seq) {
        if newcomer != with {
            self.contests.put(Contest { memory: newcomer, with });
            self.contests.put(Contest { memory: with, with: newcomer });
        }
    }

    /// A person's word for some of `items` ends what contests them, as far as that is
    /// guarded by no more than the person's rank: a decision for each that is contested.
    pub(crate) fn settlements(&self, items: &[Item], door: &Door) -> Vec<Body<'static>> {
        let among = |id: RecordId| items.iter().any(|item| item.id == id);
        let ends = |id: &RecordId| {
            let guard = self.items.get(&id.seq).map_or(u8::MAX, |item| item.guard);
            !among(*id) && guard <= door.actor.rank.level()
        };
        let settled = items.iter().filter_map(|item| {
            let against: Vec<RecordId> =
                self.contested_with(item.id.seq, door.now).filter(ends).collect();
            if against.is_empty() {
                return None;
            }
            let end =
                |id: &RecordId| Closing { row: id.seq, by: item.id.seq, at: door.occurred_at };
            let decided = Decided {
                outcome: Outcome::Settled(item.id),
                closings: against.iter().map(end).collect(),
                ..blank(&[])
            };
            let mut envelope = door.envelope(Vec::new());
            envelope.key = None;
            Some(Body { envelope, event: Event::Reconcile(ReconcileEvent::Decided(decided)) })
        });
        settled.collect()
    }

    fn stands(&self, item: &Item, now: Timestamp) -> bool {
        let assertion = self.assertions.get(&item.id.seq);
        let holds = |row: crate::Assertion| row.valid_from <= now && self.is_open(&row, now);
        item.own == OwnStatus::Active && !item.is_stale() && assertion.is_some_and(holds)
    }
}
