use anyhow::Result;
use clap::Args;
use memlith::{Digest, LedgerId, Seq, Timestamp};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Print the head, the end of the ledger, as one line to keep elsewhere.
///
/// `memlith verify --head LINE` says later whether the ledger still holds all that was there.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith head
  memlith head >> /mnt/elsewhere/heads
  memlith verify --head /mnt/elsewhere/heads")]
pub struct HeadArgs {}

#[derive(Serialize)]
struct Answer {
    ledger: LedgerId,
    seq: Seq,
    chain: Digest,
    recorded_at: Timestamp,
    synced: Option<Seq>,
    line: String,
}

impl Verb for HeadArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(_: &HeadArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let head = ledger.audit().head()?;
    let answer = Answer {
        ledger: head.ledger,
        seq: head.seq,
        chain: head.chain,
        recorded_at: ledger.head().recorded_at,
        synced: ledger.synced(),
        line: head.to_string(),
    };
    context.answer(&answer, &answer.line)?;
    if answer.synced.is_none_or(|synced| synced < answer.seq) {
        context.note(
            "its last records are not known to be on the disk: after a power cut the ledger may \
             end before this head",
        );
    }
    Ok(Exit::Ok)
}
