use std::convert::Infallible;
use std::str::FromStr;

use anyhow::Result;
use memlith::{Caller, Ledger, RecordId};

/// A record as the caller names it; the ledger says which one that is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
pub(crate) struct Target(String);

impl FromStr for Target {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Target, Infallible> {
        Ok(Target(text.to_owned()))
    }
}

impl Target {
    /// The record that these words name.
    #[cfg(feature = "schema")]
    pub(crate) fn of(words: &str) -> Target {
        Target(words.to_owned())
    }

    /// Whether the caller wrote this word.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.0 == word
    }

    /// The id that it states, of whichever ledger.
    pub(crate) fn whole(&self) -> Option<RecordId> {
        self.0.parse().ok()
    }

    /// The record's id in `ledger`.
    ///
    /// # Errors
    /// It names none, or one of another ledger.
    pub(crate) fn within(&self, ledger: &Ledger, caller: &Caller) -> Result<RecordId> {
        Ok(ledger.resolve(caller, &self.0)?)
    }

    /// The ledger that holds the record, `ledger` or a copy beside it, and its id there.
    ///
    /// # Errors
    /// Those of [`Target::within`].
    pub(crate) fn found(&self, ledger: &Ledger, caller: &Caller) -> Result<(Ledger, RecordId)> {
        Ok(ledger.find(caller, &self.0)?)
    }

    /// The ids of all `targets` in `ledger`.
    ///
    /// # Errors
    /// Those of [`Target::within`].
    pub(crate) fn all_within(
        targets: &[Target],
        ledger: &Ledger,
        caller: &Caller,
    ) -> Result<Vec<RecordId>> {
        targets.iter().map(|target| target.within(ledger, caller)).collect()
    }
}
