use anyhow::Result;
use clap::Args;
use memlith::{Authority, RecordId, read::Traced};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;
use crate::plain::plain;
use crate::target::Target;

/// Show what an item rests on, and what rests on it; of any other record, what it names.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith trace mem_17_0a1b2c3d4e5f")]
pub(crate) struct TraceArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    items: Vec<Traced>,
}

pub(crate) fn run(args: &TraceArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let caller = context.caller();
    let id = args.id.within(&ledger, &caller)?;
    let mut items = ledger.trace(&caller, id)?;
    if let Some(event) = items.last_mut().filter(|last| last.authority.is_none()) {
        let record = ledger.inspect(&caller, event.id)?.record;
        event.text = Some(Line::of(&record).told().to_owned());
    }
    let answer = Answer { id, items };
    let text: String = answer.items.iter().map(line).collect();
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

fn line(one: &Traced) -> String {
    /// How much of the words stands in a line.
    const WORDS_CHARS: usize = 80;
    let words = plain(one.text.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
    let standing = one.authority.map_or(one.kind, Authority::label);
    format!("{:>3}  {}  {standing}  {words}\n", one.distance, one.id)
}
