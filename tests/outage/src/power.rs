//! Power cuts at the level of the file system: it is shut down under a running process,
//! forgets what it had not written, and is mounted again.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use memlith::storage::{Clock, SeededRng, SystemClock};

use crate::kill::below;
use crate::mounted::{Image, Kind, Mount, missing, run as command};
use crate::row::Row;
use crate::trial::{Program, Trial};

/// Steps that a process would do if the power stayed.
const STEPS_MAX: u64 = 1_000;

/// The longest time until the cut, in microseconds.
const LIFE_MAX_US: u64 = 120_000;

/// A file system sees so many cuts before the next one begins.
const CUTS_PER_IMAGE: u64 = 10;

/// Cuts the power `cycles` times on a file system of the kind.
///
/// # Errors
/// The machine can't, although it has what is needed.
pub(crate) fn run(program: &Program, kind: Kind, cycles: u64, seed: u64) -> anyhow::Result<Row> {
    let name = format!("power cuts on {}", kind.name());
    let tool = format!("mkfs.{}", kind.name());
    if let Some(why) = missing(&["xfs_io", "mount", "unshare", &tool]) {
        return Ok(Row::skipped(name, why));
    }
    let (clock, rng) = (SystemClock::new(), SeededRng::new(seed));
    let mut row = Row::new(name);
    let mut steps = 0;
    while row.tried < cycles {
        let place = tempfile::tempdir()?;
        let image = Image::make(kind, place.path())?;
        let mut mount = image.mount()?;
        let mut trial = Trial::create(program, &mount.folder().join("ledger"))?;
        for _ in 0..CUTS_PER_IMAGE.min(cycles - row.tried) {
            let before = trial.next;
            let boot = boot(place.path(), row.tried)?;
            let child = trial.start(&boot, STEPS_MAX)?;
            clock.pause(Duration::from_micros(below(&rng, LIFE_MAX_US)?));
            cut(&mount, below(&rng, 4)? == 0)?;
            let end = trial.reap(child)?;
            row.tried += 1;
            let what = format!("seed {seed}, cut {}, after step {}", row.tried, end.acknowledged);
            Trial::count_end(&mut row, &end, &what);
            mount.leave()?;
            mount = image.mount()?;
            let boot = self::boot(place.path(), row.tried)?;
            if !trial.judge(&mut row, &boot, end.acknowledged, &what)? {
                break;
            }
            steps += trial.next.saturating_sub(before);
        }
        mount.leave()?;
    }
    row.note = format!("{steps} steps done");
    Ok(row)
}

/// Shuts the file system down; `flush` lets its journal reach the disk first.
fn cut(mount: &Mount, flush: bool) -> anyhow::Result<()> {
    let how = if flush { "shutdown -f" } else { "shutdown" };
    command(Command::new("xfs_io").args(["-x", "-c", how]).arg(mount.folder()))
}

/// The words before a command line that give it a machine that was started anew.
///
/// # Errors
/// The file that stands in for the system's can't be written.
pub(crate) fn boot(place: &Path, number: u64) -> anyhow::Result<Vec<String>> {
    let file = place.join("boot_id");
    fs::write(&file, format!("00000000-0000-4000-8000-{number:012x}\n"))?;
    let script = format!(
        "mount --bind {} /proc/sys/kernel/random/boot_id && exec \"$0\" \"$@\"",
        file.display()
    );
    Ok(vec!["unshare".to_owned(), "-m".to_owned(), "sh".to_owned(), "-c".to_owned(), script])
}
