use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use memlith::{Digest, LedgerId, Seq};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Copy the ledger into another folder, with its proof, while others write.
///
/// The copy is a ledger with the same id, chain and citations. Into an earlier backup only
/// what is new is copied. What arrives is verified; an interrupted backup leaves the earlier
/// one as it was, and DEST.partial, from which the next goes on. To go back to a backup, move
/// the damaged folder away and copy the backup to its place, or work on the backup itself.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith backup /mnt/usb/notes.memlith
  memlith verify --full --ledger /mnt/usb/notes.memlith
  memlith checkout \"which Postgres?\" --no-observe --ledger /mnt/usb/notes.memlith
  mv .memlith damaged && cp -a /mnt/usb/notes.memlith .memlith   # go back to it")]
pub struct BackupArgs {
    /// The folder of the backup: a new one, or an earlier backup of this ledger.
    dest: PathBuf,
}

#[derive(Serialize)]
struct Answer {
    ledger: LedgerId,
    dest: String,
    head: HeadJson,
    segments: u64,
    copied: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct HeadJson {
    seq: Seq,
    chain: Digest,
}

impl Verb for BackupArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &BackupArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let progress = context.progress("copying", None);
    let done = ledger.backup(&args.dest)?;
    drop(progress);
    let answer = Answer {
        ledger: ledger.id(),
        dest: args.dest.display().to_string(),
        head: HeadJson { seq: done.head.seq, chain: done.head.chain },
        segments: done.segments,
        copied: done.copied,
        bytes: done.bytes,
    };
    let text = format!(
        "records 0 to {} are in {}: {} of {} segments copied and verified, {} bytes\nchain {}",
        answer.head.seq,
        answer.dest,
        answer.copied,
        answer.segments,
        answer.bytes,
        answer.head.chain
    );
    context.answer(&answer, text)?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}
