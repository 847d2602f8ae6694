use anyhow::Result;
use clap::Args;
use memlith::{AsOf, Question};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Check whether anything is known about a question; reads no text.
///
/// Cheap enough to ask before every task: the index alone is read, nothing is shown, and
/// nothing is learned.
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

#[derive(Serialize)]
struct Answer {
    known: &'static str,
    found: u32,
    near: u32,
    evidence: u32,
    relevance: i64,
    coverage: f64,
}

pub(crate) fn run(args: KnowsArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let question = Question { query: args.query, as_of: args.as_of };
    let knowledge = ledger.knows(&context.caller(), &question)?;
    let answer = Answer {
        known: knowledge.known.label(),
        found: knowledge.found,
        near: knowledge.near,
        evidence: knowledge.evidence,
        relevance: knowledge.relevance,
        coverage: f64::from(i32::try_from(knowledge.coverage).unwrap_or(i32::MAX)) / 1e6,
    };
    let text = format!(
        "{}: {} found, {} on the point, {} of them evidence",
        answer.known, answer.found, answer.near, answer.evidence
    );
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}
