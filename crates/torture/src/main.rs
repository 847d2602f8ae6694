//! Runs the campaigns and prints their tables.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use memlith_testkit::sim::At;
use memlith_torture::damage::damage;
use memlith_torture::random::{Session, Sessions, play, sessions};
use memlith_torture::{
    Campaign, EngineWorkload, LogWorkload, Trouble, Workload, crash, fault, trace,
};

const USAGE: &str = "\
usage: memlith-torture crash [log|engine] [--seeds N] [--first N] [--threads N] [--again N] [--step N]
                             [--until-harm]
       memlith-torture fault [log|engine] [--seeds N] [--first N] [--threads N] [--step N]
                             [--pairs N] [--until-harm]
       memlith-torture random [--seeds N] [--first N] [--threads N] [--until-harm]
       memlith-torture damage [--seeds N] [--first N] [--threads N] [--step N] [--json]
       memlith-torture play SESSION
       memlith-torture trace [log|engine] [--first N] [--operation N | --read N] [--trouble N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = run(&arguments, &mut io::stdout().lock());
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}");
            ExitCode::from(2)
        }
    }
}

/// Whether all was as it must be.
fn run(arguments: &[String], out: &mut dyn Write) -> Result<bool, String> {
    let (command, flags) = arguments.split_first().ok_or(USAGE)?;
    let flags = Flags(flags);
    let first = flags.number("--first")?.unwrap_or(0);
    let campaign = Campaign {
        seeds: first..first.saturating_add(flags.number("--seeds")?.unwrap_or(4)),
        threads: flags.size("--threads", 2)?,
        again: flags.size("--again", 1)?,
        step: flags.size("--step", 1)?.max(1),
        pairs: flags.number("--pairs")?.unwrap_or(0),
        until_harm: flags.has("--until-harm"),
    };
    let (text, took, is_sound) = match command.as_str() {
        "crash" => {
            let (counts, took) = timed(|| crash(flags.workload(4).as_ref(), &campaign));
            let rate = u128::from(counts.states) * 1_000 / took.as_millis().max(1);
            let text = format!("{counts}{rate} states/s on {} threads", campaign.threads);
            (text, took, counts.harms() == [0; 3])
        }
        "fault" => {
            let (faults, took) = timed(|| fault(flags.workload(1).as_ref(), &campaign));
            (faults.to_string(), took, faults.total().is_harmless())
        }
        "random" => {
            let Campaign { seeds, threads, until_harm, .. } = campaign;
            let (tally, took) = timed(|| sessions(&Sessions { seeds, threads, until_harm }));
            (tally.to_string(), took, tally.failures.is_empty())
        }
        "damage" => {
            let seeds = first..first.saturating_add(flags.number("--seeds")?.unwrap_or(1));
            let step = flags.size("--step", DAMAGE_STEP)?;
            let threads = flags.size("--threads", 1)?;
            // A panic is an outcome, and is told as one.
            let hook = std::panic::take_hook();
            std::panic::set_hook(Box::new(|_| ()));
            let (damages, took) = timed(|| damage(seeds, threads, step, 1));
            std::panic::set_hook(hook);
            let text = match flags.has("--json") {
                true => damages.to_json().to_string(),
                false => damages.to_string(),
            };
            (text, took, damages.is_sound())
        }
        "play" => {
            let text = flags.0.first().ok_or(USAGE)?;
            let session: Session = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let (played, took) = timed(|| play(&session));
            (format!("{played:?}"), took, played.is_ok())
        }
        "trace" => {
            let (text, took) = timed(|| flags.trace(first));
            (text?, took, true)
        }
        _ => return Err(USAGE.to_owned()),
    };
    let written = writeln!(out, "{text}\n{:.1} s", took.as_secs_f64());
    written.map_err(|error| error.to_string())?;
    Ok(is_sound)
}

/// Of the lengths of files and the bytes of content one in so many is tried, unless asked
/// otherwise.
const DAMAGE_STEP: usize = 61;

struct Flags<'a>(&'a [String]);

impl Flags<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|flag| flag == name)
    }

    fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(at) = self.0.iter().position(|flag| flag == name) else { return Ok(None) };
        let value = self.0.get(at + 1).and_then(|value| value.parse().ok());
        value.map(Some).ok_or_else(|| format!("{name} takes a number\n{USAGE}"))
    }

    fn size(&self, name: &str, default: usize) -> Result<usize, String> {
        let number = self.number(name)?;
        Ok(number.map_or(default, |number| usize::try_from(number).unwrap_or(usize::MAX)))
    }

    /// The log, of which one life in so many is verified to the last byte, or the engine.
    fn workload(&self, verified: usize) -> Box<dyn Workload> {
        match self.0.iter().any(|flag| flag == "engine") {
            true => Box::new(EngineWorkload),
            false => Box::new(LogWorkload { verified }),
        }
    }

    fn trace(&self, seed: u64) -> Result<String, String> {
        let operation = self.number("--operation")?.map(At::Operation);
        let at = operation.or(self.number("--read")?.map(At::Read));
        let trouble = Trouble::ALL.get(self.size("--trouble", 0)?).copied().ok_or(USAGE)?;
        Ok(trace(self.workload(1).as_ref(), seed, at.map(|at| (at, trouble))))
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed())
}
