//! The program `memlith`.

use std::process::ExitCode;

use memlith_cli::Cli;

fn main() -> ExitCode {
    Cli::asked().run()
}
