use anyhow::Result;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use memlith::{AsOf, Cited, Question};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::vector::QueryVectorArgs;
use crate::verb::Verb;

/// Look something up; nothing is learned from it.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith search 'staging database'
  memlith search 'staging database' --limit 3 --json
  memlith search 'staging database' --query-vector query.json --model minilm-l6-v2
  memlith search 'staging database' --exists     # reads no text")]
pub struct SearchArgs {
    /// The question in its own words.
    query: String,

    /// The most answers.
    #[arg(long, value_name = "N", default_value_t = limit(), value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    #[cfg_attr(feature = "schema", serde(default = "limit"))]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    limit: usize,

    /// A past state: a time, or the number of a record, which counts with its whole batch.
    #[arg(long, value_name = "SEQ|TIME", value_parser = crate::instant::parse_as_of)]
    #[cfg_attr(
        feature = "schema",
        serde(default, deserialize_with = "crate::instant::as_of_given")
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[cfg_attr(feature = "schema", schemars(description = "A past time, or a record's number."))]
    as_of: Option<AsOf>,

    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(skip))]
    vector: QueryVectorArgs,

    /// Only count what has the words of the question; read no text and show none.
    #[arg(long, conflicts_with_all = ["limit", "query_vector"])]
    #[cfg_attr(feature = "schema", serde(default))]
    exists: bool,
}

/// The most answers, where nobody says it.
fn limit() -> usize {
    10
}

#[derive(Serialize)]
struct Answer<'a> {
    results: &'a [Cited],
}

impl Verb for SearchArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: SearchArgs, context: &mut Context) -> Result<Exit> {
    let question = Question { query: args.query, as_of: args.as_of };
    if args.exists {
        return crate::knows::answer(&question, context);
    }
    let vector = args.vector.read()?;
    let ledger = context.open_to_read()?;
    let found = ledger.recall_near(
        &context.caller(),
        &question,
        vector.as_ref(),
        args.limit.clamp(1, 100_000),
    )?;
    let text = match context.is_for_a_model() {
        true => memlith::for_prompt(&found),
        false => memlith::for_people(&found),
    };
    context.answer(&Answer { results: &found }, text)?;
    if found.is_empty() {
        context.note("nothing found");
    }
    Ok(Exit::Ok)
}
