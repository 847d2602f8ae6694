use std::fmt;

use anyhow::Context;

use crate::planted::bug::Bug;
use crate::planted::line::Caught;
use crate::planted::parts::Parts;
use crate::planted::sabotage::Sabotage;
use crate::programs::{OUTAGE, TORTURE};
use crate::step::started;

/// A campaign that knows nothing of planted bugs.
pub(crate) struct Campaign {
    pub(crate) name: &'static str,
    /// Its program, as [`Sabotage`] calls it.
    pub(crate) program: &'static str,
    /// Its words.
    words: &'static [&'static str],
    /// Unit of the states that it counts.
    pub(crate) unit: &'static str,
    /// Parts of it that can be run alone.
    parts: Parts,
    /// The crates, by folder, whose bugs it may find; every one where empty.
    reaches: &'static [&'static str],
}

/// Outcome of a campaign.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How much it had tried when it ended.
    pub(crate) states: u64,
    pub(crate) wall_seconds: f64,
    /// First words of its failure; `None` where it found nothing.
    pub(crate) said: Option<String>,
    /// Part of it that went red first, where that is known.
    pub(crate) part: Option<String>,
}

/// The campaigns, the quick ones first: a bug is counted for the first that finds it.
pub(crate) static CAMPAIGNS: [Campaign; 22] = [
    laws("laws of memory", "memory/laws", &["event", "memory", "state"], &[]),
    laws("histories of memory", "memory/lib", &["event", "memory", "state"], &["laws"]),
    laws("laws of salience", "salience/laws", &["event", "salience", "state"], &[]),
    laws("histories of salience", "salience/lib", &["event", "salience", "state"], &SALIENCE),
    laws("laws of recall", "recall/laws", &["event", "recall", "state"], &[]),
    laws("histories of checkout", "checkout/lib", &NOT_STORED, &["laws"]),
    laws("files that a command writes", "cli/lib", &["cli"], &["out_file::"]),
    laws("histories of a ledger", "engine-tests/it", &[], &LEDGER),
    laws("histories of summaries", "engine-tests/it", &SUMMARISED, &["compaction::"]),
    torture("laws of the model", &["laws", "--seeds", "600", HARM], &FOLDED, "histories"),
    torture("random sessions", &["random", "--seeds", "4000", HARM], &[], "sessions"),
    torture("faults", &["fault", "--seeds", "6", HARM], &["log"], "states"),
    laws("threads and processes", "engine-tests/it", &[], &["processes::"]),
    laws("edits of a log", "log/it", &["log"], &EDITS),
    outage("real kills", &["kill", "30"]),
    outage("real power cuts", &["power", "6"]),
    Campaign { parts: Parts::Kinds, ..torture("damage", &DAMAGE, &STORED, "states") },
    Campaign { parts: Parts::Files, ..torture("bit flips", &FLIPS, &STORED, "flips") },
    torture("crashes", &["crash", "--seeds", "8", "--step", "2", HARM], &["log"], "states"),
    torture("crashes of the engine", &CRASH_ENGINE, &STORED, "states"),
    Campaign {
        name: "random schedules",
        program: "schedules/schedules",
        words: &[],
        reaches: &["log", "memlith"],
        unit: "schedules",
        parts: Parts::None,
    },
    laws("single histories", "engine-tests/it", &SINGLE_CRATES, &SINGLE),
];

/// Crates that the laws of the model go through.
const FOLDED: [&str; 8] =
    ["checkout", "compaction", "event", "memlith", "memory", "recall", "salience", "state"];

/// A campaign that has found a bug goes no further.
const HARM: &str = "--until-harm";

const DAMAGE: [&str; 4] = ["damage", "--step", "997", HARM];

const FLIPS: [&str; 4] = ["flips", "--small", "--every", "7"];

const CRASH_ENGINE: [&str; 7] = ["crash", "engine", "--seeds", "4", "--step", "11", HARM];

