//! Explores the schedules of threads over one handle, and counts them.
//!
//! Built for one explorer by `cargo xtask schedules`: with `--cfg loom` it goes through
//! every interleaving of small models, up to a number of preemptions; with `--cfg shuttle`
//! through random ones of larger models. The locks of the log and of the engine are then
//! the explorer's (see `memlith-threads`), and so is every operation of the disk where a
//! model says so. What holds is checked by the models and, at every write of a mark, by
//! `disk`.

#[cfg(any(loom, shuttle))]
mod clock;
#[cfg(any(loom, shuttle))]
mod disk;
#[cfg(any(loom, shuttle))]
mod ground;
#[cfg(any(loom, shuttle))]
mod log_models;
#[cfg(any(loom, shuttle))]
mod thread;

#[cfg(shuttle)]
mod engine_models;
#[cfg(loom)]
mod every;
#[cfg(shuttle)]
mod random;
#[cfg(shuttle)]
mod scheduler;

use std::io::Write;
use std::process::ExitCode;

#[cfg(loom)]
use every::explore;
#[cfg(shuttle)]
use random::explore;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (long, name) = match arguments.as_slice() {
        [] => (false, None),
        ["long"] => (true, None),
        ["long", name] => (true, Some(*name)),
        [name] => (false, Some(*name)),
        _ => return complain("usage: schedules [long] [MODEL]"),
    };
    if explore(long, name) == 0 {
        return complain("no such model");
    }
    ExitCode::SUCCESS
}

/// Says how to get a program that explores.
#[cfg(not(any(loom, shuttle)))]
fn explore(_: bool, _: Option<&str>) -> u64 {
    complain("built for no explorer: run `cargo xtask schedules`");
    0
}

/// A line on standard output.
#[cfg(any(loom, shuttle))]
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn complain(line: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{line}");
    ExitCode::FAILURE
}
