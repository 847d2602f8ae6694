use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::compaction::{Passed, Share};
use memlith::{
    RecordId,
    compaction::{CompactOptions, Compacted, SummariesAudit},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Summarise finished sessions and old spans.
///
/// A summary cites all of its sources and quotes some, word for word; no model is asked, and
/// nothing is removed. It leaves with any of its sources. In a checkout it stands for its
/// sources, or they for it, never both.
///
/// What still goes on is left alone: 256 items of a session, or of none, are summarised once
/// 1,000 events stand behind them, fewer once the session has ended, fewer than 8 never.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith maintain compact --dry-run
  memlith maintain compact --json
  memlith maintain compact --all --as owner")]
pub struct CompactArgs {
    /// Say what would be written, and write nothing.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(default))]
    dry_run: bool,

    /// Summarise every scope, and not only what this one sees; the owner's.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    all: bool,
}

#[derive(Serialize)]
struct Answer {
    planned: usize,
    written: Vec<RecordId>,
    refused: usize,
    sources: usize,
    exemplars: usize,
    passed_over: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct Audited {
    checked: u64,
    cited: ShareJson,
    identities: ShareJson,
    salience_least_percent: f64,
    findings: Vec<String>,
}

#[derive(Serialize)]
struct ShareJson {
    part: u64,
    whole: u64,
}

impl Verb for CompactArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &CompactArgs, context: &mut Context) -> Result<Exit> {
    let options =
        CompactOptions { everywhere: args.all, dry_run: args.dry_run, ..CompactOptions::default() };
    let progress = context.progress("planning", None);
    let ledger = if args.dry_run { context.open_to_read()? } else { context.open()? };
    let answer = Answer::of(ledger.compact(&context.caller(), &options)?);
    drop(progress);
    let text = answer.to_text(args.dry_run);
    context.answer(&answer, text)?;
    if !args.dry_run {
        context.finish(ledger)?;
    }
    Ok(Exit::Ok)
}

/// Compares the summaries that were written with all that they cite.
pub(crate) fn audit(context: &mut Context) -> Result<Exit> {
    let progress = context.progress("auditing", None);
    let ledger = context.open_to_read()?;
    let audited = Audited::of(ledger.audit().summaries(&context.caller())?);
    drop(progress);
    let text = audited.to_text();
    context.answer(&audited, text)?;
    Ok(if audited.findings.is_empty() { Exit::Ok } else { Exit::Integrity })
}

impl Answer {
    fn of(compacted: Compacted) -> Answer {
        let plan = &compacted.plan;
        let mut passed_over = BTreeMap::new();
        for span in &plan.passed_over {
            let reason = match span.reason {
                Passed::Open => "open",
                Passed::Few { .. } => "few",
                Passed::Written { .. } => "written",
            };
            *passed_over.entry(reason).or_default() += 1;
        }
        Answer {
            planned: plan.summaries.len(),
            refused: compacted.refused.len(),
            sources: plan.summaries.iter().map(|summary| summary.sources.len()).sum(),
            exemplars: plan.summaries.iter().map(|summary| summary.exemplars.len()).sum(),
            passed_over,
            written: compacted.written,
        }
    }

    fn to_text(&self, dry_run: bool) -> String {
        let mut out = String::new();
        // Writing to a string can't fail.
        for id in &self.written {
            let _ = writeln!(out, "{id}");
        }
        let done = if dry_run { "would be written" } else { "written" };
        let count = if dry_run { self.planned } else { self.written.len() };
        let passed = |reason| self.passed_over.get(reason).copied().unwrap_or_default();
        let _ = write!(
            out,
            "{count} summaries {done}; planned were {}, of {} sources, with {} quotes, and {} were \
             refused; spans without a new one: {} still open, {} too small, {} summarised before",
            self.planned,
            self.sources,
            self.exemplars,
            self.refused,
            passed("open"),
            passed("few"),
            passed("written"),
        );
        out
    }
}

impl Audited {
    fn of(audit: SummariesAudit) -> Audited {
        let findings = audit.findings.iter();
        Audited {
            checked: audit.summaries,
            cited: audit.cited.into(),
            identities: audit.identities.into(),
            salience_least_percent: f64::from(audit.salience_least_per_mille) / 10.0,
            findings: findings.map(|(id, what)| format!("{id}: {what}")).collect(),
        }
    }

    fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a string can't fail.
        for one in &self.findings {
            let _ = writeln!(out, "WRONG {one}");
        }
        let _ = write!(
            out,
            "{} summaries: {} of {} sources cited, {} of {} names told, at least {} % of the top \
             tenth's salience; {} findings",
            self.checked,
            self.cited.part,
            self.cited.whole,
            self.identities.part,
            self.identities.whole,
            self.salience_least_percent,
            self.findings.len()
        );
        out
    }
}

impl From<Share> for ShareJson {
    fn from(share: Share) -> ShareJson {
        ShareJson { part: share.part, whole: share.whole }
    }
}
