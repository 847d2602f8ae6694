//! Measures the cost of checkpoints while a ledger grows, and the delay that a writer notices.

use std::fmt::Write;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use clap::builder::RangedU64ValueParser;
use memlith::measured::{CountedStorage, Counters, Log, LogOptions};
use memlith::{
    Caller, Keeper, Ledger, Options, Remember,
    copy::{Format, ImportOptions},
    prove::Checkpointed,
    storage::{Env, LocalStorage},
};
use serde::Serialize;

use crate::append::body;
use crate::extent::extent;
use crate::plan::{Cache, entries};
use crate::size::Size;
use crate::summary::{Summary, cpu_time, ratio};
use crate::words::Random;
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Stopwatch, Walls, micros};

/// Arguments of `memlith-bench checkpoint`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench checkpoint --json
  memlith-bench checkpoint --size 10MB --every 250")]
pub(crate) struct CheckpointArgs {
    /// How long the log gets, in Eventloom's lines.
    #[arg(long, default_value = Size::DEFAULT)]
    size: Size,
    /// Events from one checkpoint to the next.
    #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Memories that are written one by one, synced, without and with a thread that writes
    /// checkpoints.
    #[arg(long, value_name = "N", default_value = "3000", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    single: usize,
    /// Seed of the words and kinds.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// The report; the times at its top are those of one checkpoint.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    events: u64,
    every: u64,
    cpu_ms_mean: f64,
    cpu_ms_p50: f64,
    cpu_ms_p99: f64,
    cpu_ms_max: f64,
    /// Bytes that all checkpoints wrote, the log's own bytes not among them.
    written_bytes: u64,
    /// The runs of the newest checkpoint.
    kept_bytes: u64,
    /// How often a byte of them was written.
    write_amplification: Option<f64>,
    /// Bytes written for checkpoints for each byte of the log.
    written_per_log_byte: Option<f64>,
    alone: Single,
    kept: Single,
}

/// Memories written one by one, each synced.
#[derive(Serialize)]
struct Single {
    wall_us_p50: f64,
    wall_us_p99: f64,
    wall_us_max: f64,
    /// Checkpoints that were written meanwhile.
    checkpoints: usize,
}

