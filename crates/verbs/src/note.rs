use anyhow::Result;
use clap::Args;
use memlith::RecordId;
use memlith::write::NoteKind;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Write down what a program notes of a prediction, a model or a basin.
///
/// A record, which asserts nothing: it is found, cited and erased as records are, and delivered
/// (memlith deliver run). The same key again is a newer version of the same.
#[derive(Args, Debug)]
#[command(after_help = "\
Kinds, and what their JSON has:
  prediction.made
  prediction.resolved   observation, accuracy (0 to 1), model_id
  model.revised         old_basins, new_basins, trigger
  basin.strengthened    strength, summary, links

Examples:
  memlith deliver note prediction.made 'rain on Friday' '{\"what\": \"rain\"}'
  memlith deliver note basin.strengthened tides '{\"strength\": 0.7, \"summary\": \"tides\", \"links\": []}'")]
pub struct NoteArgs {
    /// Kind of the note.
    #[arg(value_parser = str::parse::<NoteKind>)]
    kind: NoteKind,

    /// Subject of the note.
    key: String,

    /// Content of the note: one JSON object.
    #[arg(value_name = "JSON")]
    data: String,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    citation: memlith::Citation,
}

impl Verb for NoteArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &NoteArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let id = ledger.note(&context.caller(), args.kind, &args.key, &args.data)?;
    let answer = Answer { id, citation: ledger.cite(id) };
    context.answer(&answer, format!("{id}\n"))?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}
