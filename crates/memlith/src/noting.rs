//! What a text adds to what is remembered.

use std::collections::BTreeMap;

use memlith_checkout::{Ask, Novelty};

use crate::bodies::LogBodies;
use crate::caller::Caller;
use crate::commands::clean;
use crate::error::Error;
use crate::ledger::Ledger;

impl Ledger {
    /// What `text` adds to the memories that the caller sees: by the index and the words of
    /// at most eight of them. Nothing is written.
    ///
    /// # Errors
    /// [`Error::Request`] for an empty or endless text, and the log's.
    pub fn novelty(&self, caller: &Caller, text: &str) -> Result<Novelty, Error> {
        let text = clean(text.to_owned(), &mut BTreeMap::new());
        let ask = Ask { query: &text, scope: &caller.scope, now: self.instant(caller) };
        self.answered(
            || self.snapshot(),
            |state| {
                let bodies = LogBodies::of(self);
                let novelty = memlith_checkout::novelty(&self.view(state, &bodies), &ask)?;
                bodies.finish()?;
                Ok(novelty)
            },
        )
    }
}
