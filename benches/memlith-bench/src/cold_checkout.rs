//! How long a checkout takes in a fresh process, from its start to the last byte of its
//! answer.
//!
//! The ledger of a size, seed and tail is built once and kept. Observed checkouts work on
//! a copy, which is made anew when one of them has written a checkpoint, so that every
//! run has the tail it is said to have.

mod child;
mod figures;
mod plot;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::builder::RangedU64ValueParser;
use memlith::{Caller, CheckoutRequest, Ledger, Options, Rank};
use serde_json::{Value, json};

use self::child::{Run, timed};
use self::figures::{Cells, Mode};
use crate::copied::{Copied, drop_caches, warm};
use crate::plan::{self, Cache, Plan, TAIL};
use crate::queries::{self, Query};
use crate::report::{answer, merged, ratio};
use crate::size::Size;
use crate::workload::Workload;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit, unusable};
use memlith_verbs::out_file::{self, Force};
use memlith_verbs::wall::Walls;

/// Arguments of `memlith-bench cold-checkout`.
#[derive(Debug, clap::Args)]
pub(crate) struct ColdCheckoutArgs {
    /// How long the log is in Eventloom's lines; several lengths are measured one after the other.
    #[arg(long, visible_alias = "size", value_name = "LIST", value_delimiter = ',', default_value = Size::DEFAULT)]
    sizes: Vec<Size>,
    /// The length in events, the tail included: 111000 are 115 MB.
    #[arg(long, value_name = "N", conflicts_with = "sizes", value_parser = RangedU64ValueParser::<u64>::new().range(2..))]
    events: Option<u64>,
    /// Seed of the words, kinds and queries.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// Processes that are timed, of each mode.
    #[arg(long, value_name = "R", default_value = "30", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Events after the checkpoint, or `limit`: as many as there can be before the next one; else
    /// half of that, but at most half of all events. The runs of several tails are put together:
    /// `0,64,128,192,256` are those that occur.
    #[arg(long, visible_alias = "tail", value_name = "LIST", value_delimiter = ',', value_parser = tail)]
    tails: Vec<u64>,
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

/// Room in the longest tail for the beginnings and ends of its sessions, and for the
/// observed checkouts of the bench.
const TAIL_ROOM: u64 = 50;

fn tail(text: &str) -> Result<u64, String> {
    if text == "limit" {
        return Ok(memlith::prove::CHECKPOINT_EVENTS - TAIL_ROOM);
    }
    text.parse().map_err(|_| "neither a number nor `limit`".to_owned())
}

/// Runs the bench and prints its figures; those at their top are of the longest log.
///
/// # Errors
/// The ledger can't be built, a checkout failed, or an answer isn't what it has to be.
pub(crate) fn run(args: &ColdCheckoutArgs, context: &mut Context) -> Result<Exit> {
    let sizes = args.sizes.iter().map(|size| size.events());
    let mut events: Vec<u64> = args.events.map_or_else(|| sizes.collect(), |events| vec![events]);
    events.sort_unstable();
    events.dedup();
    let lengths: Vec<Vec<Plan>> =
        events.into_iter().map(|events| args.plans(events)).collect::<Result<_>>()?;
    let longest = lengths.last().and_then(|plans| plans.last());
    if let (Some(path), Some(longest)) = (&args.write_log, longest) {
        longest.write_log(path, args.force)?;
    }
    let mut sizes: Vec<Value> =
        lengths.iter().map(|plans| of_length(plans, args, context)).collect::<Result<_>>()?;
    if let Some(path) = &args.plot {
        out_file::write(path, plot::svg(&sizes).as_bytes(), args.force)?;
    }
    let over = |key: &str| match sizes.as_slice() {
        [.., before, longest] => ratio(number(longest, key)?, number(before, key)?),
        _ => None,
    };
    let ratios = json!({ "ratio_p50": over("/wall_ms_p50"), "ratio_p99": over("/wall_ms_p99") });
    let several = if sizes.len() > 1 { json!({ "sizes": sizes }) } else { json!({}) };
    let longest = sizes.pop().context("no size was measured")?;
    answer(context, &Walls::default(), merged([longest, ratios, several]))
}

fn number(figures: &Value, pointer: &str) -> Option<f64> {
    figures.pointer(pointer).and_then(Value::as_f64)
}

impl ColdCheckoutArgs {
    /// The ledgers of this length, one for each tail.
    fn plans(&self, events: u64) -> Result<Vec<Plan>> {
        let usual = [TAIL.min(events / 2)];
        let tails = if self.tails.is_empty() { &usual[..] } else { &self.tails };
        if let Some(tail) = tails.iter().find(|tail| **tail >= events) {
            return Err(exit::usage(format!(
                "--tail {tail} leaves none of {events} events before the checkpoint"
            )));
        }
        Ok(tails.iter().map(|tail| Plan { events, seed: self.seed, tail: *tail }).collect())
    }