/// Measurements of the checkpoints of a growing ledger.
#[derive(Default)]
struct Measured {
    walls: Walls,
    cpu: Walls,
    cpu_s: f64,
    written_bytes: u64,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// Something can't be written, or a checkpoint was not.
pub(crate) fn run(args: &CheckpointArgs, context: &mut Context) -> Result<Exit> {
    let folder = tempfile::tempdir_in(args.cache.folder()?).context("make a temporary folder")?;
    let dir = folder.path().join("ledger");
    let storage = CountedStorage::new(LocalStorage::create(&dir)?);
    let counters = storage.counters();
    let ledger = Arc::new(Ledger::create_in(Env::system(storage), Options::default())?);
    let measured = grow(&ledger, &counters, args)?;
    let (kept_bytes, log_bytes) = (newest_runs(&dir)?, log_bytes(&dir)?);
    let alone = single(&ledger, args)?;
    ledger.checkpoints().write()?;
    let keeper = Keeper::of(&ledger)?;
    let kept = single(&ledger, args)?;
    drop(keeper);
    let printed = Printed {
        summary: Summary::of(&measured.walls, args.seed),
        events: args.size.events(),
        every: args.every,
        cpu_ms_mean: crate::rounded(measured.cpu_s * 1e3 / measured.cpu.count().max(1) as f64, 3),
        cpu_ms_p50: measured.cpu.percentile_ms(50),
        cpu_ms_p99: measured.cpu.percentile_ms(99),
        cpu_ms_max: measured.cpu.percentile_ms(100),
        written_bytes: measured.written_bytes,
        kept_bytes,
        write_amplification: ratio(measured.written_bytes as f64, kept_bytes as f64),
        written_per_log_byte: ratio(measured.written_bytes as f64, log_bytes as f64),
        alone,
        kept,
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

/// Imports the workload, with a checkpoint after every so many events: what those took.
fn grow(ledger: &Ledger, counters: &Counters, args: &CheckpointArgs) -> Result<Measured> {
    let events = args.size.events();
    let mut workload = Workload::new(args.seed, events, 0);
    let mut measured = Measured::default();
    for _ in 0..events.div_ceil(args.every) {
        workload.go_on(args.every);
        let lines = BufReader::new(&mut workload);
        ledger.import(Format::Eventloom, lines, ImportOptions::default())?;
        let before = counters.now();
        let (watch, busy) = (Stopwatch::start(), cpu_time());
        let written = ledger.checkpoints().write()?;
        let (wall, cpu) = (watch.elapsed(), cpu_time().saturating_sub(busy));
        ensure!(matches!(written, Checkpointed::Sealed { .. }), "no checkpoint: {written:?}");
        measured.walls.push(wall);
        measured.cpu.push(cpu);
        measured.cpu_s += cpu.as_secs_f64();
        measured.written_bytes += counters.now().since(before).written_bytes;
    }
    Ok(measured)
}

/// The bytes of the runs that the newest checkpoint names: the longest that follow each other.
fn newest_runs(dir: &Path) -> Result<u64> {
    let mut runs: Vec<(u64, u64, u64)> = Vec::new();
    for entry in entries(dir)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut parts = name.strip_prefix("run-").unwrap_or_default().split('-').skip(1);
        let mut number = || parts.next()?.parse::<u64>().ok();
        if let (Some(from), Some(to)) = (number(), number()) {
            runs.push((from, to, entry.metadata().context("look at a run")?.len()));
        }
    }
    runs.sort_unstable_by_key(|(from, to, _)| (*from, std::cmp::Reverse(*to)));
    let (mut next, mut bytes) = (0, 0);
    for (from, to, len) in runs {
        if from == next {
            (next, bytes) = (to + 1, bytes + len);
        }
    }
    Ok(bytes)
}

/// The bytes of the log in `dir`.
fn log_bytes(dir: &Path) -> Result<u64> {
    let options = LogOptions { read_only: true, ..LogOptions::default() };
    extent(&Log::open(Env::system(LocalStorage::open(dir)?), options)?, dir)
}

/// Times memories that are written one by one.
fn single(ledger: &Ledger, args: &CheckpointArgs) -> Result<Single> {
    let (caller, before) = (Caller::user("default", "bench"), ledger.checkpoints().list()?);
    let (mut random, mut walls) = (Random::new(args.seed), Walls::default());
    for _ in 0..args.single {
        let text = String::from_utf8(body(&mut random, 600)).context("a text")?;
        let watch = Stopwatch::start();
        let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
        walls.push(watch.elapsed());
    }
    let newer = |seq: &&memlith::Seq| before.last().is_none_or(|last| *seq > last);
    Ok(Single {
        wall_us_p50: micros(walls.percentile(50)),
        wall_us_p99: micros(walls.percentile(99)),
        wall_us_max: micros(walls.percentile(100)),
        checkpoints: ledger.checkpoints().list()?.iter().filter(newer).count(),
    })
}

impl Printed {
    fn to_text(&self) -> String {
        let shown =
            |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let mut out = format!(
            "a checkpoint every {} events: CPU {:.1} ms on average, p50 {:.1}, p99 {:.1}, at most {:.1}\n",
            self.every, self.cpu_ms_mean, self.cpu_ms_p50, self.cpu_ms_p99, self.cpu_ms_max
        );
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "{:.1} MB written for {:.1} MB that are kept: {} times; {} bytes a byte of log",
            self.written_bytes as f64 / 1e6,
            self.kept_bytes as f64 / 1e6,
            shown(self.write_amplification),
            shown(self.written_per_log_byte),
        );
        let _ = writeln!(
            out,
            "{:32} {:>9} {:>9} {:>9} {:>11}",
            "one memory, synced", "p50 us", "p99 us", "max us", "checkpoints"
        );
        for (name, one) in
            [("without checkpoints", &self.alone), ("beside checkpoints", &self.kept)]
        {
            let _ = writeln!(
                out,
                "  {name:30} {:>9.1} {:>9.1} {:>9.1} {:>11}",
                one.wall_us_p50, one.wall_us_p99, one.wall_us_max, one.checkpoints
            );
        }
        out + &self.summary.to_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_of_the_newest_checkpoint_are_the_longest_that_follow_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let names =
            ["run-2-0-9-0-aa", "run-2-0-39-0-bb", "run-2-10-19-0-cc", "run-2-40-49-0-dd", "seg-1"];
        for (at, name) in names.iter().enumerate() {
            std::fs::write(dir.path().join(name), vec![0; 1 << at]).unwrap();
        }
        assert_eq!(newest_runs(dir.path()).unwrap(), 2 + 8);
    }
}
