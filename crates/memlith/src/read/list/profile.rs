use memlith_event::{Origin, Scope};
use memlith_memory::{Item, ItemFlags};

use super::{Filter, ListedItem, Listing, Rows};
use crate::caller::Caller;
use crate::error::Error;
use crate::ledger::Ledger;

/// A profile is chosen from so many memories, the newest.
const CHOSEN_FROM: usize = 256;

impl Ledger {
    /// Lists what is known of the person that the caller's scope is of, in every project: what they
    /// said themselves, and what was accepted; what is pinned is told of anyway, and left out. The
    /// most salient first, at most `limit`, of the newest 256.
    ///
    /// Cost: a row for each memory from the newest back to the last that is looked at, and a
    /// record for each that is given.
    ///
    /// # Errors
    /// The log's.
    pub fn profile(&self, caller: &Caller, limit: usize) -> Result<Vec<ListedItem>, Error> {
        let own = Scope { subject: None, session: None, ..caller.scope.clone() };
        let (cell, caller) = (own.cell(), &Caller { scope: own, ..caller.clone() });
        let (listing, now) = (Listing::default(), self.instant(caller));
        self.read(|state| {
            let end = state.next.0;
            let is_shown = |item: &Item| {
                let authority = state.memory.authority(item.id.seq, now);
                authority.is_some_and(|authority| authority.is_shown())
            };
            let mut told: Vec<Item> = Rows::Memories
                .walk(&state.memory, 0..end, false)
                .filter(|item| item.cell == cell && is_theirs(item) && is_shown(item))
                .take(CHOSEN_FROM)
                .collect();
            told.sort_by_cached_key(|item| {
                let level = state.salience.level(item.id.seq, item.occurred_at, now);
                level.order(item.id.seq)
            });
            told.truncate(limit);
            let filter = Filter::of(state, caller, &listing, now);
            let listed = told.into_iter().map(|item| self.listed(state, &filter, item));
            listed.filter_map(Result::transpose).collect()
        })
    }
}

/// Whether a person said it, or accepted it.
fn is_theirs(item: &Item) -> bool {
    let said = item.origin == Origin::User && !item.is_derived();
    (said || item.flags.has(ItemFlags::ACCEPTED)) && !item.is_pinned()
}
