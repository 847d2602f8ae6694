//! Backups while eight processes write and erase, every other one killed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use memlith::{
    Caller, Error, Ledger, Options, Rank, Remember,
    log::Head,
    prove::Level,
    storage::{Clock, SeededRng, SystemClock},
    verify,
};

use crate::kill::below;
use crate::row::Row;
use crate::survey::full;

/// Processes that write, one of them an eraser.
const WRITERS: usize = 8;

/// A ledger is backed up so often before the next one begins.
const ROUNDS_PER_LEDGER: u64 = 40;

/// The longest life of a backup that is killed, in microseconds.
const LIFE_MAX_US: u64 = 25_000;

/// The words that are erased, each with a number behind it.
const ERASABLE: &str = "erasable-";

/// Makes `rounds` backups that end and as many that are killed, and judges the backup after
/// each.
///
/// # Errors
/// The machine can't: no temporary folder, no process.
pub(crate) fn run(rounds: u64, seed: u64) -> anyhow::Result<Row> {
    let rng = SeededRng::new(seed);
    let mut row = Row::new("backups, half of them killed");
    let (mut ended, mut records) = (0, 0);
    while row.tried < 2 * rounds {
        let folder = tempfile::tempdir()?;
        let mut desk = Desk::open(folder.path())?;
        for _ in 0..ROUNDS_PER_LEDGER.min(2 * rounds - row.tried) {
            let what = format!("seed {seed}, backup {}", row.tried);
            let ends = row.tried.is_multiple_of(2);
            let life = if ends { None } else { Some(below(&rng, LIFE_MAX_US)?) };
            ended += u64::from(desk.back_up(life)?);
            row.tried += 1;
            if let Err(complaint) = desk.judge() {
                row.wrong += 1;
                row.tell(format!("{what}: {complaint:#}"));
                let kept = folder.keep();
                row.tell(format!("kept in {}", kept.display()));
                row.note = format!("{ended} ended");
                return Ok(row);
            }
        }
        records += desk.reader.head().seq.0;
        if let Err(complaint) = desk.last() {
            row.wrong += 1;
            row.tell(format!("seed {seed}, after {}: {complaint:#}", row.tried));
        }
    }
    row.note = format!("{ended} ended, {records} records written meanwhile");
    Ok(row)
}

/// A ledger, those who write to it, and its backup.
struct Desk {
    ledger: std::path::PathBuf,
    dest: std::path::PathBuf,
    reader: Ledger,
    writers: Vec<Child>,
    /// The ledger's head before the last backup that ended began.
    safe: Option<Head>,
}

impl Desk {
    fn open(folder: &Path) -> anyhow::Result<Desk> {
        let (ledger, dest) = (folder.join("ledger"), folder.join("copy"));
        Ledger::create(&ledger, options())?.close()?;
        let reader = Ledger::open(&ledger, Options { read_only: true, ..options() })?;
        let writer = |number: usize| {
            let role = if number == 0 { "erase" } else { "write" };
            let mut command = own(&["victim", role])?;
            Ok(command.arg(&ledger).arg(number.to_string()).spawn()?)
        };
        let writers: anyhow::Result<Vec<Child>> = (0..WRITERS).map(writer).collect();
        Ok(Desk { ledger, dest, reader, writers: writers?, safe: None })
    }

    /// Starts a backup and waits for its end, or kills it after `life` microseconds. Gives
    /// whether it ended by itself.
    fn back_up(&mut self, life: Option<u64>) -> anyhow::Result<bool> {
        let before = self.reader.refresh()?;
        let mut command = own(&["victim", "backup"])?;
        let mut child = command.arg(&self.ledger).arg(&self.dest).spawn()?;
        if let Some(life) = life {
            SystemClock::new().pause(Duration::from_micros(life));
            child.kill()?;
        }
        let status = child.wait()?;
        ensure!(life.is_some() || status.success(), "a backup failed: {status}");
        if status.success() {
            self.safe = Some(before);
        }
        Ok(status.success())
    }

