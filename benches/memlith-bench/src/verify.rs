//! How fast a ledger is verified: sealed segments by the hash of their bytes, and every
//! record by its sums, hash and link.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::builder::RangedU64ValueParser;
use memlith::measured::{Log, LogOptions, verify_log};
use memlith::{
    prove::Level,
    storage::{Env, LocalStorage},
};
use serde_json::{Value, json};

use crate::extent::extent;
use crate::plan::{LogArgs, entries};
use crate::report::{Timed, answer, cpu_time, median, ratio};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::rounded;

/// Arguments of `memlith-bench verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    log: LogArgs,
    /// Verifications of each level.
    #[arg(long, value_name = "R", default_value = "10", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
}

/// Runs the bench and prints its figures; the times at their top are those of deep verification.
///
/// # Errors
/// The ledger can't be built, or isn't sound.
pub(crate) fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit> {
    let kept = args.log.kept(context)?;
    let options = LogOptions { read_only: true, ..LogOptions::default() };
    let log_bytes = extent(&Log::open(Env::system(LocalStorage::open(&kept)?), options)?, &kept)?;
    let (mut routine, mut deep) = (Timed::default(), Timed::default());
    let (mut hash, mut read) = (Vec::new(), Vec::new());
    // The first of each reads what isn't in the page cache yet.
    for run in 0..=args.runs {
        let rates = rates(&kept)?;
        hash.push(rates.0);
        read.push(rates.1);
        for (level, timed) in [(Level::Sealed, &mut routine), (Level::Full, &mut deep)] {
            let sound = match run {
                0 => is_sound(&kept, level)?,
                _ => timed.run(|| is_sound(&kept, level))?,
            };
            ensure!(sound, "the kept ledger is damaged: use --rebuild");
        }
    }
    let (hash, read) = (rounded(median(hash), 3), rounded(median(read), 3));
    let both = 1.0 / (1.0 / hash + 1.0 / read);
    let figures = json!({
        "seed": args.log.seed,
        "routine": figures(&routine, log_bytes, both),
        "deep": figures(&deep, log_bytes, both),
        "machine_rates": { "hash_gb_per_cpu_s": hash, "read_gb_per_cpu_s": read },
        "events": args.log.size.events(),
        "log_bytes": log_bytes,
    });
    answer(context, &deep.walls, figures)
}

/// Whether nothing is found in the log: the log alone, no checkpoints and no folds.
fn is_sound(ledger: &Path, level: Level) -> Result<bool> {
    let report = verify_log(&Env::system(LocalStorage::open(ledger)?), level)?;
    Ok(report.is_ok() && report.head.is_some())
}

/// The figures of one level, beside the rate of a core that only reads and hashes as many bytes.
fn figures(timed: &Timed, bytes: u64, both: f64) -> Value {
    let gb_per_s = |ms: f64| ratio(bytes as f64 / 1e6, ms);
    let gb_per_cpu_s = gb_per_s(timed.cpu.percentile_ms(50));
    json!({
        "wall_ms_p50": timed.walls.percentile_ms(50),
        "wall_ms_p99": timed.walls.percentile_ms(99),
        "gb_per_s": gb_per_s(timed.walls.percentile_ms(50)),
        "gb_per_cpu_s": gb_per_cpu_s,
        "of_machine": gb_per_cpu_s.and_then(|rate| ratio(rate, both)),
    })
}

/// Reads all segments of the ledger in `dir` once and hashes as many bytes: how many gigabytes
/// a core hashes in a second, and how many it reads.
fn rates(dir: &Path) -> Result<(f64, f64)> {
    // As much as a core still holds between the reading and the hashing.
    let mut buffer = vec![0; 256 << 10];
    let (mut read, mut hash, mut bytes) = (Duration::ZERO, Duration::ZERO, 0_u64);
    for entry in entries(dir)? {
        if !entry.file_name().to_string_lossy().starts_with("seg-") {
            continue;
        }
        let mut file = File::open(entry.path()).context("open a segment")?;
        loop {
            let before = cpu_time();
            let count = file.read(&mut buffer).context("read a segment")?;
            let between = cpu_time();
            std::hint::black_box(blake3::hash(buffer.get(..count).unwrap_or_default()));
            read += between - before;
            hash += cpu_time() - between;
            bytes += count as u64;
            if count == 0 {
                break;
            }
        }
    }
    let rate = |time: Duration| bytes as f64 / 1e9 / time.as_secs_f64().max(1e-9);
    Ok((rate(hash), rate(read)))
}
