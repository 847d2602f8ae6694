//! The command line of Memlith: `memlith`.
//!
//! Parsing, argument names, JSON; everything else is the engine's. Answers go to
//! standard output, the rest to standard error. `docs/cli.md` states every verb and key.

mod environment;
mod logging;

pub mod actor;
pub mod decimal;
mod instant;
pub mod scope;
mod taint;
mod target;
mod vector;
pub mod wait;
mod weight;

mod advice;
mod args;
pub mod context;
pub mod exit;
pub mod global;
mod hint;
mod listener;
pub mod opened;
pub mod out_file;
pub mod output;
pub mod progress;
mod purpose;
pub mod usage;
mod verb;

mod ended;
mod kept;
mod line;
mod plain;
pub mod svg;
mod told;
pub mod wall;

mod audit;
mod backup;
mod brief;
mod change;
mod checkout;
mod checkpoint;
mod compact;
mod completions;
#[cfg(feature = "deliver")]
mod deliver;
mod demo;
mod doctor;
mod embed;
mod erase;
mod explain;
mod export;
mod folder;
mod get;
mod head;
mod history;
mod hook;
mod import;
mod init;
mod install;
mod jobs;
mod knows;
mod likeness;
mod list;
mod log;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod mine;
mod note;
mod novelty;
mod outcome;
mod policy;
mod recall;
mod reconcile;
mod redact;
mod remember;
mod replay;
mod review;
mod rollback;
mod scope_here;
mod show;
mod skill;
mod stat;
mod switch;
mod today;
mod trace;
mod verify;
mod writeback;
mod written;

pub use args::{Cli, run};
