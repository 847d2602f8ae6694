//! How long a checkout takes in a fresh process, from its start to the last byte of its
//! answer.
//!
//! The ledger of a seed is built once and kept; each bench works on a copy, so that the
//! observed checkouts of one don't lengthen the tail of the next.

mod build;
mod child;
mod queries;
mod report;
mod words;
mod workload;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;

use self::build::Plan;
use self::child::Checkout;
use self::queries::{Class, Query};
use self::report::{Mode, Report};
use crate::context::Context;
use crate::exit::{self, Exit};

/// What `bench cold-checkout` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct ColdCheckoutArgs {
    /// Events of the log, the tail included: 111000 are 115 MB in Eventloom's lines.
    #[arg(long, value_name = "N")]
    events: u64,
    /// What the words, kinds and queries depend on.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// Processes that are timed, observed and unobserved each.
    #[arg(long, value_name = "R", default_value = "30", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Events after the checkpoint; else 1000, but at most half of all.
    #[arg(long, value_name = "T")]
    tail: Option<u64>,
    /// Builds the ledger anew, though one of the same seed is kept.
    #[arg(long)]
    rebuild: bool,
    /// Writes the log in Eventloom's lines to this file, so that Zaxy can be given the same.
    #[arg(long, value_name = "FILE")]
    write_log: Option<PathBuf>,
}

/// Events after the checkpoint, where nothing else is said: as many as start the next one.
const TAIL: u64 = 1_000;

/// Runs the bench and prints its figures.
///
/// # Errors
/// The ledger can't be built, or a checkout failed.
pub(crate) fn run(args: &ColdCheckoutArgs, context: &mut Context) -> Result<Exit> {
    let tail = args.tail.unwrap_or_else(|| TAIL.min(args.events / 2));
    if tail >= args.events {
        return Err(exit::usage(format!(
            "--tail {tail} leaves none of --events {} before the checkpoint",
            args.events
        )));
    }
    let plan = Plan { events: args.events, seed: args.seed, tail };
    if let Some(path) = &args.write_log {
        plan.write_log(path)?;
    }
    let program = std::env::current_exe().context("find this program")?;
    let kept = plan.kept(args.rebuild, &|text| context.note(text))?;
    let folder = tempfile::tempdir().context("make a temporary folder")?;
    let ledger = folder.path().join("ledger");
    build::copy(&kept, &ledger)?;
    let mut report = Report::new(&plan, build::facts(&ledger)?);
    measure(&program, &ledger, args, &mut report)?;
    let figures = report.finish();
    let text = figures.to_text();
    context.answer(&figures, text)?;
    Ok(Exit::Ok)
}

/// Times every query in both modes, then looks at the memory of a few more processes:
/// looking on costs time, so the two are never done in one run.
fn measure(
    program: &Path,
    ledger: &Path,
    args: &ColdCheckoutArgs,
    report: &mut Report,
) -> Result<()> {
    let now = workload::Workload::end();
    let queries = queries::of(args.seed, args.runs);
    let checkout = |query: &Query, mode| Checkout {
        program: program.to_owned(),
        ledger: ledger.to_owned(),
        query: query.text.clone(),
        now,
        observe: mode == Mode::Observed,
    };
    // Whatever the file system has not read yet, it reads for this one.
    if let Some(first) = queries.first() {
        checkout(first, Mode::Unobserved).timed()?;
    }
    for query in &queries {
        for mode in Mode::ALL {
            report.timed(query.class, mode, &checkout(query, mode).timed()?);
        }
    }
    for class in Class::ALL {
        let Some(query) = queries.iter().find(|query| query.class == class) else { continue };
        for mode in Mode::ALL {
            report.watched(class, mode, checkout(query, mode).watched()?);
        }
    }
    Ok(())
}
