//! Notes that workers keep to their sessions, and offer.

use memlith::{Caller, Rank, RecordId, Scope, read::OwnStatus};

use super::naive::{Naive, NaiveItem, Place, Who};
use super::play::caller;
use super::verdict::Verdict;

/// How many workers there are, each in a session of its own.
pub(super) const WORKERS: u8 = 2;

/// A worker.
pub(super) fn worker(number: u8) -> Caller {
    let scope = Scope {
        session: Some(format!("w{number}").into()),
        session_only: true,
        ..Scope::tenant("default")
    };
    Caller { scope, ..Caller::new("default", "helper", Rank::Assistant) }
}

/// Returns a caller that sees the item.
pub(super) fn viewer(item: &NaiveItem) -> Caller {
    item.room.map_or_else(|| caller(Who::User), worker)
}

impl Naive {
    /// The note with this text that stands in a worker's room.
    pub(super) fn note(&self, text: &str, room: u8) -> Option<usize> {
        let is_it = |item: &NaiveItem| {
            item.room == Some(room) && item.text == text && item.own == OwnStatus::Active
        };
        self.items.iter().position(is_it)
    }

    /// The notes of all workers.
    pub(super) fn notes(&self) -> Vec<usize> {
        let is_note = |(_, item): &(usize, &NaiveItem)| item.room.is_some();
        self.items.iter().enumerate().filter(is_note).map(|(at, _)| at).collect()
    }

    /// Judges the offer of a note: a claim that says the same to all, and waits.
    pub(super) fn judge_offer(&self, note: usize, time: i64) -> Verdict {
        let Some(item) = self.items.get(note).filter(|_| self.is_eligible(note, time)) else {
            return Verdict::Refused;
        };
        let place = Place { room: None, from: item.from, sources: &[note], waits: true };
        self.judge_said(&item.text, Who::Assistant, place, time)
    }

    /// Takes in the claim that a note became.
    pub(super) fn claim(&mut self, id: RecordId, note: usize, time: i64) {
        let Some(NaiveItem { text, from, .. }) = self.items.get(note).cloned() else { return };
        self.add(id, &text, Who::Assistant, time, Some(note));
        self.settle_new(true, None);
        if let Some(claim) = self.items.last_mut() {
            (claim.derived, claim.from) = (true, from);
        }
    }
}
