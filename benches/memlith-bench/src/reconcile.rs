//! How well restatements, changes and contradictions are told apart.
//!
//! Each pair is compared by [`memlith::claims::compare`], the function that a write goes
//! through: without vectors, or with the cosine that the pair's line gives, and again with
//! that of the built-in table.

mod pairs;
mod report;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use memlith::claims::{Comparison, Millionths, Statement, Thresholds, Verdict, compare};
use memlith::reconcile::StaticTable;

use self::pairs::{Pair, parse};
use self::report::{Printed, Report, line};
use memlith_cli::context::Context;
use memlith_cli::exit::Exit;
use memlith_cli::out_file::{self, Force};
use memlith_cli::wall::Stopwatch;

/// What `memlith-bench reconcile` is told.
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
    let mut lines = Vec::new();
    let mut report = Report::new(&bytes);
    for pair in &pairs {
        let watch = Stopwatch::start();
        let comparison = compared(pair, pair.cosine);
        report.add(pair, decided(&comparison, pair.cosine), watch.elapsed());
        let cosine = of_table(pair);
        let by_table = compared(pair, cosine);
        report.add_by_table(pair, decided(&by_table, cosine), cosine);
        if args.per_pair.is_some() {
            writeln!(lines, "{}", line(pair, &comparison)).context("write a line")?;
        }
    }
    if let Some(path) = &args.per_pair {
        out_file::write(path, &lines, args.force)?;
    }
    Ok(report.finish())
}

/// How near the two are by the built-in table; none where one of them has no vector.
fn of_table(pair: &Pair) -> Option<Millionths> {
    let table = StaticTable::built_in();
    let (old, new) = (table.vector(&pair.a)?, table.vector(&pair.b)?);
    old.cosine(&new).map(Millionths)
}

fn compared(pair: &Pair, cosine: Option<Millionths>) -> Comparison {
    let (old, new) = (Statement::of(&pair.a), Statement::of(&pair.b));
    compare(&old, &new, cosine, &Thresholds::PUBLISHED)
}

/// The verdict as it is without an arbiter: what is left open is superseded from the
/// midpoint on, where there is a cosine.
fn decided(comparison: &Comparison, cosine: Option<Millionths>) -> Verdict {
    match (comparison.verdict, cosine) {
        (Verdict::Band, Some(cosine)) if cosine >= Thresholds::PUBLISHED.midpoint() => {
            Verdict::Supersede
        }
        (Verdict::Band, Some(_)) => Verdict::Add,
        (verdict, _) => verdict,
    }
}

#[cfg(test)]
mod tests;
