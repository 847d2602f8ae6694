use anyhow::Result;
use memlith::{Authority, RecordId, read::Traced};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;
use crate::plain::plain;
use crate::target::Target;
use crate::verb::Verb;

/// Show what an item rests on, and what rests on it; of any other record, what it names.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
pub struct TraceArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    pub(crate) id: Target,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    items: Vec<Traced>,
}

impl Verb for TraceArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &TraceArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let caller = context.caller();
    let (ledger, id) = args.id.found(&ledger, &caller)?;
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
