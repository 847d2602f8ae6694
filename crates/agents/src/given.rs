use memlith::{Caller, Error, Ledger, RecordId};

use crate::tree::Tree;

/// Text that a model is given, and what it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// The text; empty where there is nothing to give.
    pub text: String,
    /// The items in it, and those that they stand in the place of.
    pub shown: Vec<RecordId>,
}

/// The bytes of a token.
const TOKEN_BYTES: usize = 4;

impl Given {
    /// Gives what `tell` gives within `budget_tokens`, and behind it what became of the files that
    /// it speaks of; where both don't fit, it is told within less.
    pub(crate) fn with_files(
        (ledger, caller): (&Ledger, &Caller),
        tree: &Tree,
        budget_tokens: u32,
        tell: &dyn Fn(u32) -> Result<Given, Error>,
    ) -> Result<Given, Error> {
        let whole = tell(budget_tokens)?;
        let since = tree.since(ledger, caller, &whole.shown)?;
        let room = (budget_tokens as usize).saturating_mul(TOKEN_BYTES);
        if since.is_empty() || whole.text.len().saturating_add(since.len()) <= room {
            return Ok(Given { text: whole.text + &since, ..whole });
        }
        let tokens = u32::try_from(since.len().div_ceil(TOKEN_BYTES)).unwrap_or(u32::MAX);
        if tokens >= budget_tokens {
            return Ok(whole);
        }
        let less = tell(budget_tokens - tokens)?;
        Ok(Given { text: less.text + &since, ..less })
    }
}
