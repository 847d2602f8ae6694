use anyhow::Result;
use memlith::RecordId;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;
use crate::target::Target;
use crate::verb::Verb;

/// Print every record about an item and what it replaced, the oldest first.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
pub struct HistoryArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    pub(crate) id: Target,
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

impl Verb for HistoryArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &HistoryArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let (ledger, id) = args.id.found(&ledger, &context.caller())?;
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
