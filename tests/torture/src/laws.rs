//! The laws of `docs/model.md`, each checked over random histories.
//!
//! A seed names two histories: one of folds alone (`Player`), of some forty events in three
//! scopes, and one of a whole engine on a disk in memory. What they are checked against is
//! kept beside them in plain maps and computed from its definition (`Watch`), or is the
//! same history told otherwise: without what must not matter, in other parts, by other
//! threads.
//!
//! [`laws()`] counts, law by law, histories, cases and violations. Every law names the bugs
//! that are planted for it ([`Law::bugs`]); a build that has them shows that the law finds
//! them, and `cargo xtask laws --report` prints both.

mod law;

mod judge;

mod bench;
mod step;

mod player;

mod watch;

mod packs;
mod summaries;
mod twins;

mod digests;
mod engine;
mod erasures;
mod keys;
mod looks;
mod spelled;

mod campaign;

pub use campaign::{Laws, Verdict, Verdicts, laws};
pub use law::Law;
