use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use memlith::{ErrorKind, Ledger, Level, Options};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Look over the ledger and say what is wrong and what to do.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith doctor
  memlith doctor --accept-loss --as owner   # go on with what is left")]
pub(crate) struct DoctorArgs {
    /// Go on although acknowledged records are gone: what is damaged is moved to
    /// `quarantine`, and the loss is written down.
    #[arg(long)]
    accept_loss: bool,
}

#[derive(Serialize)]
struct Answer {
    ok: bool,
    version: &'static str,
    dir: String,
    checks: Vec<CheckJson>,
}

#[derive(Serialize)]
struct CheckJson {
    name: &'static str,
    ok: bool,
    what: String,
    #[serde(skip)]
    exit: Option<Exit>,
}

pub(crate) fn run(args: &DoctorArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.ledger_dir()?;
    if args.accept_loss {
        accept_loss(&dir, context)?;
    }
    let mut checks = vec![bytes(&dir)?];
    checks.extend(reading(&dir, context));
    checks.push(writing(&dir, context));
    let answer = Answer {
        ok: checks.iter().all(|check| check.ok),
        version: env!("CARGO_PKG_VERSION"),
        dir: dir.display().to_string(),
        checks,
    };
    context.answer(&answer, text(&answer))?;
    let failed = |exit| answer.checks.iter().any(|check| check.exit == Some(exit));
    Ok(if failed(Exit::Integrity) { Exit::Integrity } else { Exit::ok_if(answer.ok) })
}

fn accept_loss(dir: &Path, context: &Context) -> Result<()> {
    if context.actor.rank != memlith::Rank::Owner {
        return Err(crate::exit::refused("only the owner accepts a loss: add --as owner"));
    }
    if memlith::verify(dir, Level::Full)?.is_ok() {
        context.note("nothing is lost, so there is nothing to accept");
        return Ok(());
    }
    Ledger::accept_loss(dir, context.options.clone())?.close()?;
    context.note(
        "what could be passed was passed and written down; what was cut off is in quarantine",
    );
    Ok(())
}

fn bytes(dir: &Path) -> Result<CheckJson> {
    let report = memlith::verify(dir, Level::Sealed)?;
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let what = if findings.is_empty() {
        format!("{} records; every segment as it was sealed", report.records)
    } else {
        format!(
            "{}; copy the folder, then see `memlith verify --full`; \
             restore from a copy, or go on with `memlith doctor --accept-loss --as owner`",
            findings.join("; ")
        )
    };
    let exit = (!report.is_ok()).then_some(Exit::Integrity);
    Ok(CheckJson { name: "bytes", ok: report.is_ok(), what, exit })
}

/// Whether the ledger can be read, and how far its checkpoint and its clock are.
fn reading(dir: &Path, context: &Context) -> Vec<CheckJson> {
    let options = Options { read_only: true, ..context.options.clone() };
    let ledger = match Ledger::open(dir, options) {
        Ok(ledger) => ledger,
        Err(error) => return vec![failed("reading", &error)],
    };
    let head = ledger.head();
    let mut checks = vec![fine("reading", format!("the head is record {}", head.seq))];
    checks.push(match ledger.checkpoints() {
        Ok(seqs) => match seqs.last() {
            Some(seq) => fine("checkpoint", format!("up to record {seq} of {}", head.seq)),
            None => fine("checkpoint", "none yet: every start folds the whole log".to_owned()),
        },
        Err(error) => failed("checkpoint", &error),
    });
    let ahead = head.recorded_at > ledger.now();
    let what = format!("it says {}, the last record is of {}", ledger.now(), head.recorded_at);
    checks.push(CheckJson { name: "clock", ok: !ahead, what, exit: None });
    checks
}

/// Whether the ledger could be written to: takes the lock and lets it go.
fn writing(dir: &Path, context: &Context) -> CheckJson {
    let opened = Ledger::open(dir, context.options.clone());
    match opened.and_then(Ledger::close) {
        Ok(()) => fine("writing", "the folder can be written".to_owned()),
        Err(error) => failed("writing", &error),
    }
}

fn fine(name: &'static str, what: String) -> CheckJson {
    CheckJson { name, ok: true, what, exit: None }
}

fn failed(name: &'static str, error: &memlith::Error) -> CheckJson {
    let exit = (error.kind() == ErrorKind::Integrity).then_some(Exit::Integrity);
    CheckJson { name, ok: false, what: error.to_string(), exit }
}

fn text(answer: &Answer) -> String {
    let mut out = format!("memlith {}, ledger {}\n", answer.version, answer.dir);
    for check in &answer.checks {
        let mark = if check.ok { "ok  " } else { "WRONG" };
        // Writing to a string can't fail.
        let _ = writeln!(out, "{mark:<6}{:<12}{}", check.name, check.what);
    }
    out
}
