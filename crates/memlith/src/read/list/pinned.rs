use memlith_memory::Sight;

use super::{Filter, ListedItem, Listing};
use crate::caller::Caller;
use crate::error::Error;
use crate::ledger::Ledger;

impl Ledger {
    /// Lists the items pinned in the caller's scope and shown there, in the order written.
    ///
    /// Cost: a row and a record for each; the number of other items is of no matter.
    ///
    /// # Errors
    /// The log's.
    pub fn pinned(&self, caller: &Caller) -> Result<Vec<ListedItem>, Error> {
        let listing = Listing::default();
        self.read(|state| {
            let filter = Filter::of(state, caller, &listing, self.instant(caller));
            let mut pinned = Vec::new();
            for item in state.memory.pinned(&Sight::of(&caller.scope)) {
                let listed = self.listed(state, &filter, item)?;
                pinned.extend(listed.filter(|one| one.authority.is_shown()));
            }
            Ok(pinned)
        })
    }
}
