//! Measures the cost of appends: one event synced, batches that are buffered, many threads
//! that share a sync, and whether the cost grows with the log.
//!
//! It is the log that is measured, against a bare write and sync of as many bytes; how
//! much the engine adds, which reconciles and folds, is told beside it.

mod ledgers;
mod subject;
mod threads;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;
use memlith::measured::CountedStorage;
use memlith::{
    Caller, Ledger, Options, Remember,
    storage::{Durability, Env, LocalStorage},
};
use serde_json::{Value, json};

pub(crate) use self::subject::body;
use self::subject::{Bare, Subject};
use crate::plan::Cache;
use crate::report::{answer, cpu_time, median, ratio};
use crate::size::Size;
use crate::words::Random;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Stopwatch, Walls, micros, rounded};

/// Arguments of `memlith-bench append`.
#[derive(Debug, clap::Args)]
pub(crate) struct AppendArgs {
    /// Bytes of an event's body.
    #[arg(long, value_name = "N", default_value = "600", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    payload: usize,
    /// Events that are synced one by one, each beside a bare write and sync.
    #[arg(long, value_name = "N", default_value = "500", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    single: usize,
    /// Batches of 100 that are buffered, of a round.
    #[arg(long, value_name = "N", default_value = "500", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    batches: usize,
    /// Rounds of the buffered batches and of the threads; the median counts.
    #[arg(long, value_name = "N", default_value = "5", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000))]
    rounds: usize,
    /// How many threads share syncs, one number after the other.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,4,8,16,32,64", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_024))]
    threads: Vec<usize>,
    /// Events of each thread in a round.
    #[arg(long, value_name = "N", default_value = "200", value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    per_thread: usize,
    /// Also writes memories one by one, synced, for so long, beside the thread that writes
    /// checkpoints.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..=3_600))]
    seconds: Option<u64>,
    /// Compares a log of this length with one of 10 MB; writes as much.
    #[arg(long, value_name = "SIZE")]
    grown: Option<Size>,
    /// Seed of the bodies.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// Appends that come first and are not timed.
const WARMING_UP: u64 = 16;

/// Events of a batch.
const BATCH: usize = 100;

/// Runs the bench and prints its figures; the times at their top are those of one event, synced.
///
/// # Errors
/// Something can't be written or synced, or a log doesn't hold what was appended.
pub(crate) fn run(args: &AppendArgs, context: &mut Context) -> Result<Exit> {
    let folder = args.cache.temporary()?;
    let folder = folder.path();
    let mut subject = Subject::new(&folder.join("log"), args)?;
    let mut bare = Bare::new(&folder.join("bare"), args)?;
    let (walls, one) = one(&mut subject, &mut bare, &folder.join("engine"), args)?;
    let buffered = buffered(&mut subject, args)?;
    let group = threads::group(&subject, args)?;
    let grown = |size: Size| ledgers::grown(folder, size, args);
    let sustained = |seconds| ledgers::sustained(&folder.join("sustained"), seconds, args);
    let figures = json!({
        "seed": args.seed,
        "payload_bytes": args.payload,
        "one": one,
        "buffered": buffered,
        "group": group,
        "grown": args.grown.map(grown).transpose()?,
        "sustained": args.seconds.map(sustained).transpose()?,
        "small": ledgers::small(&folder.join("small-ledger"), args)?,
    });
    subject.finish()?;
    answer(context, &walls, figures)
}

/// Times single synced events, each beside a bare write and one that the engine decides on: what
/// disturbs the machine disturbs all three.
fn one(
    subject: &mut Subject,
    bare: &mut Bare,
    engine: &Path,
    args: &AppendArgs,
) -> Result<(Walls, Value)> {
    let storage = CountedStorage::new(LocalStorage::create(engine)?);
    let counters = storage.counters();
    let ledger = Ledger::create_in(Env::system(storage), Options::default())?;
    let caller = Caller::user("default", "bench");
    let mut random = Random::new(args.seed + 1);
    let mut walls = [Walls::default(), Walls::default(), Walls::default()];
    let mut before = (subject.counts(), counters.now());
    for round in 0..WARMING_UP + args.single as u64 {
        if round == WARMING_UP {
            before = (subject.counts(), counters.now());
        }
        let bodies = subject.bodies(1);
        let text = String::from_utf8(body(&mut random, args.payload)).context("a text")?;
        let note = Remember { text, ..Remember::default() };
        let written = timed(|| subject.append(&bodies, Durability::Immediate))?;
        let written_bare = timed(|| bare.append())?;
        let remembered = timed(|| Ok(ledger.remember(&caller, note).map(drop)?))?;
        if round >= WARMING_UP {
            let took = [written, written_bare, remembered];
            walls.iter_mut().zip(took).for_each(|(walls, took)| walls.push(took));
        }
    }
    let syncs = subject.counts().since(before.0).file_syncs;
    let remember_syncs = counters.now().since(before.1).file_syncs;
    ledger.close()?;
    let [log, bare, remember] = walls;
    let at = |walls: &Walls, percent| micros(walls.percentile(percent));
    let over_bare = |walls: &Walls| ratio(at(walls, 50), at(&bare, 50));
    let figures = json!({
        "wall_us_p50": at(&log, 50),
        "wall_us_p99": at(&log, 99),
        "bare_us_p50": at(&bare, 50),
        "bare_us_p99": at(&bare, 99),
        "ratio_p50": over_bare(&log),
        "syncs_per_event": ratio(syncs as f64, log.count() as f64),
        "remember_us_p50": at(&remember, 50),
        "remember_us_p99": at(&remember, 99),
        "remember_ratio_p50": over_bare(&remember),
        "remember_syncs": ratio(remember_syncs as f64, log.count() as f64),
    });
    Ok((log, figures))
}

/// Times batches whose syncs come later.
fn buffered(subject: &mut Subject, args: &AppendArgs) -> Result<Value> {
    let (mut per_s, mut per_cpu_s) = (Vec::new(), Vec::new());
    let (before, extent_before) = (subject.counts(), subject.extent()?);
    for _ in 0..args.rounds {
        // Made before the clock runs, and few: a core's cache is not what is measured.
        let batches: Vec<Vec<Vec<u8>>> = (0..args.batches).map(|_| subject.bodies(BATCH)).collect();
        let (watch, busy) = (Stopwatch::start(), cpu_time());
        for batch in &batches {
            subject.append(batch, Durability::Buffered)?;
        }
        let events = (args.batches * BATCH) as f64;
        per_s.push(events / watch.elapsed().as_secs_f64());
        per_cpu_s.push(events / (cpu_time() - busy).as_secs_f64());
    }
    let events = (args.rounds * args.batches * BATCH) as u64;
    let done = subject.counts().since(before);
    let payload = (events * args.payload as u64) as f64;
    let per_cpu_s = median(per_cpu_s);
    Ok(json!({
        "events": events,
        "batch": BATCH,
        "events_per_s": rounded(median(per_s), 0),
        "events_per_cpu_s": rounded(per_cpu_s, 0),
        "cpu_us_per_event": ratio(1e6, per_cpu_s),
        "file_syncs": done.file_syncs,
        "written_per_payload": ratio(done.written_bytes as f64, payload),
        "log_per_payload": ratio((subject.extent()? - extent_before) as f64, payload),
    }))
}

fn timed(run: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let watch = Stopwatch::start();
    run()?;
    Ok(watch.elapsed())
}
