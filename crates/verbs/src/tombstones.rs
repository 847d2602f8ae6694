use anyhow::Result;
use clap::{Args, Subcommand};
use memlith::{RecordId, Seq};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::opened::Opened;
use crate::target::Target;
use crate::verb::Verb;

/// Let what erased records said come in again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith maintain tombstones lift mem_17_0a1b2c3d4e5f --as owner   # it may be said again
  memlith maintain tombstones lift all --as owner                   # also where tombstone.key is lost")]
pub struct TombstonesArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lift the tombstones of these erased records.
    #[command(after_help = "Examples:\n  memlith maintain tombstones lift all --as owner")]
    Lift {
        /// The erased records, or `all`.
        #[arg(value_name = "ID|all", required = true)]
        ids: Vec<Target>,
    },
}

#[derive(Serialize)]
struct Lifted {
    id: RecordId,
    seq: Seq,
    standing: u64,
}

impl Verb for TombstonesArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let What::Lift { ids } = self.what;
        lift(&ids, context.open()?, context)
    }
}

fn lift(targets: &[Target], ledger: Opened, context: &mut Context) -> Result<Exit> {
    let caller = context.caller();
    let id = match targets {
        [all] if all.is("all") => ledger.erasure().lift_all(&caller)?,
        ids => {
            // A whole id may be of another machine's record, whose words are barred here too.
            let id = |target: &Target| match target.whole() {
                Some(id) => Ok(id),
                None => target.within(&ledger, &caller),
            };
            let ids: Vec<RecordId> = ids.iter().map(id).collect::<Result<_>>()?;
            ledger.erasure().lift(&caller, &ids)?
        }
    };
    let answer = Lifted { id, seq: id.seq, standing: ledger.erasure().tombstones()?.standing };
    let text = format!("lifted by {id}; {} tombstones stand", answer.standing);
    context.answer(&answer, text)?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}
