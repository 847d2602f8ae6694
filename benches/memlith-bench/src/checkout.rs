//! How long a checkout takes in a process that holds the ledger open.

mod beside;

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;
use memlith::{Caller, CheckoutRequest, Ledger, Options};
use serde::Serialize;

use self::beside::Beside;
use crate::copied::Copied;
use crate::plan::{Cache, Plan};
use crate::queries::{self, Class};
use crate::size::Size;
use crate::summary::Summary;
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::wall::{Stopwatch, Walls, millis};

/// Arguments of `memlith-bench checkout`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench checkout --json
  memlith-bench checkout --size 1.15GB --runs 3000")]
pub(crate) struct CheckoutArgs {
    /// How long the log is in Eventloom's lines: 115MB are some 106,000 items.
    #[arg(long, default_value = Size::DEFAULT)]
    size: Size,
    /// Checkouts that are timed, observed and not.
    #[arg(long, value_name = "R", default_value = "300", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// How many threads ask at once beside one that writes, one number after the other.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    readers: Vec<usize>,
    /// Seed of the words, kinds and queries.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// The fewest items that an answer may have.
    #[arg(long, value_name = "N", default_value_t = 5)]
    items_min: usize,
    #[command(flatten)]
    cache: Cache,
}

/// The report; the times at its top are those of checkouts that are not observed.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    by_class: BTreeMap<Class, Figures>,
    observed: Figures,
    observed_by_class: BTreeMap<Class, Figures>,
    beside_writer: Vec<Beside>,
    /// Number of items that can be found: records and memories.
    items: u64,
    events: u64,
    items_min: usize,
}

#[derive(Serialize)]
struct Figures {
    wall_ms_p50: f64,
    wall_ms_p99: f64,
    wall_ms_p999: f64,
}

/// Times by the class of the query.
type Measured = BTreeMap<Class, Walls>;

/// Runs the bench and prints its figures.
///
/// # Errors
/// The ledger can't be built, a checkout failed, or an answer has too few items.
pub(crate) fn run(args: &CheckoutArgs, context: &mut Context) -> Result<Exit> {
    let plan = Plan::usual(args.size, args.seed);
    let kept = plan.kept(&args.cache, &|text| context.note(text))?;
    let copied = Copied::of(&kept)?;
    let ledger = Ledger::open(copied.ledger(), Options::default())?;
    let (mut unobserved, mut observed) = (Measured::new(), Measured::new());
    let mut items_min = usize::MAX;
    for (observe, measured) in [(false, &mut unobserved), (true, &mut observed)] {
        items_min = items_min.min(measure(&ledger, observe, args, measured)?);
    }
    if items_min < args.items_min {
        return Err(exit::damaged(format!("an answer has {items_min} items, too few")));
    }
    let beside_writer: Result<Vec<Beside>> =
        args.readers.iter().map(|readers| beside::measure(&ledger, *readers, args)).collect();
    let beside_writer = beside_writer?;
    let stat = ledger.audit().stat(Workload::end())?;
    let memories: u64 = stat.memories.iter().map(|(_, count)| count).sum();
    ledger.close()?;
    copied.finish()?;
    let printed = Printed {
        summary: Summary::of(&all(&unobserved), args.seed),
        by_class: by_class(&unobserved),
        observed: figures(&all(&observed)),
        observed_by_class: by_class(&observed),
        beside_writer,
        items: stat.item_records + memories,
        events: plan.events,
        items_min,
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

/// Asks every query once unheard, so that the pages it needs are in memory, and once timed.
/// Gives the fewest items of an answer.
fn measure(
    ledger: &Ledger,
    observe: bool,
    args: &CheckoutArgs,
    measured: &mut Measured,
) -> Result<usize> {
    let mut caller = Caller::user("default", "bench");
    caller.now = Some(Workload::end());
    let mut items_min = usize::MAX;
    let queries = queries::of(args.seed, args.runs);
    for query in &queries {
        let request = |observe| CheckoutRequest { observe, ..CheckoutRequest::new(&query.text) };
        ledger.checkout(&caller, request(false))?;
        let (request, watch) = (request(observe), Stopwatch::start());
        let checkout = ledger.checkout(&caller, &request)?;
        measured.entry(query.class).or_default().push(watch.elapsed());
        items_min = items_min.min(checkout.pack.items.len());
        if let (true, Err(why)) = (observe, &checkout.observed) {
            return Err(anyhow::anyhow!("{why}")).context("a checkout was not observed");
        }
    }
    Ok(items_min)
}

fn all(measured: &Measured) -> Walls {
    let mut all = Walls::default();
    measured.values().for_each(|walls| all.extend(walls));
    all
}

fn by_class(measured: &Measured) -> BTreeMap<Class, Figures> {
    measured.iter().map(|(class, walls)| (*class, figures(walls))).collect()
}

fn figures(walls: &Walls) -> Figures {
    Figures {
        wall_ms_p50: walls.percentile_ms(50),
        wall_ms_p99: walls.percentile_ms(99),
        wall_ms_p999: millis(walls.permille(999)),
    }
}

impl Printed {
    fn to_text(&self) -> String {
        let mut out = format!("{:18} {:>9} {:>9}\n", "", "p50 ms", "p99 ms");
        let mut row = |name: &str, p50: f64, p99: f64| {
            // Writing to a string can't fail.
            let _ = writeln!(out, "{name:18} {p50:>9.3} {p99:>9.3}");
        };
        row("--no-observe", self.summary.wall_ms_p50, self.summary.wall_ms_p99);
        for (class, one) in &self.by_class {
            row(&format!("  {} words", class.name()), one.wall_ms_p50, one.wall_ms_p99);
        }
        row("observed", self.observed.wall_ms_p50, self.observed.wall_ms_p99);
        for (class, one) in &self.observed_by_class {
            row(&format!("  {} words", class.name()), one.wall_ms_p50, one.wall_ms_p99);
        }
        for one in &self.beside_writer {
            let _ = writeln!(
                out,
                "{:>3} readers beside a writer: p50 {:.3} ms, p99 {:.3}, p99.9 {:.3}; {:.0} answers \
                 and {:.0} synced writes a second",
                one.readers,
                one.figures.wall_ms_p50,
                one.figures.wall_ms_p99,
                one.figures.wall_ms_p999,
                one.checkouts_per_s,
                one.writes_per_s,
            );
        }
        let _ = writeln!(out, "{} items, {} events", self.items, self.events);
        out + &self.summary.to_text()
    }
}
