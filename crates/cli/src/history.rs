use anyhow::Result;
use clap::Args;
use memlith::RecordId;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;
use crate::target::Target;

/// Print every record about an item and what it replaced, the oldest first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith history mem_17_0a1b2c3d4e5f
  memlith history 17 --json")]
pub(crate) struct HistoryArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    items: Vec<RecordId>,
    records: Vec<PastJson>,
}

#[derive(Serialize)]
struct PastJson {
    #[serde(flatten)]
    line: Line,
    of: Vec<RecordId>,
    says: String,
}

pub(crate) fn run(args: &HistoryArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = args.id.within(&ledger, &context.caller())?;
    let past = ledger.lineage(&context.caller(), id)?;
    let mut items: Vec<RecordId> = past.iter().flat_map(|one| one.of.iter().copied()).collect();
    items.sort_unstable();
    items.dedup();
    let records = past.into_iter().map(|one| {
        let line = Line::of(&one.record);
        PastJson { says: line.told().to_owned(), line, of: one.of }
    });
    let answer = Answer { id, items, records: records.collect() };
    let lines: Vec<String> = answer.records.iter().map(|one| one.line.to_text()).collect();
    context.answer(&answer, lines.join("\n"))?;
    Ok(Exit::Ok)
}
