//! The sessions that something was said in last.

use memlith_event::Key;
use memlith_log::Seq;

use crate::Recall;
use crate::item::NONE;

/// The end of a session: its last item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// The item.
    pub seq: Seq,
    /// Its number in the index.
    number: u32,
}

impl Recall {
    /// The ends of all sessions of all cells, the newest first. What is derived is in none.
    ///
    /// Cost: a row of 20 bytes for each session at once, and one of an item for each end that is
    /// asked for.
    pub fn session_ends(&self) -> impl Iterator<Item = SessionEnd> + '_ {
        let mut last: Vec<u32> = self.sessions.rows().map(|session| session.last).collect();
        last.sort_unstable();
        last.into_iter().rev().filter_map(|number| {
            let seq = self.items.get(&number)?.seq;
            Some(SessionEnd { seq, number })
        })
    }

    /// The end of the session of this key in a room.
    ///
    /// Cost: O(log n).
    #[must_use]
    pub fn session_end(&self, room: Key, session: Key) -> Option<SessionEnd> {
        let number = self.sessions.get(&self.session_number(room, session)?)?.last;
        Some(SessionEnd { seq: self.items.get(&number)?.seq, number })
    }

    /// The items of the session with this end, the newest first.
    ///
    /// Cost: a row of the index for each that is asked for.
    pub fn back_from(&self, end: SessionEnd) -> impl Iterator<Item = Seq> + '_ {
        let mut next = end.number;
        std::iter::from_fn(move || {
            let item = self.items.get(&next).filter(|item| item.number != NONE)?;
            next = item.previous;
            Some(item.seq)
        })
    }
}
