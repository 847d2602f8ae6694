//! The built bench, as a user and a script meet it.

#![cfg(test)]

mod documented;
mod harness;
#[path = "../../../../crates/cli/tests/it/keys.rs"]
mod keys;
mod measured;
mod program;
mod refusals;
