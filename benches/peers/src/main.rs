//! Makes equal appends through Memlith's log and through other stores, in turn, in one run.
//!
//! Workload: payloads of `--payload` bytes that differ, under ascending keys of 8 bytes.
//! Three series: one event a commit, synced; a hundred a commit, synced; a hundred a
//! commit, without a sync asked for. A round runs every series of every store once, each
//! round beginning with another store, so that what disturbs the machine disturbs all.
//! A figure is the median of the rounds; a store that loses to Memlith has a ratio below 1.

mod figures;
mod fjall;
mod jsonl;
mod lmdb;
mod memlith;
mod payloads;
mod raft;
mod redb;
mod sqlite;
mod store;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use crate::figures::{Figures, Report};
use crate::payloads::Payloads;
use crate::store::{Open, STORES, Store, Sync};

/// Appends through Memlith and other stores, interleaved.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  cargo run --release -- --rounds 5
  cargo run --release -- --rounds 9 --json > peers.json
  strace -f -c -e trace=fsync,fdatasync,msync,sync_file_range target/release/memlith-peers --only redb")]
struct Arguments {
    /// How often each series of each store is run.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Events of a round that are committed and synced one by one.
    #[arg(long, default_value_t = 200)]
    single: usize,
    /// Batches of a hundred that are synced, of a round.
    #[arg(long, default_value_t = 50)]
    batches: usize,
    /// Batches of a hundred that are not, of a round.
    #[arg(long, default_value_t = 300)]
    buffered: usize,
    /// Bytes of a payload.
    #[arg(long, default_value_t = 600)]
    payload: usize,
    /// Seed of the payloads.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// The folder to write in; else the system's temporary one. Not a file system in memory.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// One store alone, beside no other.
    #[arg(long)]
    only: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// Events of a batch.
const BATCH: usize = 100;

/// Kind of append: how many events a commit, and whether it is synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Series {
    Single,
    Batch,
    Buffered,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = arguments.dir.clone().unwrap_or_else(std::env::temp_dir);
    let folder = tempfile::tempdir_in(&folder).context("make a folder")?;
    let chosen = |name: &str| arguments.only.as_deref().is_none_or(|only| only == name);
    let mut stores = Vec::new();
    for (name, open) in STORES.into_iter().filter(|(name, _)| chosen(name)) {
        stores.push((name, Runner::open(open, folder.path().join(name), &arguments)?));
    }
    ensure!(!stores.is_empty(), "--only names none of the stores");
    let mut report = Report::default();
    for round in 0..arguments.rounds {
        for place in 0..stores.len() {
            let place = (place + round) % stores.len();
            let (name, runner) = &mut stores[place];
            for series in [Series::Single, Series::Batch, Series::Buffered] {
                let figures = runner
                    .run(series, &arguments)
                    .with_context(|| format!("{name}, {series:?}"))?;
                report.add(name, series, figures);
            }
        }
        eprintln!("round {} of {}", round + 1, arguments.rounds);
    }
    for (name, runner) in stores {
        runner.finish().with_context(|| format!("{name} has other events than were appended"))?;
    }
    if arguments.json {
        println!("{}", report.json()?)
    } else {
        print!("{}", report.text())
    }
    Ok(())
}

/// A store, and what was appended to it.
struct Runner {
    store: Box<dyn Store>,
    payloads: Payloads,
    appended: u64,
}

impl Runner {
    fn open(open: Open, folder: PathBuf, arguments: &Arguments) -> Result<Runner> {
        std::fs::create_dir_all(&folder)?;
        let payloads = Payloads::new(arguments.seed, arguments.payload);
        Ok(Runner { store: open(&folder)?, payloads, appended: 0 })
    }

    #[expect(clippy::disallowed_methods, reason = "a measurement reads a stopwatch")]
    fn run(&mut self, series: Series, arguments: &Arguments) -> Result<Figures> {
        let (commits, batch, sync) = match series {
            Series::Single => (arguments.single, 1, Sync::Yes),
            Series::Batch => (arguments.batches, BATCH, Sync::Yes),
            Series::Buffered => (arguments.buffered, BATCH, Sync::No),
        };
        self.store.mode(sync)?;
        let (mut wall, mut cpu, mut commit_us) = (0.0, 0.0, Vec::with_capacity(commits));
        for _ in 0..commits {
            // Made before the clock runs.
            let batch = self.payloads.batch(batch);
            let (begun, busy) = (Instant::now(), figures::cpu_seconds());
            self.store.append(self.appended, &batch, sync)?;
            let took = begun.elapsed().as_secs_f64();
            cpu += figures::cpu_seconds() - busy;
            wall += took;
            commit_us.push(took * 1e6);
            self.appended += batch.len() as u64;
        }
        self.store.mode(Sync::Yes)?;
        Ok(Figures::of((commits * batch) as f64, wall, cpu, commit_us))
    }

    fn finish(self) -> Result<()> {
        let held = self.store.count()?;
        ensure!(held == self.appended, "{held} events, not {}", self.appended);
        Ok(())
    }
}
