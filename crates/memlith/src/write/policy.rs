//! Policies: what holds for the whole ledger.

use std::collections::BTreeMap;

use memlith_event::{PolicyEvent, RoleGiven, SaliencePolicy, TrustPolicy, WritePolicy};
use memlith_log::Seq;
use memlith_memory::Command;

use crate::caller::Caller;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::write::command::Written;

/// The policies of salience, trust and writes.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    pub(crate) ledger: &'a Ledger,
}

impl Ledger {
    /// The policies of salience, trust and writes.
    #[must_use]
    pub fn policy(&self) -> Policy<'_> {
        Policy { ledger: self }
    }
}

impl Policy<'_> {
    /// Chooses how events move salience, for the whole ledger and the whole of its past.
    ///
    /// Durable when it returns. Folds the log again, from its first record. A checkpoint follows, where one can be
    /// written, so that others need not.
    ///
    /// Cost: a full replay, some 20 s for a gigabyte, under no lock.
    ///
    /// # Errors
    /// [`Error::Rejected`] for anybody but the owner, and the log's.
    pub fn choose_salience(
        &self,
        caller: &Caller,
        policy: SaliencePolicy,
    ) -> Result<Written, Error> {
        let event = PolicyEvent::SalienceChosen(policy);
        let written = self.ledger.command(caller, &Command::Choose(event), BTreeMap::new())?;
        if let Err(error) = self.ledger.checkpoints().write() {
            // The choice stands without it: a checkpoint is derived state.
            tracing::warn!(%error, "no checkpoint follows the choice of a policy");
        }
        Ok(written)
    }

    /// Chooses how far sources are trusted: which writes wait for review from here on, and
    /// what is shown. Nothing is folded again.
    ///
    /// Durable when it returns.
    ///
    /// # Errors
    /// [`Error::Rejected`] for anybody but the owner, and the log's.
    pub fn choose_trust(&self, caller: &Caller, policy: TrustPolicy) -> Result<Written, Error> {
        let event = PolicyEvent::TrustChosen(policy);
        self.ledger.command(caller, &Command::Choose(event), BTreeMap::new())
    }

    /// Chooses how writes are compared with what is remembered, for every surface: the grammar,
    /// likeness and its thresholds, novelty. A call or a handle that names its own way keeps it;
    /// what was decided before stays. Secrets are taken out under every policy.
    ///
    /// Durable when it returns.
    ///
    /// ```
    /// # use memlith::{Caller, Ledger, Options, Rank, write::WritePolicy};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;
    /// let owner = Caller::new("default", "owner", Rank::Owner);
    /// let policy = WritePolicy { only_new: true, ..WritePolicy::default() };
    /// let chosen = ledger.policy().choose_writes(&owner, policy)?;
    /// assert!(chosen.is_in_force());
    /// # Ok::<(), memlith::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Rejected`] for anybody but the owner and for thresholds that don't descend, and
    /// the log's.
    pub fn choose_writes(&self, caller: &Caller, policy: WritePolicy) -> Result<Written, Error> {
        let event = PolicyEvent::WritesChosen(policy);
        self.ledger.command(caller, &Command::Choose(event), BTreeMap::new())
    }

    /// Gives the key of a node a role, from here on: nodes of a shared ledger take from it what
    /// that allows. Without a shared log it changes nothing.
    ///
    /// Durable when it returns.
    ///
    /// # Errors
    /// [`Error::Rejected`] for anybody but the owner, and the log's.
    pub fn give_role(&self, caller: &Caller, given: RoleGiven<'static>) -> Result<Written, Error> {
        let event = PolicyEvent::RoleGiven(given);
        self.ledger.command(caller, &Command::Choose(event), BTreeMap::new())
    }

    /// The policy of writes in force, and the record that chose it.
    ///
    /// # Errors
    /// The log's.
    pub fn writes(&self) -> Result<(WritePolicy, Option<Seq>), Error> {
        self.ledger.read(|state| Ok(state.memory.write_policy()))
    }

    /// The policy of trust in force, and the record that chose it.
    ///
    /// # Errors
    /// The log's.
    pub fn trust(&self) -> Result<(TrustPolicy, Option<Seq>), Error> {
        self.ledger.read(|state| Ok(state.memory.trust_policy()))
    }

    /// The policy of salience in force, and the record that chose it.
    ///
    /// # Errors
    /// The log's.
    pub fn salience(&self) -> Result<(SaliencePolicy, Option<Seq>), Error> {
        self.ledger.read(|state| Ok(state.memory.salience_policy()))
    }
}
