use std::fmt::Write as _;

use anyhow::Result;
use clap::{Args, Subcommand};
use memlith::{
    LedgerId, Seq,
    log::Head,
    prove::{Finding, Level, Report},
};
use serde::Serialize;

use crate::audit::{ReceiptsArgs, StateArgs, SummariesArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::kept::{self, KeptJson};
use crate::replay::ReplayArgs;
use crate::verb::Verb;

/// Check every byte of the ledger; changes none.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --full, sealed segments are compared with the hash of their bytes. With it, every
checksum, record hash and link is computed again, and the kept checkpoints are compared
with a fold of the log.

A chain shows that the records belong together. That they are those of before takes a
head that was kept elsewhere: `memlith head` prints one.

Examples:
  memlith verify
  memlith verify --full --json
  memlith verify receipts          # past answers, run again
  memlith verify --head /mnt/elsewhere/heads")]
pub struct VerifyArgs {
    #[command(subcommand)]
    what: Option<What>,

    /// Compute everything again.
    #[arg(long)]
    full: bool,

    /// Also compare with a head that was kept, or with each of a file of them, a line each.
    #[arg(long, value_name = "LINE|FILE")]
    head: Option<String>,
}

/// Other things than the files that can be checked.
#[derive(Debug, Subcommand)]
enum What {
    Receipts(ReceiptsArgs),
    State(StateArgs),
    Summaries(SummariesArgs),
    Replay(ReplayArgs),
}

#[derive(Serialize)]
struct Answer<'a> {
    ok: bool,
    level: &'static str,
    ledger: Option<LedgerId>,
    events: u64,
    head: Option<Head>,
    findings: &'a [Finding],
    quarantined: &'a [String],
    holds_through: Option<Seq>,
    kept_heads: Vec<KeptJson>,
}

impl Verb for VerifyArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        if self.what.is_some() && (self.full || self.head.is_some()) {
            return Err(crate::exit::usage("--full and --head are of the files: leave them out"));
        }
        match self.what {
            Some(What::Receipts(args)) => args.run(context),
            Some(What::State(args)) => args.run(context),
            Some(What::Summaries(args)) => args.run(context),
            Some(What::Replay(args)) => args.run(context),
            None => run(&self, context),
        }
    }
}

fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit> {
    let level = if args.full { Level::Full } else { Level::Sealed };
    let dir = context.ledger_dir()?;
    let kept = args.head.as_deref().map(kept::read).transpose()?.unwrap_or_default();
    let progress = context.progress("verifying", None);
    let report = memlith::verify(&dir, level)?;
    drop(progress);
    let kept_heads = kept.iter().map(|head| {
        let verdict = memlith::prove::check_head(&dir, head)?;
        Ok(KeptJson::of(head, verdict))
    });
    let kept_heads = kept_heads.collect::<Result<Vec<KeptJson>>>()?;
    let ok = report.is_ok() && kept_heads.iter().all(KeptJson::holds);
    let answer = Answer {
        ok,
        level: if args.full { "full" } else { "sealed" },
        ledger: report.ledger,
        events: report.records,
        head: report.head,
        findings: &report.findings,
        quarantined: &report.quarantined,
        holds_through: report.sound_through,
        kept_heads,
    };
    context.answer(&answer, text(&report, &answer))?;
    if !ok {
        context.note("keep a copy of the folder before anything else; nothing was changed");
    }
    Ok(if ok { Exit::Ok } else { Exit::Integrity })
}

fn text(report: &Report, answer: &Answer<'_>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{finding}");
    }
    let head =
        report.head.map_or_else(String::new, |head| format!(", head {} {}", head.seq, head.chain));
    let verdict = match report.findings.len() {
        0 => "ok".to_owned(),
        1 => "1 finding".to_owned(),
        findings => format!("{findings} findings"),
    };
    if !report.is_ok() {
        let _ = writeln!(out, "{}", holds(report.sound_through));
    }
    answer.kept_heads.iter().for_each(|kept| out.push_str(&kept.to_text()));
    let level = answer.level;
    let _ = writeln!(out, "{verdict}: {} records{head} (level {level})", report.records);
    out
}

/// Up to which record of a damaged ledger all is as it was written.
pub(crate) fn holds(through: Option<Seq>) -> String {
    match through {
        Some(seq) => format!("up to record {seq} all holds"),
        None => "not even the first record holds".to_owned(),
    }
}