/// The tests of segments that are longer than those of the other campaigns, or have had two
/// writers.
const EDITS: [&str; 2] = ["tamper::an_edit_is_found_", "recovery::a_footer_says_"];

/// Crates that the checks of stored data go through.
const STORED: [&str; 3] = ["log", "memlith", "state"];

/// Crates that the histories of a checkout go through.
const NOT_STORED: [&str; 5] = ["checkout", "event", "memory", "recall", "salience"];

/// The tests of salience that hold for every history.
const SALIENCE: [&str; 4] =
    ["the_fold_is_the_oracle", "an_event_is_local", "evidence_counts_once", "gains_commute"];

/// The tests of a whole ledger that hold for every history.
const LEDGER: [&str; 6] = [
    "replay::the_live_state",
    "scopes::",
    "sessions::",
    "redaction::",
    "vectors::",
    "checkpoints::a_checkpoint_that_was_cut",
];

/// The tests of what a campaign has seldom or never a history of: mining over sessions and what
/// was turned down of it, what an append costs, offers that contradict each other, a text that
/// is damaged below a checkpoint, backups and the modes of files, what speaks of an erased item,
/// a file that is gone.
const SINGLE: [&str; 9] = [
    "backups::what_",
    "erasure::what_speaks_",
    "tombstones::an_erased_",
    "flaws::n11_",
    "missing::",
    "flaws_on_disk::n5_",
    "flaws_on_disk::n12_",
    "workers::findings_",
    "procedures::what_was_turned_",
];

/// Crates that the tests in [`SINGLE`] go through.
const SINGLE_CRATES: [&str; 4] = ["log", "memlith", "memory", "procedure-mining"];

/// Crates that a summary goes through.
const SUMMARISED: [&str; 3] = ["checkout", "compaction", "memory"];

const fn laws(
    name: &'static str,
    program: &'static str,
    reaches: &'static [&'static str],
    words: &'static [&'static str],
) -> Campaign {
    Campaign { name, program, words, reaches, unit: "laws", parts: Parts::Tests }
}

pub(crate) const fn torture(
    name: &'static str,
    words: &'static [&'static str],
    reaches: &'static [&'static str],
    unit: &'static str,
) -> Campaign {
    Campaign { name, program: TORTURE, words, reaches, unit, parts: Parts::Seeds }
}

