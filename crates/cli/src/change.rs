use anyhow::Result;
use clap::Args;
use memlith::{Change, write::Weight};

use crate::context::Context;
use crate::exit::Exit;
use crate::target::Target;
use crate::written;

#[derive(Args, Debug)]
struct TargetArgs {
    /// The items: as `show` takes them.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<Target>,
}

/// Confirm that items are right.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith confirm mem_17_0a1b2c3d4e5f
  memlith confirm --as tool:ci --verified mem_17_0a1b2c3d4e5f   # a test has shown it")]
pub(crate) struct ConfirmArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// A strength other than 1.5, from 1 to 10.
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = crate::weight::parse)]
    weight: Option<Weight>,

    /// A verified outcome stands behind it: an exit code, a test result.
    #[arg(long)]
    verified: bool,
}

/// Raise items, as somebody with authority.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith promote mem_17_0a1b2c3d4e5f --weight 3")]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// A strength other than 2.0, from 1 to 10.
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = crate::weight::parse)]
    weight: Option<Weight>,
}

/// Declare memories wrong, withdraw records.
///
/// They are not shown any more, nor is what rests on them; `reconfirm` takes it back.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith invalidate mem_17_0a1b2c3d4e5f --reason 'upgraded in May'
  memlith invalidate 'memlith://9f0c.../17#0a1b2c3d4e5f'")]
pub(crate) struct InvalidateArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// A strength other than 0.2, up to 10.
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = crate::weight::parse)]
    weight: Option<Weight>,

    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Take an invalidation back.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith reconfirm mem_17_0a1b2c3d4e5f")]
pub(crate) struct ReconfirmArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Show a memory before all others.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith pin mem_17_0a1b2c3d4e5f")]
pub(crate) struct PinArgs {
    #[command(flatten)]
    targets: TargetArgs,
}

/// Take a pin off.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith unpin mem_17_0a1b2c3d4e5f")]
pub(crate) struct UnpinArgs {
    #[command(flatten)]
    targets: TargetArgs,
}

pub(crate) fn confirm(args: ConfirmArgs, context: &mut Context) -> Result<Exit> {
    let ConfirmArgs { targets, weight, verified } = args;
    apply(Change::Confirm { weight, verified }, &targets, context)
}

pub(crate) fn promote(args: PromoteArgs, context: &mut Context) -> Result<Exit> {
    apply(Change::Promote { weight: args.weight }, &args.targets, context)
}

pub(crate) fn invalidate(args: InvalidateArgs, context: &mut Context) -> Result<Exit> {
    let InvalidateArgs { targets, weight, reason } = args;
    apply(Change::Invalidate { weight, reason }, &targets, context)
}

pub(crate) fn reconfirm(args: ReconfirmArgs, context: &mut Context) -> Result<Exit> {
    apply(Change::Reconfirm { reason: args.reason }, &args.targets, context)
}

pub(crate) fn pin(args: PinArgs, context: &mut Context) -> Result<Exit> {
    apply(Change::Pin, &args.targets, context)
}

pub(crate) fn unpin(args: UnpinArgs, context: &mut Context) -> Result<Exit> {
    apply(Change::Unpin, &args.targets, context)
}

fn apply(change: Change, targets: &TargetArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let ids = Target::all_within(&targets.ids, &ledger, &context.caller())?;
    let written = ledger.change(&context.caller(), change, &ids)?;
    let exit = written::answer(&written, &ids, &ledger, context)?;
    context.finish(ledger)?;
    Ok(exit)
}
