//! The command line of Memlith: `memlith`.
//!
//! Parses words into the requests of `memlith-verbs`, and says how the process ends. Answers go
//! to standard output, the rest to standard error. `docs/cli.md` states every verb and key.

mod args;
mod family;
mod homes;
mod logging;
#[cfg(feature = "mcp")]
mod mcp;
mod verb;

pub use args::{Cli, run};
