//! A fixed workload, one part a process: what `cargo xtask gates` counts.
//!
//! Nothing here depends on the clock, on chance or on the machine: the same program
//! appends the same bytes, reads the same bytes, and syncs as often, wherever it runs.

mod counts;
mod ledger;
mod steps;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::steps::STEPS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gates: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one of `build DIR`, `counts DIR`, `steps`, or `step NAME DIR`, DIR being the folder
/// that `build` made.
fn run(arguments: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["build", dir] => ledger::build(Path::new(dir)),
        ["counts", dir] => counts::print(Path::new(dir)),
        ["steps"] => {
            STEPS.iter().for_each(|(name, _)| println!("{name}"));
            Ok(())
        }
        ["step", name, dir] => {
            let step = STEPS.iter().find(|(known, _)| known == name);
            let (_, step) = step.with_context(|| format!("no step `{name}`"))?;
            step(Path::new(dir))
        }
        _ => bail!("build DIR | counts DIR | steps | step NAME DIR"),
    }
}
