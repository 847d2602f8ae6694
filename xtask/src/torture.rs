use anyhow::Context;

use crate::programs::{OUTAGE, Programs, TORTURE};
use crate::report::{Row, Table};
use crate::workers::by_workers;

/// Runs every campaign against the log and the engine, on a simulated disk and on this machine.
///
/// Programs of their own, `tests/torture` and `tests/outage`: they need the engine, and
/// the optimiser. What this machine can't do is skipped, and says so.
#[derive(clap::Args)]
pub(crate) struct Torture {
    /// Runs for hours, as before a release.
    #[arg(long)]
    long: bool,
}

/// Campaigns in the order of the table: the program, its words in short, and in long.
const CAMPAIGNS: [(&str, &str, &str); 15] = [
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
    (TORTURE, "flips --small", "flips"),
];

impl Torture {
    /// Runs every campaign to its end, whatever the others found, and prints one table.
    ///
    /// The real machine waits for its disk most of the time: its campaigns run beside those
    /// that only compute.
    ///
    /// # Errors
    /// A campaign lost, invented or refused something, or could not be run.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let programs = Programs::ordinary(&Programs::CAMPAIGNS)?;
        let (real, computed): (Vec<_>, Vec<_>) =
            (0_u32..).zip(CAMPAIGNS).partition(|(_, (program, ..))| *program == OUTAGE);
        let told = by_workers(2, vec![real, computed], &|part| {
            let mut told = Vec::new();
            for (at, (program, short, long)) in part {
                let words = if self.long { long } else { short };
                told.extend(tell(&programs, program, words)?.into_iter().map(|row| (at, row)));
            }
            Ok(told)
        });
        let mut told: Vec<(u32, Row)> = told?.concat();
        told.sort_by_key(|(at, _)| *at);
        Table { rows: told.into_iter().map(|(_, row)| row).collect() }.judge()
    }
}

/// Runs a campaign; its results, a row for each of its parts.
fn tell(programs: &Programs, program: &str, words: &str) -> anyhow::Result<Vec<Row>> {
    let rows = Row::told(programs.command(program)?.args(words.split(' ')));
    let rows = rows.with_context(|| words.to_owned())?;
    rows.iter().for_each(|row| eprintln!("{row}"));
    Ok(rows)
}
