//! How long it takes to fold the whole log again, every record verified on the way.

use std::fmt::Write;
use std::num::NonZero;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;
use memlith::{Caller, CheckoutRequest, Digest, Ledger, Options, prove::Replay};
use serde::Serialize;

use crate::forged::Forged;
use crate::plan::{Cache, Plan};
use crate::queries;
use crate::size::Size;
use crate::summary::{Summary, cpu_time, median, ratio};
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::wall::{Stopwatch, Walls, millis};

/// Arguments of `memlith-bench replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench replay --json
  memlith-bench replay --size 10MB --threads 1,2,4")]
pub(crate) struct ReplayArgs {
    /// How long the log is in Eventloom's lines.
    #[arg(long, default_value = Size::DEFAULT)]
    size: Size,
    /// Replays on each number of threads.
    #[arg(long, value_name = "R", default_value = "5", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Threads that read, one number after the other; else one, and one a processor.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Vec<usize>,
    /// Seed of the words and kinds.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// The report; the times at its top are those of the last number of threads.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    by_threads: Vec<Figures>,
    first_answer_ms: f64,
    digest: Digest,
    records: u64,
    events: u64,
    forgeries_refused: usize,
}

/// One number of threads.
#[derive(Serialize)]
struct Figures {
    threads: usize,
    wall_ms_p50: f64,
    wall_ms_p99: f64,
    cpu_ms_p50: f64,
    records_per_s: Option<f64>,
    /// A second of processor time, of all threads together.
    records_per_cpu_s: Option<f64>,
}

/// Measurements of one number of threads so far.
#[derive(Default)]
struct Measured {
    walls: Walls,
    cpu_ms: Vec<f64>,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// The ledger can't be built, two replays differ, or a forged copy is folded.
pub(crate) fn run(args: &ReplayArgs, context: &mut Context) -> Result<Exit> {
    let plan = Plan::usual(args.size, args.seed);
    let kept = plan.kept(&args.cache, &|text| context.note(text))?;
    let threads = args.threads();
    let mut measured: Vec<Measured> = threads.iter().map(|_| Measured::default()).collect();
    let mut digest = None;
    // The first of each reads what isn't in the page cache yet.
    for run in 0..=args.runs {
        for (threads, measured) in threads.iter().zip(&mut measured) {
            let ledger = open(&kept)?;
            let (watch, busy) = (Stopwatch::start(), cpu_time());
            let replayed = replay(&ledger, *threads)?;
            if run > 0 {
                measured.walls.push(watch.elapsed());
                measured.cpu_ms.push(millis(cpu_time() - busy));
            }
            if *digest.get_or_insert(replayed) != replayed {
                return Err(exit::damaged("two replays of one log gave two states"));
            }
        }
    }
    let forged = Forged::of(&kept, args.seed)?;
    for threads in &threads {
        forged.refused("a replay", |ledger| replay(&open(ledger)?, *threads).map(|_| true))?;
    }
    let first_answer_ms = first_answer(&kept, args.seed)?;
    let (digest, records) = digest.context("nothing was replayed")?;
    let last = measured.last().map(|last| last.walls.clone()).unwrap_or_default();
    let printed = Printed {
        summary: Summary::of(&last, args.seed),
        by_threads: threads
            .iter()
            .zip(&measured)
            .map(|(n, one)| one.figures(*n, records))
            .collect(),
        first_answer_ms,
        digest,
        records,
        events: plan.events,
        forgeries_refused: forged.copies.len(),
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

impl ReplayArgs {
    fn threads(&self) -> Vec<usize> {
        if self.threads.is_empty() {
            let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
            let mut threads = vec![1, cores];
            threads.dedup();
            return threads;
        }
        self.threads.clone()
    }
}

/// Opens the ledger from its checkpoint: what is timed begins at the first record all the
/// same.
fn open(ledger: &Path) -> Result<Ledger> {
    Ok(Ledger::open(ledger, Options { read_only: true, ..Options::default() })?)
}

/// The time to an answer where there is no checkpoint, the opening included.
fn first_answer(ledger: &Path, seed: u64) -> Result<f64> {
    let watch = Stopwatch::start();
    let options = Options { read_only: true, use_checkpoint: false, ..Options::default() };
    let ledger = Ledger::open(ledger, options)?;
    let mut caller = Caller::user("default", "bench");
    caller.now = Some(Workload::end());
    for query in queries::of(seed, 1) {
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(&query.text) };
        ledger.checkout(&caller, request)?;
    }
    Ok(millis(watch.elapsed()))
}

/// The digest of the folded log, and its records.
fn replay(ledger: &Ledger, threads: usize) -> Result<(Digest, u64)> {
    let replayed =
        ledger.audit().replay(&Replay { threads: Some(threads), ..Replay::default() })?;
    Ok((replayed.digest, replayed.seq.0 + 1))
}

impl Measured {
    fn figures(&self, threads: usize, records: u64) -> Figures {
        let wall_ms_p50 = self.walls.percentile_ms(50);
        let cpu_ms_p50 = median(self.cpu_ms.clone());
        Figures {
            threads,
            wall_ms_p50,
            wall_ms_p99: self.walls.percentile_ms(99),
            cpu_ms_p50,
            records_per_s: ratio(records as f64 * 1e3, wall_ms_p50),
            records_per_cpu_s: ratio(records as f64 * 1e3, cpu_ms_p50),
        }
    }
}

impl Printed {
    fn to_text(&self) -> String {
        let mut out = format!(
            "{:>7} {:>9} {:>9} {:>9} {:>20}\n",
            "threads", "p50 ms", "p99 ms", "CPU ms", "records a CPU second"
        );
        for one in &self.by_threads {
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "{:>7} {:>9.1} {:>9.1} {:>9.1} {:>20.0}",
                one.threads,
                one.wall_ms_p50,
                one.wall_ms_p99,
                one.cpu_ms_p50,
                one.records_per_cpu_s.unwrap_or_default(),
            );
        }
        let _ = writeln!(
            out,
            "{} records of {} events; {} forged copies refused\n\
             a first answer without a checkpoint: {:.0} ms\n{}",
            self.records, self.events, self.forgeries_refused, self.first_answer_ms, self.digest
        );
        out + &self.summary.to_text()
    }
}
