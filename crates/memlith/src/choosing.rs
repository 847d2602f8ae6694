//! Policies: what holds for the whole ledger.

use std::collections::BTreeMap;

use memlith_event::SaliencePolicy;
use memlith_log::Seq;
use memlith_memory::Command;

use crate::caller::Caller;
use crate::commands::Written;
use crate::error::Error;
use crate::ledger::Ledger;

impl Ledger {
    /// Chooses how events move salience, for the whole ledger and the whole of its past.
    ///
    /// Durable when it returns. Folds the log again, from its first record. A checkpoint follows, where one can be
    /// written, so that others need not.
    ///
    /// Cost: a full replay, some 20 s for a gigabyte, under no lock.
    ///
    /// # Errors
    /// [`Error::Rejected`] for anybody but the owner, and the log's.
    pub fn choose(&self, caller: &Caller, policy: SaliencePolicy) -> Result<Written, Error> {
        let written = self.command(caller, &Command::Choose(policy), BTreeMap::new())?;
        if let Err(error) = self.checkpoint() {
            // The choice stands without it: a checkpoint is derived state.
            tracing::warn!(%error, "no checkpoint follows the choice of a policy");
        }
        Ok(written)
    }

    /// The policy of salience in force, and the record that chose it.
    ///
    /// # Errors
    /// The log's.
    pub fn salience_policy(&self) -> Result<(SaliencePolicy, Option<Seq>), Error> {
        self.answered(|| self.snapshot(), |state| Ok(state.memory.salience_policy()))
    }
}