    /// The program that is measured: the one that is named, else the `memlith` that was built or
    /// installed beside this one.
    fn program(&self) -> Result<PathBuf> {
        let path = match &self.program {
            Some(named) => named.clone(),
            None => std::env::current_exe().context("find this program")?.with_file_name("memlith"),
        };
        if path.is_file() {
            return Ok(path);
        }
        Err(unusable(format!(
            "there is no program {}: `cargo build --release` makes it, or name one with --program",
            path.display()
        )))
    }
}

/// Measures the ledgers of one length; tells what the first of them holds.
fn of_length(plans: &[Plan], args: &ColdCheckoutArgs, context: &Context) -> Result<Value> {
    let mut cells = Cells::default();
    let mut facts = Vec::new();
    for plan in plans {
        let kept = plan.kept(&args.cache, context)?;
        facts.push(plan::facts(&kept)?);
        measure(&kept, args, context, &mut cells)?;
    }
    let (plan, facts) = plans.first().zip(facts.into_iter().next()).context("no tail")?;
    let own = json!({
        "size_bytes": Size::of(plan.events),
        "events": plan.events,
        "seed": plan.seed,
        "tail_events": plan.tail,
        "tails": plans.iter().map(|plan| plan.tail).collect::<Vec<_>>(),
        "checked": args.check.then_some(cells.checked),
    });
    Ok(merged([facts, own, cells.figures()]))
}

/// Asks every query of one ledger in each mode.
fn measure(
    kept: &Path,
    args: &ColdCheckoutArgs,
    context: &Context,
    cells: &mut Cells,
) -> Result<()> {
    let queries = queries::of(args.seed, args.runs);
    let mut bench = Bench {
        program: args.program()?,
        mmap: context.options.mmap,
        items_min: args.items_min,
        untouched: Copied::of(kept)?,
        written: Copied::of(kept)?,
        is_fresh: true,
        expected: if args.check { Some(expected(kept, &queries)?) } else { None },
    };
    warm(kept)?;
    if let Some(first) = queries.first() {
        bench.checkout(&bench.untouched.ledger(), first, false)?;
        bench.checkout(&bench.written.ledger(), first, false)?;
    }
    for is_dropped in [false, true] {
        for observe in [true, false] {
            if (is_dropped && !args.drop_caches) || (observe && args.no_observe) {
                continue;
            }
            for query in &queries {
                bench.measure(query, Mode { observe, is_dropped }, cells)?;
            }
        }
    }
    Ok(())
}

/// Program, ledgers and settings that every run needs.
struct Bench {
    program: PathBuf,
    mmap: bool,
    items_min: usize,
    /// For checkouts that change nothing.
    untouched: Copied,
    /// For those that do.
    written: Copied,
    /// Whether nothing was observed in the second one yet.
    is_fresh: bool,
    expected: Option<BTreeMap<String, Vec<Value>>>,
}

impl Bench {
    fn measure(&mut self, query: &Query, mode: Mode, cells: &mut Cells) -> Result<()> {
        let copied = if mode.observe { &self.written } else { &self.untouched };
        let ledger = copied.ledger();
        if mode.is_dropped {
            drop_caches(&ledger)?;
        }
        let run = self.checkout(&ledger, query, mode.observe)?;
        let (text, count, least) = (&query.text, run.items.len(), self.items_min);
        ensure!(
            count >= least,
            "the answer to `{text}` has {count} items, fewer than the {least} of --items-min"
        );
        // An observed checkout is remembered, and may change what the next ones show.
        if let Some(expected) = self.expected.as_ref().filter(|_| !mode.observe || self.is_fresh) {
            check(expected, query, &run.items)?;
            cells.checked += 1;
        }
        cells.add(mode, query.class, &run);
        if mode.observe {
            self.is_fresh = self.written.again_if_sealed()?;
            // Who observed waits for the disk behind its answer, and whoever starts next finds
            // the processor asleep, or its caches full of a copy: a process that isn't timed
            // comes between, as before the first run.
            self.checkout(&self.written.ledger(), query, false)?;
        }
        Ok(())
    }

