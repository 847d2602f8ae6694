use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{
    Purpose,
    write::{TaskReport, TaskResult},
};

use crate::context::Context;
use crate::exit::Exit;
use crate::target::Target;
use crate::verb::Verb;
use crate::written;

/// A report on how an answer did that cited items.
///
/// Success confirms them, failure doubts them, where it was verified; how much, grows with the
/// surprise. A partial result is kept, and nothing is learned from it.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
pub struct OutcomeArgs {
    /// success, partial or failure.
    result: ResultArg,

    /// The memories that the answer rested on, by id or citation.
    #[cfg_attr(feature = "schema", serde(default))]
    ids: Vec<Target>,

    /// The checkout that the answer was made from, by its `observation`; without `ids` all that
    /// it showed.
    shown_in: Option<Target>,

    /// It was checked by a program: an exit code, a test result. Nothing else is verified.
    #[cfg_attr(feature = "schema", serde(default))]
    verified: bool,

    #[cfg_attr(feature = "schema", serde(skip))]
    expected: Option<u32>,

    #[cfg_attr(feature = "schema", serde(skip))]
    purpose: Option<Purpose>,

    /// A note on what happened.
    note: Option<String>,
}

/// The flags of such a report.
#[derive(Args, Debug)]
#[command(next_help_heading = "How an answer did")]
pub(crate) struct ReportArgs {
    /// How an answer did that cited the items.
    #[arg(long, value_name = "HOW")]
    outcome: Option<ResultArg>,

    /// The observed checkout that the answer was made from, by its `observation`; without ID
    /// all that it showed and that may still be shown.
    #[arg(long, value_name = "ID", requires = "outcome")]
    shown_in: Option<Target>,

    /// How likely success was held to be before, from 0 to 1.
    #[arg(long, value_name = "P", value_parser = probability, requires = "outcome")]
    expected: Option<u32>,

    /// Purpose of the answer; else that of the checkout.
    #[arg(long, value_name = "NAME", value_parser = crate::purpose::parser(), requires = "outcome")]
    purpose: Option<Purpose>,

    /// Account of what happened.
    #[arg(long, value_name = "TEXT", requires = "outcome")]
    note: Option<String>,
}

impl ReportArgs {
    /// The report, where there is one.
    pub(crate) fn report(self, ids: &[Target], verified: bool) -> Option<OutcomeArgs> {
        let ReportArgs { outcome, shown_in, expected, purpose, note } = self;
        let result = outcome?;
        Some(OutcomeArgs { result, ids: ids.to_vec(), shown_in, verified, expected, purpose, note })
    }
}

/// How an answer did.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(rename_all = "snake_case"))]
enum ResultArg {
    /// It did what it was for.
    Success,
    /// In part.
    Partial,
    /// It failed.
    Failure,
}

impl Verb for OutcomeArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }
}

fn run(args: OutcomeArgs, context: &mut Context) -> Result<Exit> {
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
