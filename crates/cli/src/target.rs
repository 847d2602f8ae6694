use std::str::FromStr;

use anyhow::Result;
use memlith::{Citation, LedgerId, RecordId};

/// An item as the caller names it: by its id, or by a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Id(RecordId),
    Cited(Citation),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        if text.starts_with("memlith://") {
            return text.parse::<Citation>().map(Target::Cited).map_err(|error| error.to_string());
        }
        text.parse::<RecordId>().map(Target::Id).map_err(|error| error.to_string())
    }
}

impl Target {
    /// The item's id in `ledger`.
    ///
    /// # Errors
    /// The citation is of another ledger.
    pub(crate) fn within(self, ledger: LedgerId) -> Result<RecordId> {
        match self {
            Target::Id(id) => Ok(id),
            Target::Cited(citation) if citation.ledger == ledger => Ok(citation.id),
            Target::Cited(citation) => Err(crate::exit::refused(format!(
                "{citation} is of another ledger; this one is {ledger}"
            ))),
        }
    }

    /// The ids of all `targets` in `ledger`.
    ///
    /// # Errors
    /// Those of [`Target::within`].
    pub(crate) fn all_within(targets: &[Target], ledger: LedgerId) -> Result<Vec<RecordId>> {
        targets.iter().map(|target| target.within(ledger)).collect()
    }
}
