//! Promises of a search, over whole ledgers.

#![cfg(test)]

mod alike;
mod folding;
mod ledger;
mod meaning;
mod neighbours;
mod scopes;
mod signals;
mod texts;
mod vectors;
