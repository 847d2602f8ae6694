//! No room, a limit on the length of files, and a disk that can't be written any more.

use std::fs;
use std::path::Path;

use anyhow::ensure;

use crate::mounted::{Image, Kind, Mount, missing};
use crate::row::Row;
use crate::trial::{Program, Trial};

/// More steps than fit in any of these places.
const STEPS_MAX: u64 = 5_000;

/// A disk that fills up and is freed, `rounds` times, each a little larger.
///
/// # Errors
/// The machine can't, although it has what is needed.
pub(crate) fn full_disk(program: &Program, rounds: u64) -> anyhow::Result<Row> {
    let name = "full disk, then freed";
    if let Some(why) = missing(&["mount"]) {
        return Ok(Row::skipped(name, why));
    }
    let mut row = Row::new(name);
    for round in 0..rounds {
        let place = tempfile::tempdir()?;
        let len = (384 << 10) + round * (12 << 10);
        let disk = Mount::tmpfs(&place.path().join("disk"), len)?;
        let ballast = disk.folder().join("ballast");
        // So much that a checkpoint has room when it is gone, however much there is to keep.
        fs::write(&ballast, vec![1; usize::try_from(len * 5 / 12)?])?;
        let mut trial = Trial::create(program, &disk.folder().join("ledger"))?;
        for what in ["full", "full again"] {
            let before = trial.next;
            if !refused(&mut trial, &mut row, &[], &format!("round {round}, {what}"))? {
                break;
            }
            ensure!(trial.next > before, "round {round}: nothing was written before it was {what}");
            if ballast.exists() {
                fs::remove_file(&ballast)?;
            }
        }
        disk.again("size=4m")?;
        let end = trial.reap(trial.start(&[], 50)?)?;
        ensure!(end.status.success(), "round {round}, with room: {}", end.complaint);
        trial.judge(&mut row, &[], end.acknowledged, &format!("round {round}, with room"))?;
        disk.leave()?;
    }
    Ok(row)
}

/// A limit on the length of a file: short writes, then none.
///
/// With the signal ignored a write beyond it is cut short and then fails; without, the
/// process is killed in the middle of one.
///
/// # Errors
/// The machine can't.
pub(crate) fn file_limit(program: &Program, rounds: u64) -> anyhow::Result<Row> {
    let mut row = Row::new("limit on file length");
    for round in 0..rounds {
        let place = tempfile::tempdir()?;
        let mut trial = Trial::create(program, &place.path().join("ledger"))?;
        // In units of 512 bytes: below a segment, and around the lengths of checkpoints.
        let blocks = 1 + round;
        for trap in ["trap '' XFSZ; ", ""] {
            let script = format!("{trap}ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let wrapper = ["sh".to_owned(), "-c".to_owned(), script];
            let what = format!("at most {blocks} blocks, {trap:?}");
            if !refused(&mut trial, &mut row, &wrapper, &what)? {
                break;
            }
        }
    }
    Ok(row)
}

/// A file system that is mounted for reading only between two processes.
///
/// # Errors
/// The machine can't, although it has what is needed.
pub(crate) fn read_only(program: &Program, rounds: u64) -> anyhow::Result<Row> {
    let name = "read-only file system";
    if let Some(why) = missing(&["mount", "mkfs.ext4"]) {
        return Ok(Row::skipped(name, why));
    }
    let mut row = Row::new(name);
    let place = tempfile::tempdir()?;
    let mount = Image::make(Kind::Ext4, place.path())?.mount()?;
    let mut trial = Trial::create(program, &mount.folder().join("ledger"))?;
    for round in 0..rounds {
        let end = trial.reap(trial.start(&[], 1 + round)?)?;
        Trial::count_end(&mut row, &end, "while it can be written");
        trial.next = end.acknowledged;
        let before = bytes(trial.folder())?;
        mount.again("ro")?;
        let end = trial.reap(trial.start(&[], 4)?)?;
        row.tried += 1;
        let what = format!("round {round}");
        Trial::count_end(&mut row, &end, &what);
        if end.status.success() || end.acknowledged > trial.next || bytes(trial.folder())? != before
        {
            row.wrong += 1;
            row.tell(format!("{what}: something was written"));
        }
        mount.again("rw")?;
        if !trial.judge(&mut row, &[], end.acknowledged, &what)? {
            break;
        }
    }
    mount.leave()?;
    Ok(row)
}

/// Runs until the place refuses, and judges what is there.
fn refused(
    trial: &mut Trial,
    row: &mut Row,
    wrapper: &[String],
    what: &str,
) -> anyhow::Result<bool> {
    let end = trial.reap(trial.start(wrapper, STEPS_MAX)?)?;
    row.tried += 1;
    // A signal is a kill: there is nothing that the process could have said.
    if end.status.code().is_some() {
        Trial::count_end(row, &end, what);
    }
    trial.judge(row, &[], end.acknowledged, what)
}

/// The names and bytes of all files in a folder.
fn bytes(folder: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            all.push((path.display().to_string(), fs::read(&path)?));
        }
    }
    all.sort();
    Ok(all)
}
