//! Campaigns that crash and fail a ledger at every operation, and count what came of it.
//!
//! A [`Workload`] is run once on a simulated disk ([`memlith_testkit::sim`]), which keeps
//! the moment of every operation. [`crash()`] ends the run at each of them in every way
//! there is ([`Crash`]), opens a ledger on what is left, lets it recover, append and close,
//! and compares what another process then finds with what was told from inside
//! ([`Known`]): `acknowledged <= recovered <= attempted`. The recovery is crashed at each
//! of its own operations in turn.
//!
//! ```text
//! cargo run --release -p memlith-torture -- crash --seeds 12
//! cargo run --release -p memlith-torture -- crash --seeds 1 --first 7
//! cargo run --release -p memlith-torture -- crash engine --seeds 2 --step 8
//! cargo run --release -p memlith-torture -- fault --seeds 2
//! cargo run --release -p memlith-torture -- trace --first 7
//! ```
//!
//! [`fault()`] has every operation and every reading go wrong once, in every way, and
//! counts what was survived and what was refused ([`Trouble`]).
//!
//! [`LogWorkload`] is the log alone, [`EngineWorkload`] the whole engine, which must also
//! answer with the fold of what it holds. [`trace`] prints a run operation by operation.
//!
//! [`flips`] flips every bit of a small ledger.
//!
//! [`laws`] checks the laws of `docs/model.md` over random histories.
//!
//! A seed gives the same states on any machine and any number of threads; a failure
//! names its seed, its operation and its crash.

mod failure;
mod known;
mod lesson;
mod story;
mod tails;
mod workload;

mod counts;
mod crash;
mod spread;

mod campaign;
mod faults;
mod trace;

mod log_script;
mod log_workload;

mod engine_script;
mod engine_workload;

pub mod damage;
pub mod flips;
pub mod laws;
pub mod random;

mod summary;

pub use campaign::{Campaign, crash};
pub use counts::Counts;
pub use crash::Crash;
pub use engine_workload::EngineWorkload;
pub use failure::{Failure, Harm};
pub use faults::{Faults, Outcomes, Trouble, fault};
pub use known::{Batch, Found, FoundContent, Known, Telling};
pub use log_workload::LogWorkload;
pub use story::Story;
pub use summary::Summary;
pub use tails::Tails;
pub use trace::trace;
pub use workload::Workload;
