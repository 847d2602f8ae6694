use anyhow::Result;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use memlith::{Digest, Seq, prove::Replay};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Fold the log again and print the digest of the state.
///
/// Equal digests are equal memories: the digest depends on the events alone, not on
/// checkpoints, threads or the ledger's id.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith verify replay
  memlith verify replay --until 1000
  memlith verify replay --from-checkpoint 900 --threads 2")]
pub struct ReplayArgs {
    /// The last record; else the head.
    #[arg(long, value_name = "SEQ")]
    until: Option<u64>,

    /// The kept checkpoint to start from; else the first record.
    #[arg(long, value_name = "SEQ")]
    from_checkpoint: Option<u64>,

    /// Threads that read, verify and take texts apart.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Option<usize>,
}

#[derive(Serialize)]
struct Answer {
    digest: Digest,
    seq: Seq,
}

impl Verb for ReplayArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &ReplayArgs, context: &mut Context) -> Result<Exit> {
    let mut ledger_options = context.options.clone();
    // Opening folds the log as well, unless a checkpoint saves it: it is folded again here.
    ledger_options.read_only = true;
    let progress = context.progress("replaying", None);
    let ledger = context.open_at(&context.ledger_dir()?, ledger_options)?;
    let replayed = ledger.audit().replay(&Replay {
        until: args.until.map(Seq),
        from_checkpoint: args.from_checkpoint.map(Seq),
        threads: args.threads,
    })?;
    drop(progress);
    let answer = Answer { digest: replayed.digest, seq: replayed.seq };
    context.note(format_args!("folded up to record {}", answer.seq));
    context.answer(&answer, answer.digest)?;
    Ok(Exit::Ok)
}
