use std::fmt;
use std::time::Instant;

use anyhow::Context;

use crate::planted::bug::Bug;
use crate::planted::sabotage::Sabotage;

/// A campaign that knows nothing of planted bugs.
pub(crate) struct Campaign {
    pub(crate) name: &'static str,
    /// Its program, as [`Sabotage`] calls it.
    pub(crate) program: &'static str,
    /// Its words.
    words: &'static [&'static str],
    /// What it counts.
    pub(crate) unit: &'static str,
    /// The crates, by folder, whose bugs it may find; every one where empty.
    reaches: &'static [&'static str],
}

/// What a campaign came to.
#[derive(Debug)]
pub(crate) enum Outcome {
    Green { states: u64, wall_seconds: f64 },
    Red { states: u64, wall_seconds: f64, said: String },
}

/// The campaigns, the quick ones first: a bug is counted for the first that finds it.
pub(crate) const CAMPAIGNS: [Campaign; 19] = [
    laws("laws of memory", "memory/laws", &["event", "memory", "state"], &[]),
    laws("histories of memory", "memory/lib", &["event", "memory", "state"], &["laws"]),
    laws("laws of salience", "salience/laws", &["event", "salience", "state"], &[]),
    laws("histories of salience", "salience/lib", &["event", "salience", "state"], &SALIENCE),
    laws("laws of recall", "recall/laws", &["event", "recall", "state"], &[]),
    laws("histories of checkout", "checkout/lib", &NOT_STORED, &["laws"]),
    laws("histories of a ledger", "tests/it", &[], &LEDGER),
    laws("histories of summaries", "tests/it", &SUMMARISED, &["compaction::"]),
    torture("laws of the model", &["laws", "--seeds", "600", HARM], &FOLDED, "histories"),
    torture("random sessions", &["random", "--seeds", "4000", HARM], &[], "sessions"),
    torture("faults", &["fault", "--seeds", "6", HARM], &["log"], "states"),
    laws("threads and processes", "tests/it", &[], &["processes::"]),
    outage("real kills", &["kill", "30"]),
    outage("real power cuts", &["power", "6"]),
    torture("damage", &["damage", "--step", "997", HARM], &["log", "memlith", "state"], "states"),
    Campaign {
        name: "bit flips",
        program: "xtask/flips",
        words: &["4096", "small", "json", "7"],
        reaches: &["log", "memlith", "state"],
        unit: "flips",
    },
    torture("crashes", &["crash", "--seeds", "8", "--step", "2", HARM], &["log"], "states"),
    torture("crashes of the engine", &CRASH_ENGINE, &["log", "memlith", "state"], "states"),
    Campaign {
        name: "random schedules",
        program: "schedules/schedules",
        words: &[],
        reaches: &["log", "memlith"],
        unit: "schedules",
    },
];

/// What the laws of the model go through.
const FOLDED: [&str; 8] =
    ["checkout", "compaction", "event", "memlith", "memory", "recall", "salience", "state"];

/// A campaign that has found a bug goes no further.
const HARM: &str = "--until-harm";

const CRASH_ENGINE: [&str; 7] = ["crash", "engine", "--seeds", "4", "--step", "11", HARM];

/// What the histories of a checkout go through.
const NOT_STORED: [&str; 5] = ["checkout", "event", "memory", "recall", "salience"];

/// The tests of salience that hold for every history.
const SALIENCE: [&str; 4] =
    ["the_fold_is_the_oracle", "an_event_is_local", "evidence_counts_once", "gains_commute"];

/// The tests of a whole ledger that hold for every history.
const LEDGER: [&str; 4] =
    ["replay::the_live_state", "scopes::", "redaction::", "checkpoints::a_checkpoint_that_was_cut"];

/// What a summary goes through.
const SUMMARISED: [&str; 3] = ["checkout", "compaction", "memory"];

const fn laws(
    name: &'static str,
    program: &'static str,
    reaches: &'static [&'static str],
    words: &'static [&'static str],
) -> Campaign {
    Campaign { name, program, words, reaches, unit: "laws" }
}

const fn torture(
    name: &'static str,
    words: &'static [&'static str],
    reaches: &'static [&'static str],
    unit: &'static str,
) -> Campaign {
    let program = "torture/memlith-torture";
    Campaign { name, program, words, reaches, unit }
}

