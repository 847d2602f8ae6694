//! Random sessions of an engine on a failing disk, beside an oracle that is too simple to
//! be wrong.
//!
//! A seed names a session ([`Session`]): how the ledger is opened, and some tens of
//! [`Step`]s, of which each seed knows only some kinds. [`play`] does them, with up to three
//! processes on one disk, whose clock jumps, whose disk fails and whose power goes. After
//! each step the engine's answer is compared with that of [`Naive`], which keeps every item
//! in a list and computes everything anew from its definition. What was acknowledged and
//! synced has to be there after every crash; what was not may be gone, from the end only.
//!
//! A session that fails is [shrunk](shrink()) to the steps that matter and can be kept as
//! JSON: `tests/engine-tests/regressions` holds those that once failed, and [`play`] runs them for ever.

mod session;
mod step;

mod arithmetic;
mod dated;
mod levels;
mod likened;
mod likening;
mod mined;
mod naive;
mod notes;
mod pins;
mod reviewed;
mod taint;
mod tombstones;
mod trust;
mod vectors;
mod verdict;
mod wordings;

mod boundary;
mod effect;
mod world;

mod play;
mod summaries;

mod asked;
mod compared;
mod erased;
mod kept;
mod keyed;
mod offered;
mod pointed;
mod ranked;

mod shrink;

mod campaign;

pub use campaign::{Sessions, Tally, sessions};
pub use naive::Naive;
pub use play::{Played, play};
pub use session::Session;
pub use shrink::shrink;
pub use step::Step;
