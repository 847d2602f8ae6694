//! The program `memlith`.

use std::process::ExitCode;

use clap::Parser;
use memlith_cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
