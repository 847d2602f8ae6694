//! How fast a ledger is verified: sealed segments by the hash of their bytes, and every
//! record by its sums, hash and link.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::builder::RangedU64ValueParser;
use memlith::measured::{Log, LogOptions, verify_log};
use memlith::{
    prove::Level,
    storage::{Env, LocalStorage},
};
use serde::Serialize;

use crate::extent::extent;
use crate::forged::Forged;
use crate::machine::Rates;
use crate::plan::{Cache, Plan};
use crate::rounded;
use crate::size::Size;
use crate::summary::{Summary, cpu_time, median, ratio};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Stopwatch, Walls, millis};

/// Arguments of `memlith-bench verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench verify --json
  memlith-bench verify --size 1.15GB --runs 5")]
pub(crate) struct VerifyArgs {
    /// How long the log is in Eventloom's lines.
    #[arg(long, default_value = Size::DEFAULT)]
    size: Size,
    /// Verifications of each level.
    #[arg(long, value_name = "R", default_value = "10", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Seed of the words and kinds.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// The report; the times at its top are those of deep verification.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    routine: Figures,
    deep: Figures,
    machine_rates: Rates,
    events: u64,
    log_bytes: u64,
    forgeries_refused: usize,
}

/// One level.
#[derive(Serialize)]
struct Figures {
    wall_ms_p50: f64,
    wall_ms_p99: f64,
    gb_per_s: Option<f64>,
    /// A second of processor time, of all threads together.
    gb_per_cpu_s: Option<f64>,
    /// Bytes per second of processor time, over those of a core that only reads and hashes as many.
    of_machine: Option<f64>,
}

/// Measurements of one level so far.
#[derive(Default)]
struct Measured {
    walls: Walls,
    cpu_ms: Vec<f64>,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// The ledger can't be built, isn't sound, or a forged copy of it passes.
pub(crate) fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit> {
    let plan = Plan::usual(args.size, args.seed);
    let kept = plan.kept(&args.cache, &|text| context.note(text))?;
    let options = LogOptions { read_only: true, ..LogOptions::default() };
    let log = Log::open(Env::system(LocalStorage::open(&kept)?), options)?;
    let log_bytes = extent(&log, &kept)?;
    drop(log);
    let (mut routine, mut deep) = (Measured::default(), Measured::default());
    let mut rates = Vec::new();
    // The first of each reads what isn't in the page cache yet.
    for run in 0..=args.runs {
        rates.push(Rates::of(&kept)?);
        for (level, measured) in [(Level::Sealed, &mut routine), (Level::Full, &mut deep)] {
            let (watch, busy) = (Stopwatch::start(), cpu_time());
            ensure!(is_sound(&kept, level)?, "the kept ledger is damaged: use --rebuild");
            if run > 0 {
                measured.walls.push(watch.elapsed());
                measured.cpu_ms.push(millis(cpu_time() - busy));
            }
        }
    }
    let forged = Forged::of(&kept, args.seed)?;
    for level in [Level::Sealed, Level::Full] {
        forged.refused("verification", |ledger| is_sound(ledger, level))?;
    }
    let rates = Rates::median(&rates);
    let printed = Printed {
        summary: Summary::of(&deep.walls, args.seed),
        routine: routine.figures(log_bytes, &rates),
        deep: deep.figures(log_bytes, &rates),
        machine_rates: rates,
        events: plan.events,
        log_bytes,
        forgeries_refused: forged.copies.len(),
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

/// Whether nothing is found in the log: the log alone, no checkpoints and no folds.
fn is_sound(ledger: &Path, level: Level) -> Result<bool> {
    let report = verify_log(&Env::system(LocalStorage::open(ledger)?), level)?;
    Ok(report.is_ok() && report.head.is_some())
}

impl Measured {
    fn figures(&self, bytes: u64, machine: &Rates) -> Figures {
        let gb_per_s = |ms: f64| ratio(bytes as f64 / 1e6, ms);
        let gb_per_cpu_s = gb_per_s(rounded(median(self.cpu_ms.clone()), 3));
        Figures {
            wall_ms_p50: self.walls.percentile_ms(50),
            wall_ms_p99: self.walls.percentile_ms(99),
            gb_per_s: gb_per_s(self.walls.percentile_ms(50)),
            gb_per_cpu_s,
            of_machine: gb_per_cpu_s.and_then(|rate| ratio(rate, machine.both())),
        }
    }
}

impl Printed {
    fn to_text(&self) -> String {
        let mut out = format!(
            "{:8} {:>9} {:>9} {:>9} {:>15} {:>12}\n",
            "", "p50 ms", "p99 ms", "GB/s", "GB/s a core", "of machine"
        );
        for (name, figures) in [("routine", &self.routine), ("deep", &self.deep)] {
            let shown =
                |gb: Option<f64>| gb.map_or_else(|| "-".to_owned(), |gb| format!("{gb:.2}"));
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "{name:8} {:>9.1} {:>9.1} {:>9} {:>15} {:>12}",
                figures.wall_ms_p50,
                figures.wall_ms_p99,
                shown(figures.gb_per_s),
                shown(figures.gb_per_cpu_s),
                shown(figures.of_machine),
            );
        }
        let Rates { hash_gb_per_cpu_s, read_gb_per_cpu_s } = &self.machine_rates;
        let _ = writeln!(
            out,
            "the machine: {hash_gb_per_cpu_s:.2} GB/s a core hashed, {read_gb_per_cpu_s:.2} read"
        );
        let _ = writeln!(
            out,
            "{} events, {:.1} MB of log; {} forged copies refused",
            self.events,
            self.log_bytes as f64 / 1e6,
            self.forgeries_refused
        );
        out + &self.summary.to_text()
    }
}
