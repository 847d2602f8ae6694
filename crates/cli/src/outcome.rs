use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{
    Purpose,
    write::{TaskReport, TaskResult},
};

use crate::context::Context;
use crate::exit::Exit;
use crate::target::Target;
use crate::written;

/// Report the outcome of an answer that cited items.
///
/// Success confirms them, failure doubts them, where it was verified; how much, grows with the
/// surprise. A partial result is kept, and nothing is learned from it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith outcome success mem_17_0a1b2c3d4e5f
  memlith outcome failure --as tool:ci --verified --expected 0.9 mem_17_0a1b2c3d4e5f
  memlith outcome success --shown-in mem_90_aa11bb22cc33   # all that a checkout had shown")]
pub(crate) struct OutcomeArgs {
    /// How it did.
    result: ResultArg,

    /// The items that the answer cited: as `show` takes them.
    #[arg(value_name = "ID", required_unless_present = "shown_in")]
    ids: Vec<Target>,

    /// The observed checkout that the answer was made from, by its `observation`; without ID
    /// all that it showed and that may still be shown.
    #[arg(long, value_name = "ID")]
    shown_in: Option<Target>,

    /// It was checked: an exit code, a test result.
    #[arg(long)]
    verified: bool,

    /// How likely success was held to be before, from 0 to 1.
    #[arg(long, value_name = "P", value_parser = probability)]
    expected: Option<u32>,

    /// Purpose of the answer; else that of the checkout.
    #[arg(long, value_name = "NAME", value_parser = crate::purpose::parser())]
    purpose: Option<Purpose>,

    /// Account of what happened.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// How an answer did.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ResultArg {
    /// It did what it was for.
    Success,
    /// In part.
    Partial,
    /// It failed.
    Failure,
}

pub(crate) fn run(args: OutcomeArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let targets = Target::all_within(&args.ids, &ledger, &context.caller())?;
    let shown_in =
        args.shown_in.map(|shown| shown.within(&ledger, &context.caller())).transpose()?;
    let report = TaskReport {
        targets: targets.clone(),
        result: match args.result {
            ResultArg::Success => TaskResult::Success,
            ResultArg::Partial => TaskResult::Partial,
            ResultArg::Failure => TaskResult::Failure,
        },
        verified: args.verified,
        expected: args.expected,
        purpose: args.purpose,
        note: args.note,
        shown_in,
    };
    let caller = context.caller();
    let written = match shown_in.filter(|_| targets.is_empty()) {
        Some(shown) => ledger.report_shown(&caller, shown, report)?,
        None => ledger.report(&caller, report)?,
    };
    let exit = written::answer(&written, &targets, &ledger, context)?;
    context.finish(ledger)?;
    Ok(exit)
}

/// Reads a probability, in millionths.
fn probability(text: &str) -> Result<u32, String> {
    let millionths = crate::decimal::scaled(text, 6).and_then(|scaled| u32::try_from(scaled).ok());
    millionths.filter(|millionths| *millionths <= 1_000_000).ok_or_else(|| {
        "a probability is a decimal number from 0 to 1, with six places at most".to_owned()
    })
}
