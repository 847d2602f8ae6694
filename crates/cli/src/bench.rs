//! Measurements that anybody can repeat: `docs/benchmarks.md` says what each one measures.

mod machine;
pub(crate) mod wall;

mod plan;
mod queries;
mod size;
mod words;
mod workload;

mod cold_checkout;
mod recall;

use anyhow::Result;

use crate::context::Context;
use crate::exit::Exit;

/// Measure the engine on this machine; `docs/benchmarks.md` says what each figure is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith bench recall --dataset data/locomo-dev.json
  memlith bench cold-checkout --size 115MB --json")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Debug, clap::Subcommand)]
enum Bench {
    /// How much of the evidence for a data set's questions `recall` finds.
    Recall(recall::RecallArgs),
    /// How long a checkout takes in a fresh process.
    ColdCheckout(cold_checkout::ColdCheckoutArgs),
}

/// Runs the bench that `args` name.
pub(crate) fn run(args: &BenchArgs, context: &mut Context) -> Result<Exit> {
    match &args.bench {
        Bench::Recall(args) => recall::run(args, context),
        Bench::ColdCheckout(args) => cold_checkout::run(args, context),
    }
}

/// Which engine was measured: a figure belongs to one version of the folds.
fn engine() -> String {
    format!("memlith {}, fold {}", env!("CARGO_PKG_VERSION"), memlith::FOLD_VERSION)
}

/// `value` with so many decimals as a JSON number can show without noise.
fn rounded(value: f64, decimals: u8) -> f64 {
    let scale = (0..decimals).fold(1.0, |scale, _| scale * 10.0);
    (value * scale).round() / scale
}
