//! Kills the session at every one of its system calls.

use std::path::Path;

use crate::row::Row;
use crate::strace::{Call, calls, inject, missing};
use crate::trial::{Program, Trial};
use crate::workers::share;

/// Kills a session of `steps` steps at each system call, in `place`.
///
/// # Errors
/// The machine can't: no folder, no process.
pub(crate) fn run(program: &Program, steps: u64, place: &Path, name: &str) -> anyhow::Result<Row> {
    if let Some(why) = missing() {
        return Ok(Row::skipped(name, why));
    }
    let folder = tempfile::tempdir_in(place)?;
    let model = Trial::create(program, &folder.path().join("model"))?;
    let calls = calls(&model, steps, &folder.path().join("calls"))?;
    let mut row = share(name, &calls, |at, call, row| {
        let home = folder.path().join(at.to_string());
        let mut trial = Trial::create(program, &home)?;
        kill_at(&mut trial, row, call, steps)?;
        Ok(std::fs::remove_dir_all(&home)?)
    })?;
    row.note = format!("{steps} steps");
    Ok(row)
}

fn kill_at(trial: &mut Trial, row: &mut Row, call: &Call, steps: u64) -> anyhow::Result<()> {
    let end = trial.reap(trial.start(&inject(call, "signal=SIGKILL"), steps)?)?;
    row.tried += 1;
    let what = format!("killed at {} number {}", call.name, call.nth);
    if end.status.code().is_some() {
        Trial::count_end(row, &end, &what);
    }
    if trial.judge(row, &[], end.acknowledged, &what)? {
        // What was recovered has to be of use: the rest of the session runs on it.
        let rest = trial.reap(trial.start(&[], steps)?)?;
        let what = format!("{what}, then on");
        Trial::count_end(row, &rest, &what);
        trial.judge(row, &[], rest.acknowledged, &what)?;
    }
    Ok(())
}
