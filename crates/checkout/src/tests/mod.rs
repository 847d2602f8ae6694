//! Ledgers without a log, asked.

mod answers;
mod laws;
mod ledger;
mod receipts;

pub(crate) use ledger::Ledger;