    fn checkout(&self, ledger: &Path, query: &Query, observe: bool) -> Result<Run> {
        let mut command = Command::new(&self.program);
        command.args(["checkout", "--json", "--quiet", "--usage"]);
        command.arg("--ledger").arg(ledger);
        command.arg("--now").arg(Workload::end().to_string());
        command.args((!observe).then_some("--no-observe"));
        command.args((!self.mmap).then_some("--no-mmap"));
        command.arg("--").arg(&query.text);
        timed(&mut command).with_context(|| format!("the checkout of `{}`", query.text))
    }
}

/// Folds the log without a checkpoint, once, and asks every query.
///
/// Cost: the memory of the whole folded state.
fn expected(ledger: &Path, queries: &[Query]) -> Result<BTreeMap<String, Vec<Value>>> {
    let options = Options { read_only: true, use_checkpoint: false, ..Options::default() };
    let ledger = Ledger::open(ledger, options)?;
    let scope = memlith_verbs::scope::ScopeArg::default().0;
    let caller = Caller { scope, now: Some(Workload::end()), ..Caller::new("", "", Rank::User) };
    let mut answers = BTreeMap::new();
    for query in queries {
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(&query.text) };
        let pack = ledger.checkout(&caller, &request)?.pack;
        // Written and read again, as a printed answer is: a float may lose a bit on the way.
        let items = serde_json::from_str(&serde_json::to_string(&pack.items)?)?;
        answers.insert(query.text.clone(), items);
    }
    Ok(answers)
}

/// Compares an answer with what the fold of the whole log gives.
fn check(expected: &BTreeMap<String, Vec<Value>>, query: &Query, items: &[Value]) -> Result<()> {
    let expected = expected.get(&query.text).map(Vec::as_slice).unwrap_or_default();
    if expected == items {
        return Ok(());
    }
    Err(exit::damaged(format!(
        "the answer to `{}` is not that of a replay from the first record: {} items, not {}",
        query.text,
        items.len(),
        expected.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::Class;

    #[test]
    fn a_tail_is_a_number_or_the_limit() {
        assert_eq!(tail("7"), Ok(7));
        assert!(tail("limit").is_ok_and(|tail| tail > TAIL));
        assert!(tail("").is_err() && tail("-1").is_err());
    }

    #[test]
    fn an_answer_that_differs_in_one_byte_is_refused() {
        let query = Query { class: Class::Rare, text: "q".to_owned() };
        let item = |text: &str| json!({ "id": "mem_1", "text": text });
        let expected = [("q".to_owned(), vec![item("a")])].into();
        assert!(check(&expected, &query, &[item("a")]).is_ok());
        assert!(check(&expected, &query, &[item("b")]).is_err());
        assert!(check(&expected, &query, &[]).is_err());
    }
}
