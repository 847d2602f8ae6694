//! Runs the campaigns and prints their tables.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use memlith_testkit::sim::{At, FailedSync, Fault, FaultKind, SimDisk};
use memlith_torture::random::{Sessions, sessions};
use memlith_torture::{Campaign, LogWorkload, Story, Workload, crash, fault};

const USAGE: &str = "usage: memlith-torture crash|fault|random [--seeds N] [--first N] [--threads N] [--again N] [--step N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<bool, String> {
    let (command, flags) = arguments.split_first().ok_or(USAGE)?;
    let number = |name: &str, default: u64| -> Result<u64, String> {
        match flags.iter().position(|flag| flag == name) {
            None => Ok(default),
            Some(at) => {
                let value = flags.get(at + 1).and_then(|value| value.parse().ok());
                value.ok_or_else(|| format!("{name} takes a number\n{USAGE}"))
            }
        }
    };
    let small = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let first = number("--first", 0)?;
    let campaign = Campaign {
        seeds: first..first + number("--seeds", 4)?,
        threads: small(number("--threads", 2)?),
        again: small(number("--again", 1)?),
        step: small(number("--step", 1)?),
    };
    match command.as_str() {
        "crash" => {
            let (counts, took) = timed(|| crash(&LogWorkload { verified: 4 }, &campaign));
            print!("{counts}");
            let rate = counts.states as f64 / took.as_secs_f64();
            println!(
                "{:.1} s, {rate:.0} states/s on {} threads",
                took.as_secs_f64(),
                campaign.threads
            );
            Ok(counts.harms() == [0; 3])
        }
        "fault" => {
            let (faults, took) = timed(|| {
                fault(&LogWorkload { verified: 1 }, campaign.seeds.clone(), campaign.threads)
            });
            print!("{faults}");
            println!("{:.1} s", took.as_secs_f64());
            Ok(faults.total().is_harmless())
        }
        "random" => {
            let Campaign { seeds, threads, .. } = campaign;
            let (tally, took) = timed(|| sessions(&Sessions { seeds, threads }));
            println!("{tally}\n{:.1} s", took.as_secs_f64());
            Ok(tally.failures.is_empty())
        }
        "trace" => {
            let fault = match (flags.iter().any(|flag| flag == "--operation"), number("--read", 0)?)
            {
                (true, _) => Some(At::Operation(number("--operation", 0)?)),
                (false, 0) => None,
                (false, read) => Some(At::Read(read)),
            };
            trace(&LogWorkload { verified: 1 }, first, fault);
            Ok(true)
        }
        _ => Err(USAGE.to_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed())
}

fn trace(workload: &dyn Workload, seed: u64, at: Option<At>) {
    let failing =
        if std::env::args().any(|a| a == "revert") { FailedSync::Revert } else { FailedSync::Keep };
    let disk = SimDisk::new().seeded(seed).failing(failing);
    let kind = match at {
        Some(At::Read(_)) => FaultKind::Flip,
        _ => FaultKind::Fail(std::io::ErrorKind::Other),
    };
    if let Some(at) = at {
        disk.plan(Fault { at, kind });
    }
    disk.record();
    let mut story = Story::on(&disk);
    workload.run(&disk, &mut story, seed);
    let mut told = story.tellings().peekable();
    for moment in disk.take_moments() {
        while let Some((at, telling)) = told.peek()
            && *at <= moment.index
        {
            println!("        {}", format!("{telling:?}").chars().take(150).collect::<String>());
            told.next();
        }
        println!("{:>6} r{:<6} {}", moment.index, moment.reads, moment.describe());
    }
    for refusal in story.refusals() {
        println!("refused: {refusal}");
    }
}
