//! Damage of every kind to small ledgers: what comes of each is one of [`Outcome`].
//!
//! A [`Sample`] is a ledger that was made through the log or the engine, with an older
//! version of itself, another history from some point on, and another ledger of the same
//! shape. Each generator makes every damage of its rows from these, each damage is judged
//! on copies of its own, and the table says how many came to what.
//!
//! Nothing here knows the code under test: bytes and checksums are those of
//! `docs/format.md`.

mod bytes;
mod kind;
mod outcome;
mod subject;

mod sample;

mod cuts;
mod forged;
mod keys;
mod marks;
mod records;
mod segments;

mod judge;

mod campaign;

pub use campaign::{Damages, Damaging, damage};
pub use kind::Row;
pub use outcome::Outcome;
pub use sample::Sample;
