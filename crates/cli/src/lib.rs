//! The command line of Memlith: `memlith`.
//!
//! Parsing, argument names, JSON; everything else is the engine's. Answers go to
//! standard output, the rest to standard error. `docs/cli.md` states every verb and key.

mod environment;
mod logging;

mod actor;
mod decimal;
mod instant;
mod scope;
mod taint;
mod target;
mod vector;
mod wait;
mod weight;

mod advice;
mod args;
mod context;
mod exit;
mod global;
mod hint;
mod opened;
mod out_file;
mod output;
mod progress;
mod purpose;
mod usage;
mod verb;

mod cited;
mod ended;
mod kept;
mod line;
mod plain;
mod svg;
mod told;

mod audit;
mod backup;
mod bench;
mod change;
mod checkout;
mod checkpoint;
mod compact;
mod completions;
mod demo;
mod doctor;
mod embed;
mod erase;
mod explain;
mod export;
mod get;
mod head;
mod history;
mod import;
mod init;
mod knows;
mod likeness;
mod list;
mod log;
mod man;
mod mine;
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
mod show;
mod skill;
mod stat;
mod trace;
mod verify;
mod written;

pub use args::Cli;