const fn outage(name: &'static str, words: &'static [&'static str]) -> Campaign {
    Campaign { name, program: "outage/outage", words, reaches: &[], unit: "trials" }
}

/// A campaign that takes longer is taken for one that never ends.
const SECONDS_MAX: u32 = 300;

/// The code with which `timeout` says that it ended a program.
const TIMED_OUT: i32 = 124;

impl Campaign {
    /// Whether the code of a bug is part of what it runs.
    pub(crate) fn reaches(&self, bug: &Bug) -> bool {
        let folder = bug.path.split('/').nth(1).unwrap_or_default();
        self.reaches.is_empty() || self.reaches.contains(&folder)
    }

    /// Runs it with `bug` at work, or without one.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn run(&self, sabotage: &Sabotage, bug: Option<&str>) -> anyhow::Result<Outcome> {
        self.with(sabotage, bug, self.words)
    }

    /// Runs it with `bug` at work from one of its seeds alone; `None` where it has no seeds,
    /// or not this one.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn run_seed(
        &self,
        sabotage: &Sabotage,
        bug: &str,
        seed: u64,
    ) -> anyhow::Result<Option<Outcome>> {
        let mut words = self.words.to_vec();
        let count = words.iter().position(|word| *word == "--seeds").map(|at| at + 1);
        let Some(count) = count.and_then(|at| words.get_mut(at)) else { return Ok(None) };
        if count.parse::<u64>().is_ok_and(|count| seed >= count) {
            return Ok(None);
        }
        *count = "1";
        let seed = seed.to_string();
        words.extend(["--first", &seed]);
        self.with(sabotage, Some(bug), &words).map(Some)
    }

    fn with(
        &self,
        sabotage: &Sabotage,
        bug: Option<&str>,
        words: &[&str],
    ) -> anyhow::Result<Outcome> {
        let mut command = sabotage.command(self.program, bug, SECONDS_MAX)?;
        let start = started();
        let output = command.args(words).output().with_context(|| self.name.to_owned())?;
        let wall_seconds = start.elapsed().as_secs_f64();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let states = self.states(&out);
        if output.status.success() {
            return Ok(Outcome::Green { states, wall_seconds });
        }
        let said = match output.status.code() {
            Some(TIMED_OUT) => format!("it does not end within {} s", SECONDS_MAX),
            _ => telling_line(&out).or_else(|| telling_line(&err)).unwrap_or_else(|| err.clone()),
        };
        Ok(Outcome::Red { states, wall_seconds, said })
    }

    /// How many states it says it tried, by the first number before its unit's word.
    fn states(&self, out: &str) -> u64 {
        let words: &[&str] = match self.unit {
            "states" => &["states,", "all"],
            "flips" => &["\"flips\":"],
            "trials" => &["tried,"],
            "sessions" => &["sessions"],
            "histories" => &["histories,"],
            "schedules" => &["schedules,"],
            _ => &["passed;"],
        };
        let tokens: Vec<&str> = out.split_whitespace().collect();
        let pairs = tokens.windows(2);
        let number = |text: &str| {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            digits.parse::<u64>().ok()
        };
        if self.unit == "flips" {
            // The object's last count of flips is that of all files.
            let after = out.rsplit("\"flips\":").find_map(|rest| number(rest.split(',').next()?));
            return after.unwrap_or(0);
        }
        pairs
            .filter_map(|pair| match pair {
                [before, word] if words.contains(word) => number(before),
                ["all", after] => number(after),
                _ => None,
            })
            .max()
            .unwrap_or(0)
    }
}

/// The line in which a campaign tells what went wrong first.
fn telling_line(said: &str) -> Option<String> {
    const SIGNS: [&str; 6] =
        [" times, first: ", "Test failed: ", "panicked at", "WRONG: ", "violations\":[\"", "seed "];
    let line = SIGNS.iter().find_map(|sign| {
        let at = said.find(sign)?;
        let start = said.get(..at)?.rfind('\n').map_or(0, |line| line + 1);
        let start = if *sign == "violations\":[\"" { at } else { start };
        said.get(start..)
    })?;
    // The message of a panic stands below its place.
    let lines = if line.starts_with("thread ") { 2 } else { 1 };
    Some(line.lines().take(lines).map(str::trim).collect::<Vec<_>>().join(" "))
}

impl Outcome {
    pub(crate) fn is_red(&self) -> bool {
        matches!(self, Outcome::Red { .. })
    }

    pub(crate) fn wall_seconds(&self) -> f64 {
        match self {
            Outcome::Green { wall_seconds, .. } | Outcome::Red { wall_seconds, .. } => {
                *wall_seconds
            }
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Green { states, wall_seconds } => {
                write!(f, "green after {states}, {wall_seconds:.1} s")
            }
            Outcome::Red { states, wall_seconds, said } => {
                write!(f, "red after {states}, {wall_seconds:.1} s: {said}")
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the wall time of a campaign is what is reported")]
fn started() -> Instant {
    Instant::now()
}
