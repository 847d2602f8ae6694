use anyhow::Result;
use clap::Args;
use memlith::RecordId;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Report what a text adds to what is remembered.
///
/// The index and a handful of memories are read, however long the log is; nothing is written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith novelty 'The staging database is running Postgres 15'
  memlith novelty 'The staging database is running Postgres 15' --json")]
pub(crate) struct NoveltyArgs {
    /// The words.
    text: String,
}

#[derive(Serialize)]
struct Answer {
    novelty: &'static str,
    id: Option<RecordId>,
    citation: Option<String>,
}

pub(crate) fn run(args: &NoveltyArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let novelty = ledger.novelty(&context.caller(), &args.text)?;
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
