//! How long a checkout takes in a fresh process, from its start to the last byte of its
//! answer.
//!
//! The ledger of a size, seed and tail is built once and kept. Observed checkouts work on
//! a copy, which is made anew when one of them has written a checkpoint, so that every
//! run has the tail it is said to have.

mod check;
mod child;
mod plot;
mod program;
mod report;
mod text;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;
use memlith::Timestamp;

use self::check::Expected;
use self::child::Checkout;
use self::report::{Mode, Printed, Report, Sizes};
use crate::copied::{Copied, drop_caches, warm};
use crate::plan::{self, Cache, Plan, TAIL};
use crate::queries::{self, Query};
use crate::size::Size;
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::out_file::{self, Force};

/// Arguments of `memlith-bench cold-checkout`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench cold-checkout --size 115MB --runs 100 --check --json
  memlith-bench cold-checkout --sizes 10MB,115MB,1.15GB --drop-caches --plot growth.svg
  memlith-bench cold-checkout --size 115MB --tails 0,64,128,192,256
  memlith-bench cold-checkout --size 10MB --tail limit --no-observe")]
pub(crate) struct ColdCheckoutArgs {
    /// How long the log is in Eventloom's lines.
    #[arg(long, default_value = Size::DEFAULT)]
    size: Size,
    /// Several lengths, one after the other.
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "size")]
    sizes: Vec<Size>,
    /// The length in events, the tail included: 111000 are 115 MB.
    #[arg(long, value_name = "N", conflicts_with_all = ["size", "sizes"], value_parser = RangedU64ValueParser::<u64>::new().range(2..))]
    events: Option<u64>,
    /// Seed of the words, kinds and queries.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// Processes that are timed, of each mode.
    #[arg(long, value_name = "R", default_value = "30", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Events after the checkpoint, or `limit`: as many as there can be before the next
    /// one; else half of that, but at most half of all events.
    #[arg(long, value_name = "T|limit")]
    tail: Option<Tail>,
    /// Several tails, whose runs are put together: `0,64,128,192,256` are those that occur.
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "tail")]
    tails: Vec<Tail>,
    /// The program to measure; else the `memlith` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Times no checkouts that write down what they showed.
    #[arg(long)]
    no_observe: bool,
    /// Times every query again, with the ledger's files out of the page cache each time.
    #[arg(long)]
    drop_caches: bool,
    /// Compares every answer with that of a replay from the first record.
    #[arg(long)]
    check: bool,
    /// The fewest items that an answer may have.
    #[arg(long, value_name = "N", default_value_t = 5)]
    items_min: usize,
    /// Draws how the time grows with the log.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Writes the longest log in Eventloom's lines, so that Zaxy can be given the same.
    #[arg(long, value_name = "FILE")]
    write_log: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    cache: Cache,
}

/// Events after the checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    Events(u64),
    Limit,
}

/// Room in the longest tail for the beginnings and ends of its sessions, and for the
/// observed checkouts of the bench.
const TAIL_ROOM: u64 = 50;

impl FromStr for Tail {
    type Err = String;

    fn from_str(text: &str) -> Result<Tail, String> {
        match text {
            "limit" => Ok(Tail::Limit),
            text => text
                .parse()
                .map(Tail::Events)
                .map_err(|_| "neither a number nor `limit`".to_owned()),
        }
    }
}

impl ColdCheckoutArgs {
    /// Numbers of events, ascending.
    fn lengths(&self) -> Vec<u64> {
        let sizes = if self.sizes.is_empty() { vec![self.size] } else { self.sizes.clone() };
        let mut events: Vec<u64> = sizes.into_iter().map(Size::events).collect();
        if let Some(given) = self.events {
            events = vec![given];
        }
        events.sort_unstable();
        events.dedup();
        events
    }

    /// The ledgers of this length, one for each tail.
    fn plans(&self, events: u64) -> Result<Vec<Plan>> {
        if self.tails.is_empty() {
            return Ok(vec![self.plan(events, self.tail)?]);
        }
        self.tails.iter().map(|tail| self.plan(events, Some(*tail))).collect()
    }

