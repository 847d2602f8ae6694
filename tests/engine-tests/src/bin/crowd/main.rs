//! Eight processes on one ledger, some of which are killed.
//!
//! `crowd COUNT` makes a ledger in a temporary folder and starts itself eight times as
//! `crowd work FOLDER NAME RUN COUNT`. Each writes, asks and is observed, checkpoints,
//! erases what it wrote, verifies and opens again, at random, and tells the parent through
//! a pipe what it tries and what was acknowledged. The parent kills some of them with
//! SIGKILL, starts those again, and at the end compares what was told with the ledger. It
//! says how much of each there was.

mod oracle;
mod parent;
mod told;
mod worker;

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["work", folder, name, run, count] => worker::work(Path::new(folder), name, run, count),
        [count] => parent::crowd(count),
        _ => Err("usage: crowd COUNT".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}
