mod row;

use std::process::Command;

use anyhow::{Context, anyhow, ensure};

use crate::cargo::{output, succeed};
use crate::flips::Flips;
use crate::programs::Programs;
use crate::step::Steps;
pub(crate) use row::{Row, Table};

/// Every campaign against the log and the engine, on a simulated disk and on this machine.
///
/// Programs of their own, `tests/torture` and `tests/outage`: they need the engine, and
/// the optimiser. What this machine can't do is skipped, and says so.
pub(crate) struct Torture {
    /// Whether it is the run before a release, of hours.
    pub(crate) is_long: bool,
    /// Whether one table sums up all campaigns, in place of a table of each.
    pub(crate) report: bool,
}

/// A campaign: its program, its words in short, and its words in long.
type Campaign = (&'static str, &'static str, &'static str);

const TORTURE: &str = "torture/memlith-torture";
const OUTAGE: &str = "outage/outage";
const FLIPS: &str = "xtask/flips";

/// The bit flips of a small ledger.
const SMALL: &str = "flips --small";

/// Campaigns that are run, in the order of the table.
const CAMPAIGNS: [Campaign; 15] = [
    (TORTURE, "crash log --seeds 10", "crash log --seeds 210"),
    (TORTURE, "crash engine --seeds 2 --step 13", "crash engine --seeds 8"),
    (TORTURE, "fault log --seeds 2 --pairs 1000", "fault log --seeds 40 --pairs 10000"),
    (TORTURE, "fault engine --seeds 1", "fault engine --seeds 8 --pairs 1000"),
    (TORTURE, "random --seeds 100000", "random --seeds 600000"),
    (TORTURE, "laws --seeds 500", "laws --seeds 50000"),
    (OUTAGE, "kill 500", "kill 5000"),
    (OUTAGE, "syscalls 8", "syscalls 48"),
    (OUTAGE, "syscalls 3 --on ext4 --on xfs", "syscalls 24 --on ext4 --on xfs"),
    (OUTAGE, "faults 8", "faults 48"),
    (OUTAGE, "space 10", "space 100"),
    (OUTAGE, "power 50", "power 500"),
    (OUTAGE, "blocks 200", "blocks 0"),
    (TORTURE, "damage", "damage --step 1 --seeds 4"),
    (FLIPS, SMALL, "flips"),
];

impl Torture {
    /// Runs every campaign to its end, whatever the others found, and sums up.
    ///
    /// # Errors
    /// A campaign lost, invented or refused something, or could not be run.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let programs = Programs::ordinary(&Programs::CAMPAIGNS)?;
        if self.report {
            return self.report(&programs);
        }
        let mut steps = Steps::default();
        for (program, short, long) in CAMPAIGNS {
            let words = if self.is_long { long } else { short };
            steps.step(
                words,
                "the seed and the step are named: make a test of it",
                || match program {
                    FLIPS => flips(words, false).on(&programs),
                    program => succeed(&mut campaign(&programs, program, words)?),
                },
            );
        }
        steps.finish()
    }

    /// The table of all campaigns, each counted and what was skipped said.
    ///
    /// The real machine waits for its disk most of the time: its campaigns run beside those
    /// that only compute.
    fn report(&self, programs: &Programs) -> anyhow::Result<()> {
        let (real, computed): (Vec<_>, Vec<_>) =
            CAMPAIGNS.into_iter().enumerate().partition(|(_, (program, ..))| *program == OUTAGE);
        let mut told = std::thread::scope(|scope| {
            let real = scope.spawn(|| self.tell(programs, real));
            let computed = self.tell(programs, computed)?;
            let real = real.join().map_err(|_| anyhow!("a campaign panicked"))??;
            anyhow::Ok([computed, real].concat())
        })?;
        told.sort_by_key(|(at, _)| *at);
        let mut table = Table::default();
        told.into_iter().for_each(|(_, row)| table.push(row));
        println!("{table}");
        ensure!(table.is_sound(), "a campaign found harm: run it by its name, it tells where");
        Ok(())
    }

    /// The rows of these campaigns, one after the other, each with its campaign's place.
    fn tell(
        &self,
        programs: &Programs,
        campaigns: Vec<(usize, Campaign)>,
    ) -> anyhow::Result<Vec<(usize, Row)>> {
        let mut told = Vec::new();
        for (at, (program, short, long)) in campaigns {
            for row in rows(programs, program, if self.is_long { long } else { short })? {
                eprintln!("{row}");
                told.push((at, row));
            }
        }
        Ok(told)
    }
}

fn flips(words: &str, json: bool) -> Flips {
    if words == SMALL { Flips::small(json) } else { Flips::full(json) }
}

fn campaign(programs: &Programs, program: &str, words: &str) -> anyhow::Result<Command> {
    let mut command = programs.command(program)?;
    command.args(words.split(' '));
    Ok(command)
}

/// Runs a campaign and returns its results, a row for each of its parts.
fn rows(programs: &Programs, program: &str, words: &str) -> anyhow::Result<Vec<Row>> {
    if program == FLIPS {
        let told = output(&mut flips(words, true).command(programs)?)?;
        return Ok(vec![Row::of_flips(&told)?]);
    }
    Row::told(&mut campaign(programs, program, words)?).context(words.to_owned())
}
