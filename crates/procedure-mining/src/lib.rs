//! Procedures out of sessions: what runs that went well do again and again, and what
//! failed ones did otherwise.
//!
//! Tool calls become [`Step`]s: a verb, and parameters with placeholders for what differs
//! from one time to the next ([`Call::steps`]). [`Sessions`] hold them in columns; an
//! [`Extractor`] takes them from the events of a ledger. A [`Miner`] proposes
//! [`Candidate`]s, each cited to the records it was taken from, and says what failed
//! sessions did at which step. An accepted one is told as a [`Skill`].
//!
//! A procedure is one because many sessions followed it and chance doesn't explain that:
//! closed frequent patterns with bounded gaps are tested against the same sessions with
//! their steps in any order, and the fragments that remain are put together by what runs
//! agree on, so that missing, replaced and additional steps are looked through. ADR/0016
//! says why this way.
//!
//! It is pure: no clock, no file, no randomness, no float, no thread.
//!
//! ```
//! use memlith_log::Seq;
//! use memlith_procedure_mining::{Call, Ending, Miner, Sessions};
//!
//! let mut sessions = Sessions::default();
//! let mut seq = 0;
//! for number in 0..12 {
//!     sessions.begin(&format!("session {number}"), Ending::Succeeded)?;
//!     let noise = format!("ls dir{number}; cat {number}.txt; wc -l notes");
//!     for line in [&noise, "cargo fmt", "cargo test", &format!("git commit -m 'fix {number}'")] {
//!         sessions.push_calls(Seq(seq), &Call::steps("bash", line), Some(true))?;
//!         seq += 1;
//!     }
//!     // A procedure stands out from other work.
//!     for other in 0..20 {
//!         let line = format!("tool{} {other}", (number * 7 + other * 5) % 23);
//!         sessions.push_calls(Seq(seq), &Call::steps("bash", &line), Some(true))?;
//!         seq += 1;
//!     }
//! }
//! let candidates = Miner::default().mine(&sessions);
//! let verbs: Vec<&str> = candidates[0].steps.iter().map(|step| step.verb.as_str()).collect();
//! assert_eq!(verbs, ["ls", "cat", "wc", "cargo fmt", "cargo test", "git commit"]);
//! assert_eq!(candidates[0].steps[5].parameters, "-m <text>");
//! assert_eq!(candidates[0].support, 12);
//! # Ok::<(), memlith_procedure_mining::Error>(())
//! ```

mod call;
mod placeholder;
mod program;
mod shell;

mod ending;
mod error;
mod extractor;
mod sessions;

mod candidate;
mod confidence;
mod deviation;
mod proposal;
mod skill;

mod miner;
mod options;

mod consensus;
mod contrast;
mod corpus;
mod cover;
mod evidence;
mod links;
mod null;
mod pattern;
mod window;

pub use call::{Call, Share};
pub use candidate::{Candidate, Occurrence, ProcedureId, ProcedureStep, Trials};
pub use confidence::Confidence;
pub use deviation::{Deviation, DeviationKind};
pub use ending::Ending;
pub use error::Error;
pub use evidence::Bits;
pub use extractor::Extractor;
pub use miner::Miner;
pub use options::Options;
pub use sessions::{Sessions, Step};
pub use skill::Skill;
