use anyhow::Result;
use clap::Args;
use memlith::Seq;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;

/// Print the records of the log, the log's own among them.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith log
  memlith log --from 100 --limit 20
  memlith log --json | jq -r 'select(.kind == \"memory.remembered\") | .id'")]
pub(crate) struct LogArgs {
    /// The first record.
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    from: u64,

    /// The most records; else all.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

pub(crate) fn run(args: &LogArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    for record in ledger.records(Seq(args.from), args.limit)? {
        let line = Line::of(&record?);
        context.answer(&line, line.to_text())?;
    }
    Ok(Exit::Ok)
}
