use anyhow::Result;
use memlith::RecordId;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

#[derive(Serialize)]
struct Answer {
    novelty: &'static str,
    id: Option<RecordId>,
    citation: Option<String>,
}

/// Says what `text` adds to what is remembered.
///
/// The index and a handful of memories are read, however long the log is; nothing is written.
pub(crate) fn answer(text: &str, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let novelty = ledger.novelty(&context.caller(), text)?;
    let id = novelty.of();
    let citation = id.map(|id| ledger.cite(id).to_string());
    let answer = Answer { novelty: novelty.label(), id, citation };
    let text = match id {
        Some(id) => format!("{}: {id}", answer.novelty),
        None => answer.novelty.to_owned(),
    };
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}
