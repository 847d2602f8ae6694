use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{Digest, Finding, LedgerId, Level, Report, Seq, Timestamp};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Check every byte of the ledger; changes none.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --full, sealed segments are compared with the hash of their bytes. With it, every
checksum, record hash and link is computed again, and the kept checkpoints are compared
with a fold of the log.

Examples:
  memlith verify
  memlith verify --full --json")]
pub(crate) struct VerifyArgs {
    /// Compute everything again.
    #[arg(long)]
    full: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    ok: bool,
    level: &'static str,
    ledger: Option<LedgerId>,
    events: u64,
    head: Option<HeadJson>,
    findings: Vec<FindingJson<'a>>,
    quarantined: &'a [String],
}

/// The end of a log, as JSON.
#[derive(Serialize)]
pub(crate) struct HeadJson {
    pub(crate) seq: Seq,
    pub(crate) chain: Digest,
    pub(crate) recorded_at: Timestamp,
}

/// Something that isn't as it should be, as JSON.
#[derive(Serialize)]
pub(crate) struct FindingJson<'a> {
    file: &'a str,
    offset: u64,
    seq: Option<Seq>,
    what: &'a str,
}

impl<'a> FindingJson<'a> {
    pub(crate) fn of(finding: &'a Finding) -> FindingJson<'a> {
        let Finding { file, offset, seq, what } = finding;
        FindingJson { file, offset: *offset, seq: *seq, what }
    }
}

pub(crate) fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit> {
    let level = if args.full { Level::Full } else { Level::Sealed };
    let dir = context.ledger_dir()?;
    let progress = context.progress("verifying", None);
    let report = memlith::verify(dir, level)?;
    drop(progress);
    let answer = Answer {
        ok: report.is_ok(),
        level: if args.full { "full" } else { "sealed" },
        ledger: report.ledger,
        events: report.records,
        head: report.head.map(|head| HeadJson {
            seq: head.seq,
            chain: head.chain,
            recorded_at: head.recorded_at,
        }),
        findings: report.findings.iter().map(FindingJson::of).collect(),
        quarantined: &report.quarantined,
    };
    context.answer(&answer, text(&report, answer.level))?;
    if !report.is_ok() {
        context.note("keep a copy of the folder before anything else; nothing was changed");
    }
    Ok(if report.is_ok() { Exit::Ok } else { Exit::Integrity })
}

fn text(report: &Report, level: &str) -> String {
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
    let _ = writeln!(out, "{verdict}: {} records{head} (level {level})", report.records);
    out
}
