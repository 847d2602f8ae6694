//! Ledgers without a log, asked.

mod answers;
mod evident;
mod hints;
mod knowing;
mod laws;
pub(crate) mod ledger;
mod purposes;
mod receipts;
mod stable;
mod tellers;
