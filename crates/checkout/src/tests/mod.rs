//! Ledgers without a log, asked.

mod answerable;
mod answers;
mod laws;
mod ledger;
mod purposes;
mod receipts;
mod stable;
