//! Ledgers without a log, asked.

mod answerable;
mod answers;
mod hints;
mod knowing;
mod laws;
pub(crate) mod ledger;
mod purposes;
mod receipts;
mod stable;
