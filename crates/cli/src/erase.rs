use std::io::{self, BufRead, IsTerminal};

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{Ledger, RecordId, Seq};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;
use crate::target::Target;

/// Erase the words of items for good, with everything that rests on them.
///
/// That something was there, when, and its hash remain, and so does the chain. Copies
/// elsewhere, snapshots and freed disk blocks are not reached.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith erase mem_17_0a1b2c3d4e5f --as owner
  memlith erase mem_17_0a1b2c3d4e5f --as owner:ana --yes --json")]
pub(crate) struct EraseArgs {
    /// The items: as `show` takes them.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<Target>,

    /// Don't ask.
    #[arg(long)]
    yes: bool,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    seq: Seq,
    erased: Vec<RecordId>,
}

pub(crate) fn run(args: &EraseArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let ids = Target::all_within(&args.ids, &ledger, &context.caller())?;
    if !args.yes && !confirmed(&ids, &ledger, context)? {
        context.note("nothing was erased");
        return Ok(Exit::Findings);
    }
    let erased = ledger.erase(&context.caller(), &ids)?;
    let answer = Answer { id: erased.erasure, seq: erased.erasure.seq, erased: erased.records };
    let text = format!("erased {} records by {}", answer.erased.len(), answer.id);
    context.answer(&answer, text)?;
    context.note("copies, backups and snapshots of the folder still hold what was erased");
    context.finish(ledger)?;
    Ok(Exit::Ok)
}

/// Shows what would be erased and asks whether it may.
fn confirmed(ids: &[RecordId], ledger: &Ledger, context: &Context) -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(exit::usage("an erasure can't be undone: say --yes, or run it at a terminal"));
    }
    for id in ids {
        let shown = ledger.show(&context.caller(), *id)?;
        let body = memlith::decode(&shown.record)?;
        let words = body.and_then(|body| body.event.item_text().map(|text| plain(&text, 80)));
        anstream::eprintln!("{id}  {}", words.unwrap_or_default());
    }
    anstream::eprint!("Erase this and all that rests on it, for good? Type yes: ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("read the answer")?;
    Ok(answer.trim() == "yes")
}
