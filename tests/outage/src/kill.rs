//! SIGKILL at random instants.

use std::time::Duration;

use memlith::storage::{Clock, Rng, SeededRng, SystemClock};

use crate::row::Row;
use crate::trial::{Program, Trial};

/// A ledger is killed so often before the next one begins.
const KILLS_PER_LEDGER: u64 = 25;

/// Steps that a process would do if it lived.
const STEPS_MAX: u64 = 1_000;

/// The longest life in microseconds: long enough for some tens of steps.
const LIFE_MAX_US: u64 = 40_000;

/// Kills `runs` processes, and judges the ledger after each.
///
/// # Errors
/// The machine can't: no temporary folder, no process.
pub(crate) fn run(program: &Program, runs: u64, seed: u64) -> anyhow::Result<Row> {
    let (clock, rng) = (SystemClock::new(), SeededRng::new(seed));
    let mut row = Row::new("SIGKILL");
    let mut steps = 0;
    while row.tried < runs {
        let folder = tempfile::tempdir()?;
        let mut trial = Trial::create(program, &folder.path().join("ledger"))?;
        for _ in 0..KILLS_PER_LEDGER.min(runs - row.tried) {
            let before = trial.next;
            let mut child = trial.start(&[], STEPS_MAX)?;
            clock.pause(Duration::from_micros(below(&rng, LIFE_MAX_US)?));
            child.kill()?;
            let end = trial.reap(child)?;
            row.tried += 1;
            let what = format!("seed {seed}, kill {}, after step {}", row.tried, end.acknowledged);
            if end.status.code().is_some() {
                Trial::count_end(&mut row, &end, &what);
            }
            if !trial.judge(&mut row, &[], end.acknowledged, &what)? {
                let kept = folder.keep();
                row.tell(format!("kept in {}", kept.display()));
                break;
            }
            steps += trial.next.saturating_sub(before);
        }
    }
    row.note = format!("{steps} steps done");
    Ok(row)
}

/// A number below `bound`.
///
/// # Errors
/// None with a seeded generator.
pub(crate) fn below(rng: &dyn Rng, bound: u64) -> anyhow::Result<u64> {
    let mut bytes = [0; 8];
    rng.fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) % bound.max(1))
}
