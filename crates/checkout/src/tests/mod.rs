//! Ledgers without a log, asked.

mod answers;
mod laws;
mod ledger;
mod purposes;
mod receipts;
