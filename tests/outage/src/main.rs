//! Faults, kills and power cuts on the real machine, counted: `outage CAMPAIGN`.
//!
//! A campaign lets processes die while they work on a ledger. What they had acknowledged
//! came over a pipe before they died, so that the judge does not depend on the judged.

mod session;

mod victim;

mod survey;

mod row;
mod trial;
mod workers;

mod backups;
mod kill;

mod strace;

mod faults;
mod syscalls;

mod mounted;

mod power;
mod space;

mod recording;

mod blocks;

mod campaign;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::campaign::Campaign;
use crate::row::Row;
use crate::survey::{Verdict, full, survey};

const USAGE: &str = "\
outage CAMPAIGN [AMOUNT] [--json] [--seed N] [--program FILE] [--on ext4|xfs]

  kill [RUNS]        SIGKILL at random instants (500)
  syscalls [STEPS]   killed at every system call of a session (24 steps); --on: on a
                     file system of its own
  faults [STEPS]     every call on the ledger fails once, in every way (24 steps)
  space [ROUNDS]     full disks, limits on files, disks that can't be written (20)
  power [CYCLES]     power cuts on file systems, ext4 and XFS (50 on each)
  backups [ROUNDS]   backups while eight processes write, and as many that are killed (100)
  blocks [IMAGES]    disks built again from a record of all writes (200; 0: every prefix)

--program runs the campaign on another store's program, which takes the words

  victim create DIR | victim run DIR FIRST COUNT | victim survey DIR ACKNOWLEDGED
";

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let json = words.iter().any(|word| word == "--json");
    words.retain(|word| word != "--json");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [] | ["--help" | "-h" | "help"] => {
            victim::say(USAGE.trim_end());
            return ExitCode::SUCCESS;
        }
        ["victim", rest @ ..] => return serve(rest),
        words => Campaign::parse(words).and_then(|campaign| campaign.run()),
    };
    match outcome {
        Ok(rows) => print(&rows, json),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "outage: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn print(rows: &[Row], json: bool) -> ExitCode {
    let mut out = std::io::stdout().lock();
    for row in rows {
        let _ = if json { writeln!(out, "{}", row.to_json()) } else { writeln!(out, "{row}") };
    }
    if rows.iter().all(Row::is_sound) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the part of a process that a campaign started.
fn serve(words: &[&str]) -> ExitCode {
    let outcome = match words {
        ["create", folder] => victim::create(Path::new(folder)),
        ["run", folder, first, count] => match (first.parse(), count.parse()) {
            (Ok(first), Ok(count)) => victim::run(Path::new(folder), first, count),
            _ => return usage(),
        },
        ["write", folder, name] => backups::write(Path::new(folder), name),
        ["erase", folder, _] => backups::erase(Path::new(folder)),
        ["backup", folder, dest] => backups::back_up(Path::new(folder), Path::new(dest)),
        ["survey", folder, acknowledged] => match acknowledged.parse() {
            Ok(acknowledged) => return tell(&survey(Path::new(folder), acknowledged)),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{}", full(&error));
            ExitCode::from(victim::REFUSED)
        }
    }
}

fn tell(verdict: &Verdict) -> ExitCode {
    victim::say(&match verdict {
        Verdict::Sound { next } => format!("sound {next}"),
        Verdict::Lost(what) => format!("lost: {what}"),
        Verdict::Wrong(what) => format!("wrong: {what}"),
        Verdict::Refused(what) => format!("refused: {what}"),
    });
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    let _ = write!(std::io::stderr(), "{USAGE}");
    ExitCode::from(2)
}
