use anyhow::Result;
use clap::Args;
use memlith::{Ledger, LinkKind, RecordId, Traced};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::target::Target;

/// Show what an item rests on, and what rests on it.
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
    items: Vec<TracedJson>,
}

#[derive(Serialize)]
struct TracedJson {
    id: RecordId,
    citation: String,
    distance: i64,
    link: Option<LinkKind>,
    authority: &'static str,
    text: Option<String>,
}

pub(crate) fn run(args: &TraceArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = args.id.within(&ledger, &context.caller())?;
    let traced = ledger.trace(&context.caller(), id)?;
    let items = traced.iter().map(|one| of(&ledger, one)).collect::<Result<_>>()?;
    let answer = Answer { id, items };
    let text: String = answer.items.iter().map(TracedJson::to_text).collect();
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

fn of(ledger: &Ledger, one: &Traced) -> Result<TracedJson> {
    let record = ledger.records(one.id.seq, Some(1))?.next().transpose()?;
    let body = record.as_ref().map(memlith::decode).transpose()?.flatten();
    Ok(TracedJson {
        id: one.id,
        citation: ledger.cite(one.id).to_string(),
        distance: one.distance,
        link: one.link,
        authority: one.authority.label(),
        text: body.and_then(|body| body.event.item_text().map(Into::into)),
    })
}

impl TracedJson {
    fn to_text(&self) -> String {
        /// How much of the words stands in a line.
        const WORDS_CHARS: usize = 80;
        let words = plain(self.text.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
        format!("{:>3}  {}  {}  {words}\n", self.distance, self.id, self.authority)
    }
}
