//! Write-back: what a session taught, lifted out of its turns.
//!
//! A job covers a range of one session's turns. They become a packet of numbered evidence; an
//! extractor makes an [`Extraction`] of it: the rules of this crate, or a model outside of it
//! whose reply is checked here. Nothing is synthesised: every item cites the turns it rests
//! on, and names nothing that they don't name.
//!
//! It is pure: no clock, no file, no network, no randomness.

mod extraction;
mod turn;

pub use extraction::{Dropped, Extraction, Pattern, Statement, TaskOutcome};
pub use turn::{Turn, What};
