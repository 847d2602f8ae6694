use anyhow::Result;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use memlith::{AsOf, Cited, Question, read::Blend};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::vector::QueryVectorArgs;

/// Look something up; nothing is learned from it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith recall 'staging database'
  memlith recall 'staging database' --limit 3 --json
  memlith recall 'staging database' --query-vector query.json --model minilm-l6-v2
  memlith recall 'staging database' --profile matrix")]
pub(crate) struct RecallArgs {
    /// The question in its own words.
    query: String,

    /// The most answers.
    #[arg(long, value_name = "N", default_value = "10", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: usize,

    /// A past state: a time, or the number of a record, which counts with its whole batch.
    #[arg(long, value_name = "SEQ|TIME", value_parser = crate::instant::parse_as_of)]
    as_of: Option<AsOf>,

    #[command(flatten)]
    vector: QueryVectorArgs,

    /// How answers are ordered.
    #[arg(long, value_enum, default_value = "memlith")]
    profile: Profile,
}

/// A named order of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Profile {
    /// By relevance, salience and what else the ledger knows.
    Memlith,
    /// As Matrix does: 0.7 similarity, 0.2 recency, 0.1 importance.
    Matrix,
}

#[derive(Serialize)]
struct Answer<'a> {
    results: &'a [Cited],
}

pub(crate) fn run(args: RecallArgs, context: &mut Context) -> Result<Exit> {
    let vector = args.vector.read()?;
    let ledger = context.open_to_read()?;
    let question = Question { query: args.query, as_of: args.as_of };
    let caller = context.caller();
    let found = match args.profile {
        Profile::Memlith => ledger.recall_near(&caller, &question, vector.as_ref(), args.limit)?,
        Profile::Matrix if vector.is_some() => {
            return Err(crate::exit::usage("the profile matrix compares no vectors"));
        }
        Profile::Matrix => ledger.recall_blended(&caller, &question, args.limit, Blend::MATRIX)?,
    };
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
