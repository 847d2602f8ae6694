//! The command line of Memlith, as far as the benches and the demo need it.

mod bench;
mod context;
mod demo;
mod exit;

use std::process::ExitCode;

use clap::Parser;

use crate::context::Context;

#[derive(Parser)]
struct Cli {
    #[arg(long, global = true)]
    json: bool,
    #[arg(long, global = true)]
    quiet: bool,
    #[arg(long, global = true)]
    ledger: Option<std::path::PathBuf>,
    #[arg(long, global = true)]
    now: Option<memlith::Timestamp>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    Bench(bench::BenchArgs),
    Demo(demo::DemoArgs),
    Checkout {
        query: String,
        #[arg(long)]
        no_observe: bool,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut context = Context { json: cli.json, quiet: cli.quiet };
    let outcome = match &cli.verb {
        Verb::Bench(args) => bench::run(args, &mut context),
        Verb::Demo(args) => demo::run(args, &mut context),
        Verb::Checkout { query, no_observe } => checkout(&cli, query, *no_observe),
    };
    match outcome {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(4)
        }
    }
}

fn checkout(cli: &Cli, query: &str, no_observe: bool) -> anyhow::Result<exit::Exit> {
    let ledger =
        memlith::Ledger::open(cli.ledger.clone().unwrap_or_default(), memlith::Options::default())?;
    let caller = memlith::Caller { now: cli.now, ..memlith::Caller::user("default", "user") };
    let request =
        memlith::CheckoutRequest { observe: !no_observe, ..memlith::CheckoutRequest::new(query) };
    let answer = ledger.checkout(&caller, &request)?;
    let items: Vec<_> = answer.pack.items.iter().map(|item| &item.excerpt.text).collect();
    println!("{}", serde_json::json!({ "items": items }));
    ledger.close()?;
    Ok(exit::Exit::Ok)
}
