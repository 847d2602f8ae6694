//! Measures which writes the door lets in when much comes at once, and their cost: writes of
//! many threads, facts that change, scopes, and one note against many memories.

mod campaign;

use std::path::PathBuf;

use anyhow::Result;
use memlith::{Ledger, Options, storage::Durability};
use serde_json::{Value, json};

use crate::plan::Cache;
use crate::report::answer;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;

/// Arguments of `memlith-bench door`.
#[derive(Debug, clap::Args)]
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

/// Runs the bench and prints its figures; something other than right is a finding. The times at
/// their top are those of one note's reconciliation.
///
/// # Errors
/// Something can't be written or read.
pub(crate) fn run(args: &DoorArgs, context: &mut Context) -> Result<Exit> {
    let folder = args.cache.temporary()?;
    let ledger = |name: &str| Fresh(folder.path().join(name));
    let (walls, model) = campaign::notes(&ledger("notes"), args)?;
    let figures = json!({
        "seed": args.seed,
        "rows": args.rows,
        "model": model,
        "writers": campaign::writers(&ledger("writers"), args)?,
        "facts": campaign::facts(&ledger("facts"), args)?,
        "scopes": campaign::scopes(&ledger("scopes"), args)?,
    });
    let count = |pointer: &str| figures.pointer(pointer).and_then(Value::as_u64);
    let right = count("/writers/live") <= Some(1)
        && count("/facts/live") == Some(args.facts)
        && count("/facts/stale_hits") == Some(0)
        && count("/scopes/crossed") == Some(0);
    answer(context, &walls, figures)?;
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
