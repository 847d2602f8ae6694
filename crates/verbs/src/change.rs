use anyhow::Result;
use clap::Args;
use memlith::{Change, log::SaidElsewhere, write::Weight};

use crate::context::Context;
use crate::elsewhere;
use crate::exit::Exit;
use crate::outcome::ReportArgs;
use crate::target::Target;
use crate::verb::Verb;
use crate::written;

#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
struct TargetArgs {
    /// The items: as `show` takes them.
    #[arg(value_name = "ID", required = true)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    ids: Vec<Target>,
}

/// Confirm that items are right, or say how an answer did that rested on them.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith confirm mem_17_0a1b2c3d4e5f
  memlith confirm --as tool:ci --verified mem_17_0a1b2c3d4e5f   # a test has shown it
  memlith confirm --outcome failure --as tool:ci --verified --expected 0.9 mem_17_0a1b2c3d4e5f
  memlith confirm --outcome success --shown-in mem_90_aa11bb22cc33   # all that a checkout had shown")]
pub struct ConfirmArgs {
    /// The items: as `show` takes them.
    #[arg(value_name = "ID", required_unless_present = "shown_in")]
    ids: Vec<Target>,

    /// A strength other than 1.5, from 1 to 10.
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = crate::weight::parse, conflicts_with = "outcome")]
    weight: Option<Weight>,

    /// It was checked: an exit code, a test result.
    #[arg(long)]
    verified: bool,

    #[command(flatten)]
    outcome: ReportArgs,
}

/// Put memories and records out of sight: they were wrong, or are over.
///
/// They are not shown any more, nor is what rests on them; `undo` takes it back. Nothing leaves
/// the files: that is `erase`.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith forget mem_17_0a1b2c3d4e5f --reason 'upgraded in May'
  memlith forget 'memlith://9f0c.../17#0a1b2c3d4e5f'")]
pub struct ForgetArgs {
    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(flatten))]
    targets: TargetArgs,

    /// A strength other than 0.2, up to 10.
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = crate::weight::parse)]
    #[cfg_attr(feature = "schema", serde(skip))]
    weight: Option<Weight>,

    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Show a memory before all others.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith pin mem_17_0a1b2c3d4e5f")]
pub struct PinArgs {
    #[command(flatten)]
    targets: TargetArgs,
}

/// Take a pin off.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith unpin mem_17_0a1b2c3d4e5f")]
pub struct UnpinArgs {
    #[command(flatten)]
    targets: TargetArgs,
}

impl Verb for ConfirmArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ConfirmArgs { ids, weight, verified, outcome } = self;
        match outcome.report(&ids, verified) {
            Some(report) => report.run(context),
            None => apply(Change::Confirm { weight, verified }, &ids, context),
        }
    }
}

impl Verb for ForgetArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ForgetArgs { targets, weight, reason } = self;
        apply(Change::Invalidate { weight, reason }, &targets.ids, context)
    }
}

impl Verb for PinArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        apply(Change::Pin, &self.targets.ids, context)
    }
}

impl Verb for UnpinArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        apply(Change::Unpin, &self.targets.ids, context)
    }
}

/// Changes items, and says what became of them.
pub(crate) fn apply(change: Change, targets: &[Target], context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let (here, elsewhere) = elsewhere::apart(targets, &ledger, &context.caller())?;
    if !elsewhere.is_empty() {
        let said = match change {
            Change::Invalidate { reason, .. } => (SaidElsewhere::Forgotten, reason),
            Change::Confirm { weight: None, verified } => {
                (SaidElsewhere::Confirmed { verified }, None)
            }
            Change::Pin => (SaidElsewhere::Pinned, None),
            Change::Unpin => (SaidElsewhere::Unpinned, None),
            Change::Confirm { weight: Some(_), .. }
            | Change::Promote { .. }
            | Change::Reconfirm { .. } => return Err(elsewhere::not_here(&elsewhere)),
        };
        if !here.is_empty() {
            return Err(crate::exit::usage(
                "some are of this machine and some of others: name them in two calls",
            ));
        }
        let exit = elsewhere::say(&elsewhere, said, (&ledger, context))?;
        context.finish(ledger)?;
        return Ok(exit);
    }
    let ids = here;
    let written = ledger.change(&context.caller(), change, &ids)?;
    let exit = written::answer(&written, &ids, &ledger, context)?;
    context.finish(ledger)?;
    Ok(exit)
}
