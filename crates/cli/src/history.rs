use anyhow::Result;
use clap::Args;
use memlith::RecordId;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;
use crate::target::Target;

/// Print every record that concerns an item, its own first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith history mem_17_0a1b2c3d4e5f")]
pub(crate) struct HistoryArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    records: Vec<Line>,
}

pub(crate) fn run(args: &HistoryArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = args.id.within(&ledger, &context.caller())?;
    let records = ledger.history(&context.caller(), id)?;
    let answer = Answer { id, records: records.iter().map(Line::of).collect() };
    let lines: Vec<String> = answer.records.iter().map(Line::to_text).collect();
    context.answer(&answer, lines.join("\n"))?;
    Ok(Exit::Ok)
}
