//! Ledgers without a log, asked.

mod answerable;
mod answers;
mod knowing;
mod laws;
mod ledger;
mod purposes;
mod receipts;
mod stable;
