//! How well restatements, changes and contradictions are told apart.
//!
//! Each pair has a ledger of its own, in memory: its first statement is written and then its
//! second, as `memlith remember` writes them, and what became of the second is counted. Once by
//! words, or with the cosine that the pair's line gives, and once with the built-in table.

mod given;
mod pairs;
mod report;
mod verdict;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::storage::{Env, FixedClock, MemoryDisk, SeededRng};
use memlith::write::{Cosine, Reconciler};
use memlith::{Caller, Ledger, Options, Timestamp};

use self::given::Given;
use self::pairs::{Pair, parse};
use self::report::{Printed, Report, line};
use self::verdict::Verdict;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::out_file::{self, Force};
use memlith_verbs::wall::Stopwatch;

/// Arguments of `memlith-bench reconcile`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench reconcile --pairs crates/claims/tests/pairs.jsonl --json")]
pub(crate) struct ReconcileArgs {
    /// Labelled pairs, one `{"a", "b", "label"}` a line, with `"cosine"` where it is known.
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
    /// Writes each pair with what was made of it and why, a line each.
    #[arg(long, value_name = "FILE")]
    per_pair: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// The pairs can't be read, or the file for each pair can't be written.
pub(crate) fn run(args: &ReconcileArgs, context: &mut Context) -> Result<Exit> {
    let printed = measure(args)?;
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

fn measure(args: &ReconcileArgs) -> Result<Printed> {
    let read = || format!("read the pairs {}", args.pairs.display());
    let bytes = std::fs::read(&args.pairs).with_context(read)?;
    let pairs = parse(&bytes).with_context(read)?;
    let (report, lines) = reported(&bytes, &pairs)?;
    if let Some(path) = &args.per_pair {
        out_file::write(path, &lines, args.force)?;
    }
    Ok(report.finish())
}

/// The figures of all pairs, and a line of each.
fn reported(bytes: &[u8], pairs: &[Pair]) -> Result<(Report, Vec<u8>)> {
    let table = Arc::new(Reconciler::built_in());
    let mut report = Report::new(bytes);
    let mut lines = Vec::new();
    for pair in pairs {
        let given = pair.cosine.map(|cosine| Arc::new(Reconciler::with(Arc::new(Given(cosine)))));
        let (verdict, wall) = written(pair, given)?;
        report.add(pair, verdict, wall);
        let (by_table, _) = written(pair, Some(table.clone()))?;
        report.add_by_table(pair, by_table, pair.cosine.or_else(|| near(pair, &table)));
        writeln!(lines, "{}", line(pair, verdict, by_table)).context("write a line")?;
    }
    Ok((report, lines))
}

/// Writes the first statement of a pair and then its second, and returns what became of the
/// second and how long its write took.
fn written(pair: &Pair, reconciler: Option<Arc<Reconciler>>) -> Result<(Verdict, Duration)> {
    /// Both are written on Monday 4 May 2026, nine in the morning, UTC.
    const NOW: Timestamp = Timestamp(1_777_885_200_000_000);
    let env = Env {
        storage: Arc::new(MemoryDisk::new().process()),
        clock: Arc::new(FixedClock::new(NOW)),
        rng: Arc::new(SeededRng::new(1)),
    };
    // As the command has it without flags, but for the model.
    let ledger = Ledger::create_in(env, Options { reconciler, ..Options::default() })?;
    let caller = Caller::user("default", "user");
    let unwritten = |text: &str| format!("write {text:?}");
    let _ = ledger.remember(&caller, pair.a.as_str()).with_context(|| unwritten(&pair.a))?;
    let watch = Stopwatch::start();
    let second = ledger.remember(&caller, pair.b.as_str()).with_context(|| unwritten(&pair.b))?;
    Ok((Verdict::of(&second), watch.elapsed()))
}

/// How near the two are by the reconciler's model; none where one of them has no vector.
fn near(pair: &Pair, reconciler: &Reconciler) -> Option<Cosine> {
    let comparer = reconciler.comparer.as_deref()?;
    comparer.cosines(&pair.b, &[&pair.a]).first().copied().flatten()
}

#[cfg(test)]
mod tests;