    fn plan(&self, events: u64, tail: Option<Tail>) -> Result<Plan> {
        let tail = match tail {
            None => TAIL.min(events / 2),
            Some(Tail::Limit) => memlith::prove::CHECKPOINT_EVENTS - TAIL_ROOM,
            Some(Tail::Events(tail)) => tail,
        };
        if tail >= events {
            return Err(exit::usage(format!(
                "--tail {tail} leaves none of {events} events before the checkpoint"
            )));
        }
        Ok(Plan { events, seed: self.seed, tail })
    }
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// The ledger can't be built, a checkout failed, or an answer isn't what it has to be.
pub(crate) fn run(args: &ColdCheckoutArgs, context: &mut Context) -> Result<Exit> {
    let lengths: Result<Vec<Vec<Plan>>> =
        args.lengths().into_iter().map(|events| args.plans(events)).collect();
    let lengths = lengths?;
    if let (Some(path), Some(longest)) = (&args.write_log, lengths.last().and_then(|of| of.last()))
    {
        longest.write_log(path, args.force)?;
    }
    let sizes: Result<Vec<Printed>> =
        lengths.iter().map(|plans| of_length(plans, args, context)).collect();
    let sizes = Sizes::of(sizes?).context("no size was measured")?;
    if let Some(path) = &args.plot {
        out_file::write(path, plot::svg(&sizes).as_bytes(), args.force)?;
    }
    let text = sizes.to_text();
    context.answer(&sizes, text)?;
    Ok(Exit::Ok)
}

/// Measures the ledgers of one length.
fn of_length(plans: &[Plan], args: &ColdCheckoutArgs, context: &Context) -> Result<Printed> {
    let mut all: Option<Report> = None;
    for plan in plans {
        let report = one(plan, args, context)?;
        match &mut all {
            Some(all) => all.add(&report),
            None => all = Some(report),
        }
    }
    Ok(all.context("no tail was measured")?.finish())
}

/// Measures one ledger.
fn one(plan: &Plan, args: &ColdCheckoutArgs, context: &Context) -> Result<Report> {
    let kept = plan.kept(&args.cache, &|text| context.note(text))?;
    let mut report = Report::new(plan, plan::facts(&kept)?);
    let queries = queries::of(args.seed, args.runs);
    let now = Workload::end();
    let expected = if args.check { Some(Expected::of(&kept, &queries, now)?) } else { None };
    let mut bench = Bench {
        program: program::path(args.program.as_deref())?,
        now,
        mmap: context.options.mmap,
        items_min: args.items_min,
        untouched: Copied::of(&kept)?,
        written: Copied::of(&kept)?,
        is_fresh: true,
        expected,
    };
    warm(&kept)?;
    if let Some(first) = queries.first() {
        bench.checkout(&bench.untouched.ledger(), first, false).timed()?;
        bench.checkout(&bench.written.ledger(), first, false).timed()?;
    }
    for mode in Mode::all(args.no_observe, args.drop_caches) {
        for query in &queries {
            bench.measure(query, mode, &mut report)?;
        }
    }
    bench.untouched.finish()?;
    bench.written.finish()?;
    Ok(report)
}

/// Program, ledgers and settings that every run needs.
struct Bench {
    program: PathBuf,
    now: Timestamp,
    mmap: bool,
    items_min: usize,
    /// For checkouts that change nothing.
    untouched: Copied,
    /// For those that do.
    written: Copied,
    /// Whether nothing was observed in the second one yet.
    is_fresh: bool,
    expected: Option<Expected>,
}

impl Bench {
    fn measure(&mut self, query: &Query, mode: Mode, report: &mut Report) -> Result<()> {
        let copied = if mode.observe { &self.written } else { &self.untouched };
        let ledger = copied.ledger();
        if mode.is_dropped {
            drop_caches(&ledger)?;
        }
        let timed = self.checkout(&ledger, query, mode.observe).timed()?;
        check::enough(query, &timed.items, self.items_min)?;
        // An observed checkout is remembered, and may change what the next ones show.
        if let Some(expected) = self.expected.as_ref().filter(|_| !mode.observe || self.is_fresh) {
            expected.check(query, &timed.items)?;
            report.checked = Some(report.checked.unwrap_or(0) + 1);
        }
        report.timed(query.class, mode, &timed);
        if mode.observe {
            self.is_fresh = self.written.again_if_sealed()?;
            // Who observed waits for the disk behind its answer, and whoever starts next finds
            // the processor asleep, or its caches full of a copy: a process that isn't timed
            // comes between, as before the first run.
            self.checkout(&self.written.ledger(), query, false).timed()?;
        }
        Ok(())
    }

    fn checkout(&self, ledger: &Path, query: &Query, observe: bool) -> Checkout {
        Checkout {
            program: self.program.clone(),
            ledger: ledger.to_owned(),
            query: query.text.clone(),
            now: self.now,
            observe,
            mmap: self.mmap,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_a_number_or_the_limit() {
        assert_eq!("7".parse(), Ok(Tail::Events(7)));
        assert_eq!("limit".parse(), Ok(Tail::Limit));
        assert!("".parse::<Tail>().is_err() && "-1".parse::<Tail>().is_err());
    }
}