    /// The backup opens, verifies, and holds all that the ledger held before the last backup
    /// that ended: the same chain, and so the same records under the same ids.
    fn judge(&self) -> anyhow::Result<()> {
        let Some(safe) = self.safe else { return Ok(()) };
        let copy = Ledger::open(&self.dest, Options { read_only: true, ..options() });
        let copy = copy.map_err(|error| anyhow::anyhow!("it does not open: {}", full(&error)))?;
        ensure!(copy.id() == self.reader.id(), "it is another ledger");
        ensure!(copy.head().seq >= safe.seq, "it ends at {} before {}", copy.head().seq, safe.seq);
        let mut at_head = copy.records(safe.seq, Some(1))?;
        let record = at_head.next().context("the head of before is not there")??;
        ensure!(record.chain == safe.chain, "the chain at {} is another", safe.seq);
        let findings = verify(&self.dest, Level::Full)?.findings;
        ensure!(findings.is_empty(), "verification found {findings:?}");
        Ok(())
    }

    /// Ends the writers, and compares the last backup with the ledger: what was erased there
    /// is in no byte of it.
    fn last(mut self) -> anyhow::Result<()> {
        self.stop()?;
        // The eraser may have been killed in the middle: who writes next finishes it.
        Ledger::open(&self.ledger, options())?.check_writable()?;
        self.back_up(None)?;
        self.judge()?;
        let (here, there) = (erasable(&self.ledger)?, erasable(&self.dest)?);
        match there.iter().find(|word| !here.contains(*word)) {
            Some(word) => {
                bail!("{} was erased, and is in the backup", String::from_utf8_lossy(word))
            }
            None => Ok(()),
        }
    }

    fn stop(&mut self) -> anyhow::Result<()> {
        for writer in &mut self.writers {
            ensure!(writer.try_wait()?.is_none(), "a writer ended by itself");
            writer.kill()?;
            writer.wait()?;
        }
        self.writers.clear();
        Ok(())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for writer in &mut self.writers {
            let _ = writer.kill();
            let _ = writer.wait();
        }
    }
}

fn own(words: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("where is this program?")?);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

/// Segments so small that they are sealed all the time.
fn options() -> Options {
    Options { segment_lens: [64 << 10; 4], ..Options::default() }
}

/// The words to be erased that stand in any file of a folder.
fn erasable(folder: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            continue;
        }
        let bytes = fs::read(&path)?;
        let mut rest = bytes.as_slice();
        while let Some(at) = rest.windows(ERASABLE.len()).position(|at| at == ERASABLE.as_bytes()) {
            let word = rest.get(at..).unwrap_or_default();
            let end = word.iter().position(|byte| *byte == b'.').unwrap_or(word.len());
            found.push(word.get(..end).unwrap_or_default().to_owned());
            rest = word.get(ERASABLE.len()..).unwrap_or_default();
        }
    }
    Ok(found)
}

/// Writes until it is killed.
pub(crate) fn write(folder: &Path, name: &str) -> Result<(), Error> {
    let (ledger, clock) = (Ledger::open(folder, options())?, SystemClock::new());
    let caller = Caller::user("default", name);
    for number in 0_u64.. {
        let text = format!("Writer {name} noted {number}: {}.", "a few more words ".repeat(10));
        let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
        clock.pause(Duration::from_millis(4));
    }
    ledger.close()
}

/// Writes and erases until it is killed.
pub(crate) fn erase(folder: &Path) -> Result<(), Error> {
    let (ledger, clock) = (Ledger::open(folder, options())?, SystemClock::new());
    let owner = Caller::new("default", "owner", Rank::Owner);
    for number in 0_u64.. {
        let text = format!("The word of the day is {ERASABLE}{number}.");
        let written = ledger.remember(&owner, Remember { text, ..Remember::default() })?;
        clock.pause(Duration::from_millis(30));
        ledger.erasure().erase(&owner, &[written.id])?;
        clock.pause(Duration::from_millis(30));
    }
    ledger.close()
}

/// Makes one backup.
pub(crate) fn back_up(folder: &Path, dest: &Path) -> Result<(), Error> {
    let ledger = Ledger::open(folder, options())?;
    ledger.backup(dest)?;
    ledger.close()
}
