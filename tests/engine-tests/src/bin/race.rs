//! Two processes write to one ledger while a third reads it.
//!
//! `race COUNT` makes a ledger in a temporary folder, starts itself twice as `race write
//! FOLDER NAME COUNT`, reads along without a lock, and says what it saw. It fails if the
//! reader ever sees a gap, a broken chain or part of a batch, if anything is missing at
//! the end, if the writers didn't take turns, or if a verification finds anything.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use memlith::{
    Caller, Ledger, Options, Remember, Seq,
    log::{Record, decode},
    prove::Level,
    storage::{Clock, SystemClock},
    verify,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Every remember appends a decision and its row.
const EVENTS_EACH: u64 = 2;

/// Two writers that take turns change at least so often, where there is as much to write.
const CHANGES_MIN: u64 = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["write", folder, name, count] => write(Path::new(folder), name, count),
        [count] => race(count),
        _ => Err("usage: race COUNT".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

/// Opens the ledger, says so, waits to be let go, and remembers `count` times.
fn write(folder: &Path, name: &str, count: &str) -> Outcome<()> {
    let ledger = Ledger::open(folder, Options::default())?;
    writeln!(std::io::stdout(), "ready")?;
    std::io::stdin().read_line(&mut String::new())?;
    let caller = Caller::user("default", name);
    for number in 0..count.parse::<u64>()? {
        let text = format!("Writer {name} wrote line number {number}.");
        let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
    }
    Ok(ledger.close()?)
}

fn race(count: &str) -> Outcome<()> {
    let count: u64 = count.parse()?;
    let folder = tempfile::tempdir()?;
    Ledger::create(folder.path(), Options::default())?.close()?;
    let mut writers = Vec::new();
    for name in ["ana", "ben"] {
        writers.push(start(folder.path(), name, count)?);
    }
    for writer in &mut writers {
        let lines = writer.stdin.as_mut().ok_or("a writer takes no input")?;
        writeln!(lines, "go")?;
    }
    let seen = follow(folder.path(), &mut writers)?;
    let expected = count * 2 * EVENTS_EACH;
    if seen.events != expected {
        return Err(format!("{} events were written, {} seen", expected, seen.events).into());
    }
    if seen.changes < CHANGES_MIN.min(count / 2) {
        return Err(format!("the writers changed {} times", seen.changes).into());
    }
    let report = verify(folder.path(), Level::Full)?;
    if let Some(finding) = report.findings.first() {
        return Err(format!("verification found {finding:?}").into());
    }
    writeln!(
        std::io::stdout(),
        "{} events, one chain; the writers changed {} times; {} looks, none of a part of a batch",
        seen.events,
        seen.changes,
        seen.looks
    )?;
    Ok(())
}

/// A writer that has the ledger open and waits.
fn start(folder: &Path, name: &str, count: u64) -> Outcome<Child> {
    let mut writer = Command::new(std::env::current_exe()?)
        .arg("write")
        .arg(folder)
        .args([name, &count.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let said = writer.stdout.take().ok_or("a writer says nothing")?;
    BufReader::new(said).read_line(&mut String::new())?;
    Ok(writer)
}

/// Counts and last record of a reader.
#[derive(Default)]
struct Seen {
    last: Option<Record>,
    events: u64,
    changes: u64,
    writer: Option<String>,
    looks: u64,
}

/// Reads what is new until every writer has ended well, and once more.
fn follow(folder: &Path, writers: &mut [Child]) -> Outcome<Seen> {
    let reader = Ledger::open(folder, Options { read_only: true, ..Options::default() })?;
    let clock = SystemClock::new();
    let mut seen = Seen::default();
    loop {
        let mut running = false;
        for writer in writers.iter_mut() {
            match writer.try_wait()? {
                None => running = true,
                Some(status) if status.success() => {}
                Some(status) => return Err(format!("a writer ended with {status}").into()),
            }
        }
        seen.look(&reader)?;
        if !running {
            return Ok(seen);
        }
        clock.pause(Duration::from_millis(1));
    }
}

impl Seen {
    fn look(&mut self, reader: &Ledger) -> Outcome<()> {
        let from = self.last.as_ref().map_or(Seq::GENESIS, |record| record.seq.next());
        for record in reader.records(from, None)? {
            self.take(record?)?;
        }
        self.looks += 1;
        match &self.last {
            Some(record) if !record.ends_batch() => {
                Err(format!("the reader saw part of a batch, up to record {}", record.seq).into())
            }
            Some(_) | None => Ok(()),
        }
    }

    fn take(&mut self, record: Record) -> Outcome<()> {
        if let Some(last) = &self.last {
            if record.seq != last.seq.next() {
                return Err(format!("record {} follows {}", record.seq, last.seq).into());
            }
            if record.chain != memlith_log::link(&last.chain, &record.record_hash) {
                return Err(format!("record {} is not linked", record.seq).into());
            }
        }
        if let Some(body) = decode(&record)? {
            let writer = body.envelope.actor.name.to_string();
            self.events += 1;
            self.changes += u64::from(self.writer.as_ref().is_some_and(|last| *last != writer));
            self.writer = Some(writer);
        }
        self.last = Some(record);
        Ok(())
    }
}
