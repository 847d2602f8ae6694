use anyhow::Result;
use clap::Args;

use crate::context::Context;
use crate::exit::Exit;
use crate::target::Target;
use crate::written;

/// Take back the memory that a decision made.
///
/// What it ended goes on, with the salience it has and the pin that it gave away. That takes
/// the rank of who decided, and of whoever confirmed or invalidated it since; nothing comes
/// back that was declared wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith rollback mem_17_0a1b2c3d4e5f --reason 'it was about another server'")]
pub(crate) struct RollbackArgs {
    /// Memory that the decision made: as `show` takes it.
    #[arg(value_name = "ID")]
    id: Target,

    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(crate) fn run(args: RollbackArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let id = args.id.within(&ledger, &context.caller())?;
    let written = ledger.roll_back(&context.caller(), id, args.reason)?;
    let exit = written::answer(&written, &[id], &ledger, context)?;
    context.finish(ledger)?;
    Ok(exit)
}
