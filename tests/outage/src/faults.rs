//! Every call that touches the ledger, failing once.

use std::collections::BTreeSet;

use crate::row::Row;
use crate::strace::{Call, calls, inject, missing};
use crate::trial::{Program, Trial};
use crate::workers::share;

/// Returns the errors that a call of this name can fail with.
fn faults_of(name: &str) -> &'static [&'static str] {
    match name {
        "pwrite64" | "ftruncate" | "fallocate" => &["EIO", "ENOSPC", "EDQUOT"],
        "openat" | "mkdir" | "rename" | "renameat2" => &["EIO", "ENOSPC", "EMFILE"],
        "fdatasync" | "fsync" => &["EIO", "ENOSPC"],
        "pread64" | "read" | "getdents64" | "unlink" | "unlinkat" | "statx" | "fstatfs" => &["EIO"],
        "flock" => &["ENOLCK", "EINTR"],
        "mmap" => &["ENOMEM"],
        _ => &[],
    }
}

/// Lets each call of a session of `steps` steps fail once, in every way there is.
///
/// # Errors
/// The machine can't: no folder, no process.
pub(crate) fn run(program: &Program, steps: u64) -> anyhow::Result<Row> {
    if let Some(why) = missing() {
        return Ok(Row::skipped("faults of system calls", why));
    }
    let folder = tempfile::tempdir()?;
    let model = Trial::create(program, &folder.path().join("model"))?;
    let calls = calls(&model, steps, &folder.path().join("calls"))?;
    let mut faults = Vec::new();
    for call in calls.iter().filter(|call| call.in_ledger) {
        faults.extend(faults_of(&call.name).iter().map(|fault| (call, *fault)));
    }
    let kinds: BTreeSet<_> = faults.iter().map(|(call, fault)| (&call.name, *fault)).collect();
    let mut row = share("faults of system calls", &faults, |at, (call, fault), row| {
        let home = folder.path().join(at.to_string());
        once(&mut Trial::create(program, &home)?, row, call, fault, steps)?;
        Ok(std::fs::remove_dir_all(&home)?)
    })?;
    row.note = format!("{} kinds of fault", kinds.len());
    Ok(row)
}

fn once(
    trial: &mut Trial,
    row: &mut Row,
    call: &Call,
    fault: &str,
    steps: u64,
) -> anyhow::Result<()> {
    let end = trial.reap(trial.start(&inject(call, &format!("error={fault}")), steps)?)?;
    row.tried += 1;
    let what = format!("{fault} at {} number {}", call.name, call.nth);
    Trial::count_end(row, &end, &what);
    if trial.judge(row, &[], end.acknowledged, &what)? {
        let rest = trial.reap(trial.start(&[], steps)?)?;
        anyhow::ensure!(rest.status.success(), "{what}: the next process: {}", rest.complaint);
        trial.judge(row, &[], rest.acknowledged, &format!("{what}, then on"))?;
    }
    Ok(())
}
