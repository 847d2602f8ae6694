//! How long it takes to fold the whole log again, every record verified on the way.

use std::num::NonZero;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;
use memlith::{Caller, CheckoutRequest, Digest, Ledger, Options, prove::Replay};
use serde_json::{Value, json};

use crate::plan::LogArgs;
use crate::queries;
use crate::report::{Timed, answer, ratio};
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::wall::{Stopwatch, millis};

/// Arguments of `memlith-bench replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    log: LogArgs,
    /// Replays on each number of threads.
    #[arg(long, value_name = "R", default_value = "5", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Threads that read, one number after the other; else one, and one a processor.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Vec<usize>,
}

/// Runs the bench and prints its figures; the times at their top are those of the last number
/// of threads.
///
/// # Errors
/// The ledger can't be built, or two replays differ.
pub(crate) fn run(args: &ReplayArgs, context: &mut Context) -> Result<Exit> {
    let kept = args.log.kept(context)?;
    let mut threads = args.threads.clone();
    if threads.is_empty() {
        threads = vec![1, std::thread::available_parallelism().map_or(1, NonZero::get)];
        threads.dedup();
    }
    let mut all: Vec<(usize, Timed)> =
        threads.into_iter().map(|threads| (threads, Timed::default())).collect();
    let mut known = None;
    // The first of each reads what isn't in the page cache yet.
    for run in 0..=args.runs {
        for (threads, timed) in &mut all {
            // Opened from its checkpoint: what is timed begins at the first record all the same.
            let options = Options { read_only: true, ..Options::default() };
            let ledger = Ledger::open(&kept, options)?;
            let replayed = match run {
                0 => replay(&ledger, *threads)?,
                _ => timed.run(|| replay(&ledger, *threads))?,
            };
            if *known.get_or_insert(replayed) != replayed {
                return Err(exit::damaged("two replays of one log gave two states"));
            }
        }
    }
    let (digest, records) = known.context("nothing was replayed")?;
    let by_threads: Vec<Value> =
        all.iter().map(|(threads, timed)| figures(*threads, timed, records)).collect();
    let last = all.pop().map(|(_, timed)| timed.walls).unwrap_or_default();
    let figures = json!({
        "seed": args.log.seed,
        "by_threads": by_threads,
        "first_answer_ms": first_answer(&kept, args.log.seed)?,
        "digest": digest.to_string(),
        "records": records,
        "events": args.log.size.events(),
    });
    answer(context, &last, figures)
}

fn figures(threads: usize, timed: &Timed, records: u64) -> Value {
    let (wall, cpu) = (timed.walls.percentile_ms(50), timed.cpu.percentile_ms(50));
    json!({
        "threads": threads,
        "wall_ms_p50": wall,
        "wall_ms_p99": timed.walls.percentile_ms(99),
        "cpu_ms_p50": cpu,
        "records_per_s": ratio(records as f64 * 1e3, wall),
        "records_per_cpu_s": ratio(records as f64 * 1e3, cpu),
    })
}

/// The time to an answer where there is no checkpoint, the opening included.
fn first_answer(ledger: &Path, seed: u64) -> Result<f64> {
    let watch = Stopwatch::start();
    let options = Options { read_only: true, use_checkpoint: false, ..Options::default() };
    let ledger = Ledger::open(ledger, options)?;
    let caller = Caller { now: Some(Workload::end()), ..Caller::user("default", "bench") };
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
