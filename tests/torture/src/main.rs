//! Runs the campaigns and prints their tables.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use memlith_testkit::sim::At;
use memlith_torture::damage::{Damaging, Row, damage};
use memlith_torture::flips::{Flips, flips};
use memlith_torture::laws::{Laws, laws};
use memlith_torture::random::{Session, Sessions, play, sessions};
use memlith_torture::{
    Campaign, EngineWorkload, LogWorkload, Summary, Trouble, Workload, crash, fault, trace,
};

const USAGE: &str = "\
usage: memlith-torture crash [log|engine] [--seeds N] [--first N] [--threads N] [--again N] [--step N]
                             [--until-harm]
       memlith-torture fault [log|engine] [--seeds N] [--first N] [--threads N] [--step N]
                             [--pairs N] [--until-harm]
       memlith-torture random [--seeds N] [--first N] [--threads N] [--until-harm]
       memlith-torture damage [--seeds N] [--first N] [--threads N] [--step N] [--kind KIND]
                              [--until-harm]
       memlith-torture flips [--small] [--segment-kib N] [--every N] [--files PREFIX] [--threads N]
       memlith-torture laws [--seeds N] [--first N] [--threads N] [--law P5] [--until-harm]
       memlith-torture play SESSION
       memlith-torture trace [log|engine] [--first N] [--operation N | --read N] [--trouble N]
--json: the campaign in one line, as an object; of laws with --each: a line for each law";

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
    if flags.has("--help") {
        return Err(USAGE.to_owned());
    }
    let first = flags.number("--first")?.unwrap_or(0);
    let campaign = Campaign {
        seeds: first..first.saturating_add(flags.number("--seeds")?.unwrap_or(4)),
        threads: flags.size("--threads", 2)?,
        again: flags.size("--again", 1)?,
        step: flags.size("--step", 1)?.max(1),
        pairs: flags.number("--pairs")?.unwrap_or(0),
        until_harm: flags.has("--until-harm"),
    };
    let clock = started();
    let ended = match command.as_str() {
        "crash" => Ended::of(crash(flags.workload(4).as_ref(), &campaign), |counts| {
            counts.harms() == [0; 3]
        }),
        "fault" => Ended::of(fault(flags.workload(1).as_ref(), &campaign), |faults| {
            faults.total().is_harmless()
        }),
        "random" => {
            let Campaign { seeds, threads, until_harm, .. } = campaign;
            let tally = sessions(&Sessions { seeds, threads, until_harm });
            Ended::of(tally, |tally| tally.failures.is_empty())
        }
        "damage" => {
            let seeds = first..first.saturating_add(flags.number("--seeds")?.unwrap_or(1));
            let step = flags.size("--step", DAMAGE_STEP)?;
            let only = flags.word("--kind").map(kind).transpose()?;
            let Campaign { threads, until_harm, .. } = campaign;
            let damaging = Damaging { seeds, threads, step, one_in: 1, only, until_harm };
            let kinds = only.map_or(Row::ALL.len(), |_| 1);
            Ended::of(in_silence(|| damage(&damaging)), |damages| damages.is_sound(kinds))
        }
        "flips" => {
            let small = flags.has("--small");
            // Fewer bytes hold no sealed segment and one in use.
            let segment_kib = flags.number("--segment-kib")?.unwrap_or(if small { 4 } else { 8 });
            let every = flags.size("--every", 1)?;
            let files = flags.word("--files").unwrap_or_default().to_owned();
            let of = Flips { small, segment_kib, every, files, threads: campaign.threads };
            let tally = in_silence(|| flips(&of)).map_err(|error| format!("{error:#}"))?;
            Ended::of(tally, |tally| tally.violations().is_empty())
        }
        "laws" => {
            let Campaign { seeds, threads, until_harm, .. } = campaign;
            let only = flags.word("--law").map(str::parse).transpose()?;
            let verdicts = in_silence(|| laws(&Laws { seeds, threads, only, until_harm }));
            if flags.has("--each") {
                for line in verdicts.lines() {
                    writeln!(out, "{line}").map_err(|error| error.to_string())?;
                }
                return Ok(verdicts.violations() == 0);
            }
            Ended::of(verdicts, |verdicts| verdicts.violations() == 0)
        }
        "play" => {
            let text = flags.0.first().ok_or(USAGE)?;
            let session: Session = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let played = play(&session);
            Ended { text: format!("{played:?}"), summary: None, is_sound: played.is_ok() }
        }
        "trace" => Ended { text: flags.trace(first)?, summary: None, is_sound: true },
        _ => return Err(USAGE.to_owned()),
    };
    let wall = clock.elapsed();
    let written = match ended.summary.filter(|_| flags.has("--json")) {
        None => writeln!(out, "{}\n{:.1} s", ended.text, wall.as_secs_f64()),
        Some(summary) => writeln!(out, "{}", summary.to_json(&name(arguments), wall)),
    };
    written.map_err(|error| error.to_string())?;
    Ok(ended.is_sound)
}

fn kind(label: &str) -> Result<Row, String> {
    Row::labelled(label).ok_or_else(|| {
        let labels: Vec<&str> = Row::ALL.iter().map(|row| row.label()).collect();
        format!("no damage is called `{label}`; there are:\n  {}", labels.join("\n  "))
    })
}

/// Returns the words of the command line, but for the form of the answer.
fn name(arguments: &[String]) -> String {
    let words = arguments.iter().map(String::as_str).filter(|word| *word != "--json");
    words.collect::<Vec<_>>().join(" ")
}

/// Result of a command.
struct Ended {
    text: String,
    /// In one line, where it is a campaign.
    summary: Option<Summary>,
    is_sound: bool,
}

impl Ended {
    fn of<T: ToString>(counted: T, is_sound: impl FnOnce(&T) -> bool) -> Ended
    where
        for<'a> Summary: From<&'a T>,
    {
        Ended {
            text: counted.to_string(),
            summary: Some(Summary::from(&counted)),
            is_sound: is_sound(&counted),
        }
    }
}

/// Without the messages of panics, which are outcomes here and told as such.
fn in_silence<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = work();
    std::panic::set_hook(hook);
    result
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

    fn word(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|flag| flag == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    fn size(&self, name: &str, default: usize) -> Result<usize, String> {
        let number = self.number(name)?;
        Ok(number.map_or(default, |number| usize::try_from(number).unwrap_or(usize::MAX)))
    }

    /// The log or the engine, of which one life in so many is verified to the last byte.
    fn workload(&self, verified: usize) -> Box<dyn Workload> {
        match self.0.iter().any(|flag| flag == "engine") {
            true => Box::new(EngineWorkload { verified }),
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
fn started() -> Instant {
    Instant::now()
}
