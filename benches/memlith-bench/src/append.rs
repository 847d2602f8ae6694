//! Measures the cost of appends: one event synced, batches that are buffered, many threads
//! that share a sync, and whether the cost grows with the log.
//!
//! It is the log that is measured, against a bare write and sync of as many bytes; how
//! much the engine adds, which reconciles and folds, is told beside it.

mod bare;
mod group;
mod grown;
mod report;
mod series;
mod subject;
mod sustained;

use anyhow::{Context as _, Result};
use clap::builder::RangedU64ValueParser;

use self::bare::Bare;
use self::report::Printed;
use self::subject::Subject;
pub(crate) use self::subject::body;
use crate::plan::Cache;
use crate::size::Size;
use crate::summary::Summary;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;

/// Arguments of `memlith-bench append`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench append --json
  memlith-bench append --dir /mnt/disk --single 2000 --rounds 9
  memlith-bench append --grown 1.15GB --threads 1,64")]
pub(crate) struct AppendArgs {
    /// Bytes of an event's body.
    #[arg(long, value_name = "N", default_value = "600", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    payload: usize,
    /// Events that are synced one by one, each beside a bare write and sync.
    #[arg(long, value_name = "N", default_value = "500", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    single: usize,
    /// Batches of 100 that are buffered, of a round.
    #[arg(long, value_name = "N", default_value = "500", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    batches: usize,
    /// Rounds of the buffered batches and of the threads; the median counts.
    #[arg(long, value_name = "N", default_value = "5", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000))]
    rounds: usize,
    /// How many threads share syncs, one number after the other.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,4,8,16,32,64", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_024))]
    threads: Vec<usize>,
    /// Events of each thread in a round.
    #[arg(long, value_name = "N", default_value = "200", value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    per_thread: usize,
    /// Also writes memories one by one, synced, for so long, beside the thread that writes
    /// checkpoints.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..=3_600))]
    seconds: Option<u64>,
    /// Compares a log of this length with one of 10 MB; writes as much.
    #[arg(long, value_name = "SIZE")]
    grown: Option<Size>,
    /// Seed of the bodies.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// Something can't be written or synced, or a log doesn't hold what was appended.
pub(crate) fn run(args: &AppendArgs, context: &mut Context) -> Result<Exit> {
    let folder = tempfile::tempdir_in(args.cache.folder()?).context("make a temporary folder")?;
    let folder = folder.path();
    let mut subject = Subject::new(&folder.join("log"), args)?;
    let mut bare = Bare::new(&folder.join("bare"), args)?;
    let one = series::one(&mut subject, &mut bare, &folder.join("engine"), args)?;
    let buffered = series::buffered(&mut subject, args)?;
    let group = group::threads(&subject, args)?;
    let grown = match args.grown {
        Some(size) => Some(grown::compare(folder, size, args)?),
        None => None,
    };
    let sustained = match args.seconds {
        Some(seconds) => Some(sustained::sustained(&folder.join("sustained"), seconds, args)?),
        None => None,
    };
    let small = sustained::small(&folder.join("small-ledger"), args)?;
    subject.finish()?;
    let printed = Printed {
        summary: Summary::of(&one.walls, args.seed),
        payload_bytes: args.payload,
        one: one.figures(),
        buffered,
        group,
        sustained,
        small,
        grown,
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}
