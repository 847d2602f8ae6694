//! Measures which writes the door lets in when much comes at once, and their cost: writes of
//! many threads, facts that change, scopes, and one note against many memories.

mod campaign;
mod first_word;

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use memlith::{Ledger, Options, storage::Durability};
use serde::Serialize;

use crate::plan::Cache;
use crate::summary::Summary;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::Walls;

/// Arguments of `memlith-bench door`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench door --json
  memlith-bench door --rows 10000 --facts 1000 --scoped 10000 --writes 100")]
pub(crate) struct DoorArgs {
    /// Live memories that one note is reconciled with.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rows: u64,
    /// Notes that are.
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) notes: u64,
    /// Facts, each of which changes five times.
    #[arg(long, value_name = "N", default_value = "10000", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) facts: u64,
    /// Writes into scopes at random.
    #[arg(long, value_name = "N", default_value = "100000")]
    pub(crate) scoped: u64,
    /// How often each of 64 threads writes one fact.
    #[arg(long, value_name = "N", default_value = "1000")]
    pub(crate) writes: u64,
    /// Seed of the words.
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) cache: Cache,
}

/// The report; the times at its top are those of one note's reconciliation, durable or not.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    rows: u64,
    model: String,
    writers: Writers,
    facts: Facts,
    scopes: Scopes,
}

/// Threads that write one fact.
#[derive(Serialize)]
pub(crate) struct Writers {
    threads: u64,
    writes: u64,
    /// Rows that are live afterwards; one is right.
    live: u64,
}

/// Facts that change.
#[derive(Serialize)]
pub(crate) struct Facts {
    facts: u64,
    /// Rows that are live afterwards; as many as facts are right.
    live: u64,
    superseded: u64,
    queries: u64,
    /// Answers that are superseded; none is right.
    stale_hits: u64,
}

/// Writes into scopes at random.
#[derive(Serialize)]
pub(crate) struct Scopes {
    writes: u64,
    /// Writes that were compared with another scope's; none is right.
    crossed: u64,
}

/// Runs the bench and prints its figures; something other than right is a finding.
///
/// # Errors
/// Something can't be written or read.
pub(crate) fn run(args: &DoorArgs, context: &mut Context) -> Result<Exit> {
    let folder = tempfile::tempdir_in(args.cache.folder()?).context("make a temporary folder")?;
    let ledger = |name: &str| Fresh(folder.path().join(name));
    let (walls, model) = campaign::notes(&ledger("notes"), args)?;
    let printed = Printed {
        summary: Summary::of(&walls, args.seed),
        rows: args.rows,
        model,
        writers: campaign::writers(&ledger("writers"), args)?,
        facts: campaign::facts(&ledger("facts"), args)?,
        scopes: campaign::scopes(&ledger("scopes"), args)?,
    };
    let right = printed.writers.live <= 1
        && printed.facts.live == args.facts
        && printed.facts.stale_hits == 0
        && printed.scopes.crossed == 0;
    let text = printed.to_text(&walls);
    context.answer(&printed, text)?;
    Ok(Exit::ok_if(right))
}

/// A folder in which a ledger is made.
pub(crate) struct Fresh(PathBuf);

impl Fresh {
    pub(crate) fn make(&self, options: Options) -> Result<Ledger> {
        let options = Options { durability: Durability::Buffered, ..options };
        Ok(Ledger::create(&self.0, options)?)
    }

    pub(crate) fn open(&self, options: Options) -> Result<Ledger> {
        let options = Options { durability: Durability::Buffered, ..options };
        Ok(Ledger::open(&self.0, options)?)
    }
}

impl Printed {
    fn to_text(&self, walls: &Walls) -> String {
        let mut out = String::new();
        let Printed { writers, facts, scopes, .. } = self;
        // Writing to a string can't fail.
        let (p50, p99) = (walls.percentile_ms(50), walls.percentile_ms(99));
        let _ = writeln!(
            out,
            "one note against {} memories: p50 {p50} ms, p99 {p99} ms, by {}",
            self.rows, self.model
        );
        let _ = writeln!(
            out,
            "{} threads wrote one fact {} times: {} live",
            writers.threads, writers.writes, writers.live
        );
        let _ = writeln!(
            out,
            "{} facts changed five times: {} live, {} superseded, {} of them in {} answers",
            facts.facts, facts.live, facts.superseded, facts.stale_hits, facts.queries
        );
        let _ = writeln!(
            out,
            "{} writes into scopes at random: {} crossed",
            scopes.writes, scopes.crossed
        );
        out.push_str(&self.summary.to_text());
        out
    }
}
