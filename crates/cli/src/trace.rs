use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{
    Caller, Ledger, RecordId,
    item::{Inspected, Traced},
    log::{LinkKind, Record},
};
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
    items: Vec<TracedJson>,
}

#[derive(Serialize)]
struct TracedJson {
    id: RecordId,
    citation: String,
    distance: i64,
    link: Option<LinkKind>,
    kind: &'static str,
    authority: Option<&'static str>,
    text: Option<String>,
}

pub(crate) fn run(args: &TraceArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let caller = context.caller();
    let id = args.id.within(&ledger, &caller)?;
    let inspected = ledger.inspect(&caller, id)?;
    let items = match inspected.item {
        Some(_) => {
            let traced = ledger.trace(&caller, id)?;
            traced.iter().map(|one| TracedJson::of(&ledger, one)).collect::<Result<_>>()?
        }
        None => named(&ledger, &caller, &inspected)?,
    };
    let answer = Answer { id, items };
    let text: String = answer.items.iter().map(TracedJson::to_text).collect();
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

/// What a record that is no item names, and itself.
fn named(ledger: &Ledger, caller: &Caller, inspected: &Inspected) -> Result<Vec<TracedJson>> {
    let mut items = Vec::new();
    for id in &inspected.about {
        let shown = ledger.show(caller, *id)?;
        let authority = Some(shown.authority.label());
        items.push(TracedJson::at(ledger, &shown.record, -1, None, authority));
    }
    items.push(TracedJson::at(ledger, &inspected.record, 0, None, None));
    Ok(items)
}

impl TracedJson {
    fn of(ledger: &Ledger, one: &Traced) -> Result<TracedJson> {
        let record = ledger.records(one.id.seq, Some(1))?.next().transpose()?;
        let record = record.context("a record that an item rests on")?;
        let authority = Some(one.authority.label());
        Ok(TracedJson::at(ledger, &record, one.distance, one.link, authority))
    }

    fn at(
        ledger: &Ledger,
        record: &Record,
        distance: i64,
        link: Option<LinkKind>,
        authority: Option<&'static str>,
    ) -> TracedJson {
        let line = Line::of(record);
        let body = memlith::log::decode(record).ok().flatten();
        let text = body.and_then(|body| body.event.item_text().map(Into::into));
        TracedJson {
            id: record.id(),
            citation: ledger.cite(record.id()).to_string(),
            distance,
            link,
            kind: line.json.kind,
            text: text.or_else(|| authority.is_none().then(|| line.told().to_owned())),
            authority,
        }
    }
}

impl TracedJson {
    fn to_text(&self) -> String {
        /// How much of the words stands in a line.
        const WORDS_CHARS: usize = 80;
        let words = plain(self.text.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
        let standing = self.authority.unwrap_or(self.kind);
        format!("{:>3}  {}  {standing}  {words}\n", self.distance, self.id)
    }
}
