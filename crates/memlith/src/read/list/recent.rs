use memlith_event::Key;
use memlith_memory::{Item, Sight};

use crate::caller::Caller;
use crate::error::Error;
use crate::ledger::Ledger;

/// A session by its last items.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecentSession {
    /// Its name.
    pub name: String,
    /// The last items of it that are shown, oldest first; what is derived is not among them.
    pub items: Vec<Item>,
}

impl Ledger {
    /// The sessions that the caller's scope sees, those with the newest items first: at most
    /// `sessions`, each with at most `items` of its items.
    ///
    /// Cost: a row of 20 bytes for each session of the ledger; for each session that is newer
    /// than the last one that is given a row, and a record where it is seen; for each item a row.
    /// It is not the length of the log.
    ///
    /// # Errors
    /// The log's.
    pub fn recent_sessions(
        &self,
        caller: &Caller,
        sessions: usize,
        items: usize,
    ) -> Result<Vec<RecentSession>, Error> {
        let (sight, now) = (Sight::of(&caller.scope), self.instant(caller));
        self.read(|state| {
            let memory = &state.memory;
            let mut met: Vec<Key> = Vec::new();
            let mut found = Vec::new();
            for end in state.recall.session_ends() {
                if found.len() >= sessions {
                    break;
                }
                let Some(last) = memory.item(end.seq).filter(|item| sight.has(item)) else {
                    continue;
                };
                // What a session keeps to itself is filed apart from what it says aloud.
                if met.contains(&last.session) {
                    continue;
                }
                let Some(name) = self.name_of_session(end.seq)? else { continue };
                met.push(last.session);
                let back = state.recall.back_from(end).take(items);
                let is_shown = |item: &Item| {
                    let authority = memory.authority(item.id.seq, now);
                    authority.is_some_and(|authority| authority.is_shown())
                };
                let mut items: Vec<Item> = back
                    .filter_map(|seq| memory.item(seq))
                    .filter(|item| sight.has(item) && is_shown(item))
                    .collect();
                items.reverse();
                found.push(RecentSession { name, items });
            }
            Ok(found)
        })
    }
}
