//! The folder as a whole: its files byte for byte, its laws, the lint, the disk.

#![cfg(test)]

mod disk;
mod golden;
mod laws;
mod ledger;
mod linting;
mod notice;
mod sample;
