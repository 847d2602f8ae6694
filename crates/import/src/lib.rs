//! Reads the records of other systems and yields them as events.
//!
//! A [`Reader`] is an iterator over any [`BufRead`](std::io::BufRead), standard input
//! included: nothing is read twice and memory stays bounded, whatever the length of the
//! input. What can't be mapped is yielded as [`Imported::Skipped`] with its line and
//! reason, so that a caller can count it; nothing is dropped in silence.
//!
//! | format | what is read | a bad line |
//! |---|---|---|
//! | [`Format::ClaudeCode`] | session transcripts of Claude Code | is skipped and counted |
//! | [`Format::Codex`] | session rollouts of Codex | is skipped and counted |
//! | [`Format::Eventloom`] | logs of Zaxy, their hash chain verified | ends the import |
//! | [`Format::Locomo`] | the LoCoMo dialogues | ends the import |
//! | [`Format::Messages`] | messages, one JSON object a line | is skipped and counted |
//!
//! Events come with a complete envelope: scope, actor, origin, `via` import, the
//! source's own time, and an idempotency key made of the source's own names, so that
//! reading a file again, or the same file after it grew, names old lines as before.
//! A session ends where its source says that it was left, or once its last line is 30
//! minutes older than [`Options::now`]; a turn that comes later resumes it.
//! Secrets are taken out by the engine's door, not here, except from a text that is too
//! long and has to be cut. Where the source has JSON, tool arguments and foreign bodies
//! are valid JSON.
//!
//! ```
//! use memlith_import::{Format, Imported, Options, Reader};
//!
//! let line = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1",
//!     "timestamp":"2026-05-01T12:00:00Z","message":{"role":"user","content":"hi"}}"#
//!     .replace('\n', "");
//! let read = |now: &str| -> Vec<Imported> {
//!     let options = Options { now: Some(now.parse().unwrap()), ..Options::default() };
//!     let reader = Reader::new(Format::ClaudeCode, line.as_bytes(), options);
//!     reader.collect::<Result<_, _>>().unwrap()
//! };
//! // The session started, and something was said.
//! assert_eq!(read("2026-05-01T12:29:59Z").len(), 2);
//! // Half an hour later it has ended.
//! assert_eq!(read("2026-05-01T12:30:00Z").len(), 3);
//! ```

mod error;
mod format;
mod ignored;
mod imported;
mod options;

mod reader;

mod claude_code;
mod codex;
mod demo;
mod eventloom;
mod locomo;
mod messages;

mod calls;
mod cut;
mod lenient;
mod lines;
mod resume;
mod session;
mod stretch;
mod withheld;

pub use demo::DEMO_SESSION;
pub use error::ImportError;
pub use eventloom::Dialect;
pub use format::{Format, UnknownFormat};
pub use ignored::IgnoredFiles;
pub use imported::{Imported, Reinforced, ReinforcementKind, SkipReason, Target};
pub use lines::Place;
pub use locomo::locomo_key;
pub use options::{InputEnd, Options, Whose, Withheld};
pub use reader::Reader;
pub use resume::Resume;