const fn outage(name: &'static str, words: &'static [&'static str]) -> Campaign {
    Campaign { name, program: OUTAGE, words, reaches: &[], unit: "trials", parts: Parts::None }
}

/// A campaign that takes longer, in seconds, is taken for one that never ends.
pub(crate) const SECONDS_MAX: u32 = 300;

/// The code with which `timeout` says that it ended a program.
const TIMED_OUT: i32 = 124;

impl Campaign {
    /// Whether the code of a bug is part of what it runs.
    pub(crate) fn reaches(&self, bug: &Bug) -> bool {
        let folder = bug.path.split('/').nth(1).unwrap_or_default();
        self.reaches.is_empty() || self.reaches.contains(&folder)
    }

    /// The words that run all of it.
    pub(crate) fn words(&self) -> Vec<String> {
        self.words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// The words that run a part of it alone; `None` where it has no parts, or not this one.
    pub(crate) fn words_of(&self, part: &str) -> Option<Vec<String>> {
        let mut words = self.words();
        let (kind, name) = part.split_once(' ')?;
        match (self.parts, kind) {
            (Parts::Seeds, "seed") => {
                let count = words.iter().position(|word| word == "--seeds")?;
                let count = words.get_mut(count + 1)?;
                if name.parse::<u64>().ok()? >= count.parse::<u64>().ok()? {
                    return None;
                }
                "1".clone_into(count);
                words.extend(["--first", name].map(str::to_owned));
            }
            (Parts::Tests, "test") => {
                let is_of_it = words.is_empty() || words.iter().any(|word| name.contains(word));
                if !is_of_it {
                    return None;
                }
                words = vec!["--exact".to_owned(), name.to_owned()];
            }
            (Parts::Kinds, "kind") => words.extend(["--kind", name].map(str::to_owned)),
            (Parts::Files, "files") => words.extend(["--files", name].map(str::to_owned)),
            (Parts::None | Parts::Seeds | Parts::Tests | Parts::Kinds | Parts::Files, _) => {
                return None;
            }
        }
        Some(words)
    }

    /// Runs it by these words with `bug` at work, or without one, for at most `seconds_max`.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn run(
        &self,
        sabotage: &Sabotage,
        bug: Option<&str>,
        words: &[String],
        seconds_max: u32,
    ) -> anyhow::Result<Outcome> {
        let mut command = sabotage.command(self.program, bug, seconds_max)?;
        let start = started();
        let output = command.args(words).output().with_context(|| self.name.to_owned())?;
        let wall_seconds = start.elapsed().as_secs_f64();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let states = self.states(&out);
        if output.status.success() {
            return Ok(Outcome { states, wall_seconds, said: None, part: None });
        }
        let said = match output.status.code() {
            Some(TIMED_OUT) => format!("it does not end within {seconds_max} s"),
            _ => telling_line(&out).or_else(|| telling_line(&err)).unwrap_or_else(|| err.clone()),
        };
        let part = self.parts.red(&out, &said);
        Ok(Outcome { states, wall_seconds, said: Some(said), part })
    }

    /// How many states it says it tried, by the first number before its unit's word.
    fn states(&self, out: &str) -> u64 {
        let words: &[&str] = match self.unit {
            "states" => &["states,", "all"],
            "flips" => &["flips:"],
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
    const SIGNS: [&str; 5] =
        [" times, first: ", "Test failed: ", "panicked at", "WRONG: ", "seed "];
    let line = SIGNS.iter().find_map(|sign| {
        let at = said.find(sign)?;
        let start = said.get(..at)?.rfind('\n').map_or(0, |line| line + 1);
        said.get(start..)
    })?;
    // The message of a panic stands below its place.
    let lines = if line.starts_with("thread ") { 2 } else { 1 };
    Some(line.lines().take(lines).map(str::trim).collect::<Vec<_>>().join(" "))
}

impl Outcome {
    /// How a campaign caught a bug; `None` where it is green.
    pub(crate) fn caught(self, campaign: &Campaign) -> Option<Caught> {
        let Outcome { states, said, part, .. } = self;
        let after = format!("{states} {}", campaign.unit);
        Some(Caught { by: campaign.name.to_owned(), after, said: said?, part })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { states, wall_seconds, said, .. } = self;
        match said {
            None => write!(f, "green after {states}, {wall_seconds:.1} s"),
            Some(said) => write!(f, "red after {states}, {wall_seconds:.1} s: {said}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_run_by_its_own_campaign_alone() {
        let campaign = |name: &str| CAMPAIGNS.iter().find(|campaign| campaign.name == name);
        let words = |name: &str, part: &str| campaign(name)?.words_of(part);
        let seeds = words("random sessions", "seed 7").unwrap_or_default();
        assert_eq!(seeds, ["random", "--seeds", "1", HARM, "--first", "7"]);
        assert_eq!(words("random sessions", "seed 4000"), None, "none of its seeds");
        let test = "test compaction::planned_once";
        let tests = words("histories of summaries", test).unwrap_or_default();
        assert_eq!(tests, ["--exact", "compaction::planned_once"]);
        assert_eq!(words("histories of a ledger", test), None, "none of its tests");
        assert_eq!(words("bit flips", test), None);
        let files = words("bit flips", "files seg").unwrap_or_default();
        assert_eq!(files, ["flips", "--small", "--every", "7", "--files", "seg"]);
        let kinds = words("damage", "kind record doubled").unwrap_or_default();
        assert_eq!(kinds, ["damage", "--step", "997", HARM, "--kind", "record doubled"]);
    }
}
