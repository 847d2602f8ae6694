use anyhow::Result;
use clap::Args;
use memlith::{Digest, Seq, prove::Checkpointed};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Write a checkpoint of the folded state, from which the next start is fast.
///
/// Writing verbs do so by themselves when one pays.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith maintain checkpoint")]
pub struct CheckpointArgs {}

#[derive(Serialize)]
struct Answer {
    outcome: &'static str,
    seq: Option<Seq>,
    root: Option<Digest>,
    bytes: Option<u64>,
}

impl Verb for CheckpointArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(_: &CheckpointArgs, context: &mut Context) -> Result<Exit> {
    let progress = context.progress("writing a checkpoint", None);
    let ledger = context.open()?;
    let checkpointed = ledger.checkpoints().write()?;
    drop(progress);
    let (answer, text) = match checkpointed {
        Checkpointed::Sealed { seq, root, len } => (
            Answer { outcome: "sealed", seq: Some(seq), root: Some(root), bytes: Some(len) },
            format!("sealed up to record {seq}, {len} bytes, root {root}"),
        ),
        Checkpointed::Unchanged { seq } => (
            Answer { outcome: "unchanged", seq: Some(seq), root: None, bytes: None },
            format!("nothing has happened since the checkpoint up to record {seq}"),
        ),
        Checkpointed::Busy => (
            Answer { outcome: "busy", seq: None, root: None, bytes: None },
            "another process is writing one".to_owned(),
        ),
    };
    context.answer(&answer, text)?;
    ledger.close()?;
    Ok(Exit::Ok)
}
