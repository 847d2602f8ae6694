use anyhow::Result;
use clap::Args;
use memlith::{AsOf, Question};

use crate::context::Context;
use crate::exit::Exit;

/// Check whether anything is known about a question; reads no text.
///
/// Cheap enough to ask before every task: the index alone is read, nothing is shown, and
/// nothing is learned. It counts what has the words of the question; whether the answer is in
/// there only a reader can tell.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith knows 'staging database'
  memlith knows 'staging database' --json")]
pub(crate) struct KnowsArgs {
    /// The question in its own words.
    query: String,

    /// A past state: a time, or the number of a record, which counts with its whole batch.
    #[arg(long, value_name = "SEQ|TIME", value_parser = crate::instant::parse_as_of)]
    as_of: Option<AsOf>,
}

pub(crate) fn run(args: KnowsArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let question = Question { query: args.query, as_of: args.as_of };
    let knowledge = ledger.knows(&context.caller(), &question)?;
    let text = format!(
        "{} found, {} of them with most of the question or of whom or when it names, {} may be \
         evidence{}",
        knowledge.found,
        knowledge.near,
        knowledge.evidence,
        nowhere(&knowledge.nowhere),
    );
    context.answer(&knowledge, text)?;
    Ok(Exit::Ok)
}

/// The part of a line that says which names of a question are nowhere; empty where all are found.
pub(crate) fn nowhere(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; nothing says {}", names.join(" or ")) }
}
