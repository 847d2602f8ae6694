//! Measures the cost of checkpoints while a ledger grows, and the delay that a writer notices.

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
use serde_json::{Value, json};

use crate::append::body;
use crate::extent::extent;
use crate::plan::{LogArgs, entries};
use crate::report::{Timed, answer, in_micros, merged, ratio};
use crate::words::Random;
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Stopwatch, Walls};

/// Arguments of `memlith-bench checkpoint`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckpointArgs {
    #[command(flatten)]
    log: LogArgs,
    /// Events from one checkpoint to the next.
    #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Memories that are written one by one, synced, without and with a thread that writes
    /// checkpoints.
    #[arg(long, value_name = "N", default_value = "3000", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    single: usize,
}

/// Runs the bench and prints its figures; the times at their top are those of one checkpoint.
///
/// # Errors
/// Something can't be written, or a checkpoint was not.
pub(crate) fn run(args: &CheckpointArgs, context: &mut Context) -> Result<Exit> {
    let folder = args.log.cache.temporary()?;
    let dir = folder.path().join("ledger");
    let storage = CountedStorage::new(LocalStorage::create(&dir)?);
    let counters = storage.counters();
    let ledger = Arc::new(Ledger::create_in(Env::system(storage), Options::default())?);
    let (timed, written) = grow(&ledger, &counters, args)?;
    let options = LogOptions { read_only: true, ..LogOptions::default() };
    let log = Log::open(Env::system(LocalStorage::open(&dir)?), options)?;
    let (kept_bytes, log_bytes) = (newest_runs(&dir)?, extent(&log, &dir)?);
    drop(log);
    let alone = single(&ledger, args)?;
    ledger.checkpoints().write()?;
    let keeper = Keeper::of(&ledger)?;
    let kept = single(&ledger, args)?;
    drop(keeper);
    let figures = json!({
        "seed": args.log.seed,
        "events": args.log.size.events(),
        "every": args.every,
        "cpu_ms_mean": ratio(timed.busy.as_secs_f64() * 1e3, timed.cpu.count() as f64),
        "cpu_ms_p50": timed.cpu.percentile_ms(50),
        "cpu_ms_p99": timed.cpu.percentile_ms(99),
        "cpu_ms_max": timed.cpu.percentile_ms(100),
        "written_bytes": written,
        "kept_bytes": kept_bytes,
        "write_amplification": ratio(written as f64, kept_bytes as f64),
        "written_per_log_byte": ratio(written as f64, log_bytes as f64),
        "alone": alone,
        "kept": kept,
    });
    answer(context, &timed.walls, figures)
}

/// Imports the workload, with a checkpoint after every so many events: what those took, and the
/// bytes that they wrote, the log's own not among them.
fn grow(ledger: &Ledger, counters: &Counters, args: &CheckpointArgs) -> Result<(Timed, u64)> {
    let events = args.log.size.events();
    let mut workload = Workload::new(args.log.seed, events, 0);
    let (mut timed, mut written_bytes) = (Timed::default(), 0);
    for _ in 0..events.div_ceil(args.every) {
        workload.go_on(args.every);
        let lines = BufReader::new(&mut workload);
        ledger.import(Format::Eventloom, lines, ImportOptions::default())?;
        let before = counters.now();
        let written = timed.run(|| Ok(ledger.checkpoints().write()?))?;
        ensure!(matches!(written, Checkpointed::Sealed { .. }), "no checkpoint: {written:?}");
        written_bytes += counters.now().since(before).written_bytes;
    }
    Ok((timed, written_bytes))
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

/// Times memories that are written one by one, each synced.
fn single(ledger: &Ledger, args: &CheckpointArgs) -> Result<Value> {
    let (caller, before) = (Caller::user("default", "bench"), ledger.checkpoints().list()?);
    let (mut random, mut walls) = (Random::new(args.log.seed), Walls::default());
    for _ in 0..args.single {
        let text = String::from_utf8(body(&mut random, 600)).context("a text")?;
        let watch = Stopwatch::start();
        let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
        walls.push(watch.elapsed());
    }
    let newer = |seq: &&memlith::Seq| before.last().is_none_or(|last| *seq > last);
    let checkpoints = ledger.checkpoints().list()?.iter().filter(newer).count();
    Ok(merged([in_micros(&walls), json!({ "checkpoints": checkpoints })]))
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
