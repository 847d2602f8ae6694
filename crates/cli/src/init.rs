use anyhow::Result;
use clap::Args;
use memlith::{Ledger, LedgerId};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Make a new, empty ledger.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith init                        # in .memlith
  memlith init --ledger ~/notes.memlith")]
pub(crate) struct InitArgs {}

#[derive(Serialize)]
struct Initialised {
    ledger: LedgerId,
    dir: String,
}

pub(crate) fn run(_: &InitArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.new_ledger_dir();
    let ledger = Ledger::init(&dir, context.options.clone())?;
    let made = Initialised { ledger: ledger.id(), dir: dir.display().to_string() };
    context.answer(&made, format_args!("made ledger {} in {}", made.ledger, made.dir))?;
    ledger.close()?;
    Ok(Exit::Ok)
}
