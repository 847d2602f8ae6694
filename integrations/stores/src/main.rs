//! The program `memlith`, which reaches stores too: a ledger can be shared over `s3://BUCKET/PREFIX`,
//! `s2://BASIN` and `postgres://...`.

use std::process::ExitCode;

use memlith_cli::Cli;

fn main() -> ExitCode {
    memlith_stores::add_to_program();
    Cli::asked().run()
}
