//! How long a checkout takes in a process that holds the ledger open.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;
use memlith::{Caller, CheckoutRequest, Keeper, Ledger, Options, Remember};
use serde_json::{Value, json};

use crate::copied::Copied;
use crate::plan::LogArgs;
use crate::queries::{self, Class};
use crate::report::{answer, merged};
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::wall::{Stopwatch, Walls, millis, rounded};

/// Arguments of `memlith-bench checkout`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckoutArgs {
    #[command(flatten)]
    log: LogArgs,
    /// Checkouts that are timed, observed and not.
    #[arg(long, value_name = "R", default_value = "300", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// How many threads ask at once beside one that writes, one number after the other.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    readers: Vec<usize>,
    /// The fewest items that an answer may have.
    #[arg(long, value_name = "N", default_value_t = 5)]
    items_min: usize,
}

/// Times by the class of the query.
type Measured = BTreeMap<Class, Walls>;

/// Runs the bench and prints its figures; the times at their top are those of checkouts that
/// are not observed.
///
/// # Errors
/// The ledger can't be built, a checkout failed, or an answer has too few items.
pub(crate) fn run(args: &CheckoutArgs, context: &mut Context) -> Result<Exit> {
    let copied = Copied::of(&args.log.kept(context)?)?;
    let ledger = Ledger::open(copied.ledger(), Options::default())?;
    let (mut unobserved, mut observed) = (Measured::new(), Measured::new());
    let fewest = measure(&ledger, false, args, &mut unobserved)?;
    let fewest = fewest.min(measure(&ledger, true, args, &mut observed)?);
    if fewest < args.items_min {
        return Err(exit::damaged(format!("an answer has {fewest} items, too few")));
    }
    let beside_writer: Result<Vec<Value>> =
        args.readers.iter().map(|readers| beside(&ledger, *readers, args)).collect();
    let beside_writer = beside_writer?;
    let stat = ledger.audit().stat(Workload::end())?;
    let memories: u64 = stat.memories.iter().map(|(_, count)| count).sum();
    ledger.close()?;
    let figures = json!({
        "seed": args.log.seed,
        "by_class": by_class(&unobserved),
        "observed": figures(&all(&observed)),
        "observed_by_class": by_class(&observed),
        "beside_writer": beside_writer,
        "items": stat.item_records + memories,
        "events": args.log.size.events(),
        "items_min": fewest,
    });
    answer(context, &all(&unobserved), figures)
}

/// Asks every query once unheard, so that the pages it needs are in memory, and once timed.
/// Gives the fewest items of an answer.
fn measure(
    ledger: &Ledger,
    observe: bool,
    args: &CheckoutArgs,
    measured: &mut Measured,
) -> Result<usize> {
    let (caller, mut fewest) = (caller(), usize::MAX);
    for query in queries::of(args.log.seed, args.runs) {
        let request = |observe| CheckoutRequest { observe, ..CheckoutRequest::new(&query.text) };
        ledger.checkout(&caller, request(false))?;
        let (request, watch) = (request(observe), Stopwatch::start());
        let checkout = ledger.checkout(&caller, &request)?;
        measured.entry(query.class).or_default().push(watch.elapsed());
        fewest = fewest.min(checkout.pack.items.len());
        if let (true, Err(why)) = (observe, &checkout.observed) {
            return Err(anyhow::anyhow!("{why}")).context("a checkout was not observed");
        }
    }
    Ok(fewest)
}

/// Asks every query on each of `readers` threads, while one writes synced memories without a
/// pause and another writes the checkpoints that are due.
fn beside(ledger: &Ledger, readers: usize, args: &CheckoutArgs) -> Result<Value> {
    let keeper = Keeper::of(ledger)?;
    let (is_over, watch) = (AtomicBool::new(false), Stopwatch::start());
    let (walls, writes) = std::thread::scope(|scope| -> Result<(Walls, u64)> {
        let writing = scope.spawn(|| write(ledger, &is_over));
        let asking: Vec<_> =
            (0..readers).map(|reader| scope.spawn(move || ask(ledger, reader, args))).collect();
        let asked: Vec<Result<Vec<Duration>>> = asking
            .into_iter()
            .map(|thread| thread.join().ok().context("a reader panicked")?)
            .collect();
        is_over.store(true, Ordering::Relaxed);
        let writes = writing.join().ok().context("the writer panicked")??;
        let asked: Result<Vec<Vec<Duration>>> = asked.into_iter().collect();
        Ok((asked?.into_iter().flatten().collect(), writes))
    })?;
    let seconds = watch.elapsed().as_secs_f64();
    drop(keeper);
    let rates = json!({
        "readers": readers,
        "checkouts_per_s": rounded(walls.count() as f64 / seconds, 1),
        "writes_per_s": rounded(writes as f64 / seconds, 1),
    });
    Ok(merged([rates, figures(&walls)]))
}

fn ask(ledger: &Ledger, reader: usize, args: &CheckoutArgs) -> Result<Vec<Duration>> {
    let (caller, mut walls) = (caller(), Vec::with_capacity(args.runs));
    for query in queries::of(args.log.seed + reader as u64, args.runs) {
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(&query.text) };
        let watch = Stopwatch::start();
        ledger.checkout(&caller, request)?;
        walls.push(watch.elapsed());
    }
    Ok(walls)
}

fn write(ledger: &Ledger, is_over: &AtomicBool) -> Result<u64> {
    let caller = Caller::user("default", "writer");
    let mut writes = 0;
    while !is_over.load(Ordering::Relaxed) {
        let text = format!("The measure number {writes} was taken beside readers.");
        let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
        writes += 1;
    }
    Ok(writes)
}

fn caller() -> Caller {
    Caller { now: Some(Workload::end()), ..Caller::user("default", "bench") }
}

fn all(measured: &Measured) -> Walls {
    let mut all = Walls::default();
    measured.values().for_each(|walls| all.extend(walls));
    all
}

fn by_class(measured: &Measured) -> BTreeMap<Class, Value> {
    measured.iter().map(|(class, walls)| (*class, figures(walls))).collect()
}

fn figures(walls: &Walls) -> Value {
    json!({
        "wall_ms_p50": walls.percentile_ms(50),
        "wall_ms_p99": walls.percentile_ms(99),
        "wall_ms_p999": millis(walls.permille(999)),
    })
}
