use anyhow::Result;
use clap::Args;
use memlith::write::Rejection;
use memlith::{Change, Error, log::SaidElsewhere, read::OwnStatus};

use crate::context::Context;
use crate::elsewhere;
use crate::exit::Exit;
use crate::target::Target;
use crate::verb::Verb;
use crate::written;

/// Take back what was done to a memory: that it was forgotten, else that it was written.
///
/// A memory that was put out of sight comes back, with what rests on it. One that stands leaves,
/// and what it had ended goes on, with the salience it has and the pin that it gave away. That
/// takes the rank of the decider, and of whoever confirmed or forgot it since.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith undo mem_17_0a1b2c3d4e5f --reason 'it was about another server'")]
pub struct UndoArgs {
    /// The memory: as `show` takes it.
    #[arg(value_name = "ID")]
    id: Target,

    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Verb for UndoArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }
}

fn run(args: UndoArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let caller = context.caller();
    let (here, elsewhere) = elsewhere::apart(std::slice::from_ref(&args.id), &ledger, &caller)?;
    let Some(id) = here.first().copied() else {
        for (holder, id) in &elsewhere {
            let may = ledger.check_elsewhere(&caller, (holder, *id), SaidElsewhere::Restored);
            if let Err(Error::Rejected(Rejection::Status { authority, .. })) = may {
                return Err(elsewhere::nothing_to_undo(&holder.cite(*id), authority));
            }
        }
        let said = (SaidElsewhere::Restored, args.reason);
        let exit = elsewhere::say(&elsewhere, said, (&ledger, context))?;
        context.finish(ledger)?;
        return Ok(exit);
    };
    let own = ledger.inspect(&caller, id)?.item.map(|item| item.shown.item.own);
    let written = match own {
        Some(OwnStatus::Invalidated) => {
            ledger.change(&caller, Change::Reconfirm { reason: args.reason }, id)?
        }
        Some(_) | None => ledger.roll_back(&caller, id, args.reason)?,
    };
    let exit = written::answer(&written, &[id], &ledger, context)?;
    context.note(match own {
        Some(OwnStatus::Invalidated) => "it is back: that it was forgotten is taken back",
        Some(_) | None => "it is gone: the write that made it is taken back",
    });
    context.finish(ledger)?;
    Ok(exit)
}
