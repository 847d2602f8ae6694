use anyhow::Result;
use clap::Args;
use memlith_agents::{BRIEF_TOKENS, brief};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Print what a new session of a coding agent is told.
///
/// What is pinned, what is known of the person, what stands, newest first, and what the last
/// sessions were asked and came to. The same state gives the same bytes; nothing is written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent brief
  memlith agent brief --budget-tokens 500")]
pub struct BriefArgs {
    /// The most tokens of the whole text.
    #[arg(long, value_name = "N", default_value_t = BRIEF_TOKENS)]
    budget_tokens: u32,

    /// Tell what this session was asked so far, by the client's name for it.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(Serialize)]
struct Told {
    text: String,
    shown: Vec<memlith::RecordId>,
}

impl Default for BriefArgs {
    fn default() -> BriefArgs {
        BriefArgs { budget_tokens: BRIEF_TOKENS, session: None }
    }
}

impl Verb for BriefArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &BriefArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let within = (args.budget_tokens, &context.tree()?);
    let told = brief(&ledger, &context.caller(), args.session.as_deref(), within)?;
    if told.text.is_empty() {
        context.note("nothing is known here yet");
    }
    let told = Told { text: told.text, shown: told.shown };
    context.answer(&told, &told.text)?;
    Ok(Exit::Ok)
}
