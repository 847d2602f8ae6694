use anyhow::Result;
use clap::Args;
use memlith::{Authority, Change, RecordId, WriteOutcome, log::LinkKind, read::Tainted};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::target::Target;

/// List everything that an item has led to.
///
/// What rests on it, took its place, corrects it or was weighed with it; the checkouts that
/// showed any of that; and what was written because of them. Each with the record through
/// which it was reached.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith taint mem_17_0a1b2c3d4e5f
  memlith taint mem_17_0a1b2c3d4e5f --invalidate --reason 'planted by a web page'")]
pub(crate) struct TaintArgs {
    /// The item: as `show` takes it.
    id: Target,

    /// Declare it wrong first: it is not shown any more, nor is what rests on it alone.
    #[arg(long)]
    invalidate: bool,

    /// Why.
    #[arg(long, value_name = "TEXT", requires = "invalidate")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    invalidated: bool,
    items: Vec<Tainted>,
}

pub(crate) fn run(args: TaintArgs, context: &mut Context) -> Result<Exit> {
    let ledger = if args.invalidate { context.open()? } else { context.open_to_read()? };
    let id = args.id.within(&ledger, &context.caller())?;
    let mut invalidated = false;
    if args.invalidate {
        let change = Change::Invalidate { weight: None, reason: args.reason };
        let written = ledger.change(&context.caller(), change, [id])?;
        invalidated = written.outcome != WriteOutcome::Disputed;
    }
    let answer = Answer { id, invalidated, items: ledger.taint(&context.caller(), id)? };
    let text: String = answer.items.iter().map(line).collect();
    context.answer(&answer, text)?;
    if args.invalidate && !invalidated {
        context.note("the rank is too low to invalidate it: it stands, and is marked as disputed");
    }
    context.finish(ledger)?;
    Ok(Exit::ok_if(invalidated || !args.invalidate))
}

fn line(one: &Tainted) -> String {
    /// How much of the words stands in a line.
    const WORDS_CHARS: usize = 80;
    let words = plain(one.text.as_deref().unwrap_or(""), WORDS_CHARS);
    let how = one.link.map_or("shown", label);
    let stands = one.authority.map_or(one.kind, Authority::label);
    format!("{:>3}  {}  {stands}, {how} from {}  {words}\n", one.distance, one.id, one.from)
}

fn label(link: LinkKind) -> &'static str {
    match link {
        LinkKind::RestsOn => "rests on",
        LinkKind::Supersedes => "supersedes",
        LinkKind::Corrects => "corrects",
        LinkKind::Considered => "considered",
        LinkKind::About => "about",
        LinkKind::ShownIn => "shown in",
    }
}
