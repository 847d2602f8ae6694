//! Measurements that anybody can repeat: `docs/benchmarks.md` says what each one measures.

mod machine;
mod report;

mod copied;
mod extent;
mod plan;
mod queries;
mod size;
mod words;
mod workload;

mod append;
mod checkout;
mod checkpoint;
mod cold_checkout;
mod compact;
mod door;
mod mine;
mod novelty;
mod recall;
mod reconcile;
mod replay;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::global::GlobalArgs;

/// Measure Memlith on this machine; `docs/benchmarks.md` says what each figure is.
#[derive(Debug, clap::Parser)]
#[command(name = "memlith-bench", version)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    /// Measures on one processor of the machine, threads and processes of their own included.
    #[arg(long, global = true)]
    one_processor: bool,
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Debug, clap::Subcommand)]
enum Bench {
    /// How much of the evidence for a data set's questions `recall` finds.
    Recall(recall::RecallArgs),
    /// How well restatements, changes and contradictions are told apart.
    Reconcile(reconcile::ReconcileArgs),
    /// How long a checkout takes in a fresh process.
    ColdCheckout(cold_checkout::ColdCheckoutArgs),
    /// How long a checkout takes in a process that holds the ledger open.
    Checkout(checkout::CheckoutArgs),
    /// Cost of appends, beside a bare write and sync.
    Append(append::AppendArgs),
    /// Cost of checkpoints while a ledger grows.
    Checkpoint(checkpoint::CheckpointArgs),
    /// How long it takes to plan the summaries of a log.
    Compact(compact::CompactArgs),
    /// Writes that the door lets in when much comes at once, and the cost of one note.
    Door(door::DoorArgs),
    /// How much of what is hidden in sessions is mined, beside n-grams.
    Mine(mine::MineArgs),
    /// Cost of telling whether a text adds anything, on a short log and a long one.
    Novelty(novelty::NoveltyArgs),
    /// How fast a ledger is verified.
    Verify(verify::VerifyArgs),
    /// How long it takes to fold the whole log again.
    Replay(replay::ReplayArgs),
}

fn main() -> ExitCode {
    let Cli { global, one_processor, bench } = Cli::parse();
    memlith_cli::run(global, |context| {
        if one_processor {
            machine::keep_one_processor()?;
        }
        bench.run(context)
    })
}

impl Bench {
    fn run(&self, context: &mut Context) -> Result<Exit> {
        match self {
            Bench::Recall(args) => recall::run(args, context),
            Bench::Reconcile(args) => reconcile::run(args, context),
            Bench::ColdCheckout(args) => cold_checkout::run(args, context),
            Bench::Checkout(args) => checkout::run(args, context),
            Bench::Append(args) => append::run(args, context),
            Bench::Checkpoint(args) => checkpoint::run(args, context),
            Bench::Compact(args) => compact::run(args, context),
            Bench::Door(args) => door::run(args, context),
            Bench::Mine(args) => mine::run(args, context),
            Bench::Novelty(args) => novelty::run(args, context),
            Bench::Verify(args) => verify::run(args, context),
            Bench::Replay(args) => replay::run(args, context),
        }
    }
}
