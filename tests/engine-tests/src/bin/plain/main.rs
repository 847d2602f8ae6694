//! Evaluates the engine on plain sentences, through the write and read paths of the command.
//!
//! `plain [SET] [--misses] [--json] [--gate] [--sets FOLDER] [--first N]
//! [--order engine|bm25|newest]` runs one of the sets
//! of `tests/engine-tests/plain`, or all, and prints what was counted, each half on its own. What a set
//! holds and what counts as a mistake: `tests/engine-tests/plain/README.md`. Ledgers lie in memory and
//! their clock stands still, so a run gives the same figures on any machine.
//!
//! `--order` puts a baseline in the place of the engine's order, for `week` and `fresh`: BM25 over stems,
//! or its first three with the newest before the others.
//!
//! `--misses` lists the mistakes of the tuned half, `--gate` fails where a goal isn't reached, `--first N`
//! takes the first N lines of each set alone, or lets each party write so often.

mod arguments;
mod baseline;
mod change;
mod fresh;
mod goal;
mod half;
mod people;
mod report;
mod room;
mod sets;
mod stand;
mod tally;
mod verdict;
mod week;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use arguments::Arguments;
use report::Report;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Nothing is left to do where standard error is gone.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

/// Runs what was asked for, and says whether the gate, if there is one, is passed.
fn run() -> Outcome<bool> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let reports: Vec<Report> =
        arguments.names.iter().map(|name| name.run(&arguments)).collect::<Outcome<_>>()?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", report::json(&reports, arguments.misses))?;
    } else {
        reports.iter().try_for_each(|report| out.write_all(report.text(&arguments).as_bytes()))?;
    }
    Ok(!arguments.gate || reports.iter().all(Report::reaches_its_goals))
}
