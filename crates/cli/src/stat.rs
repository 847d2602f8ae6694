use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{
    LedgerId, Seq,
    audit::{FileRole, LogFile, Stat},
    reconcile::Reconciling,
    write::REDACTION_RULES,
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verify::{FindingJson, HeadJson};

/// Count what the ledger holds.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith stat
  memlith stat --json | jq .memories.active")]
pub(crate) struct StatArgs {}

#[derive(Serialize)]
struct Answer<'a> {
    ledger: LedgerId,
    dir: String,
    events: u64,
    head: HeadJson,
    synced: Option<Seq>,
    records: u64,
    memories: BTreeMap<&'static str, u64>,
    checkpoints: &'a [Seq],
    bytes: u64,
    files: Vec<FileJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    reconciling: &'static str,
    redaction_rules: &'static str,
}

#[derive(Serialize)]
struct FileJson<'a> {
    name: &'a str,
    role: &'static str,
    bytes: u64,
}

pub(crate) fn run(_: &StatArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.ledger_dir()?.display().to_string();
    let ledger = context.open_to_read()?;
    let now = context.now.unwrap_or_else(|| ledger.now());
    let stat = ledger.stat(now)?;
    let answer = Answer {
        ledger: stat.ledger,
        dir,
        events: stat.records,
        head: HeadJson { seq: stat.head, chain: stat.chain, recorded_at: stat.recorded_at },
        synced: stat.synced,
        records: stat.item_records,
        memories: stat.memories.iter().map(|(status, count)| (status.label(), *count)).collect(),
        checkpoints: &stat.checkpoints,
        bytes: stat.files.iter().map(|file| file.len).sum(),
        files: stat.files.iter().map(FileJson::of).collect(),
        findings: stat.findings.iter().map(FindingJson::of).collect(),
        reconciling: stat.reconciling.label(),
        redaction_rules: REDACTION_RULES,
    };
    context.answer(&answer, text(&answer, &stat))?;
    Ok(Exit::ok_if(answer.findings.is_empty()))
}

impl<'a> FileJson<'a> {
    fn of(file: &'a LogFile) -> FileJson<'a> {
        let role = match file.role {
            FileRole::Segment(_) => "segment",
            FileRole::Mark => "mark",
            FileRole::Lock => "lock",
            FileRole::Prepared => "prepared",
            FileRole::Reserve => "reserve",
            FileRole::Temporary => "temporary",
            FileRole::Quarantine => "quarantine",
        };
        FileJson { name: &file.name, role, bytes: file.len }
    }
}

fn text(answer: &Answer<'_>, stat: &Stat) -> String {
    let mut out = String::new();
    let mut put = |name: &str, value: String| {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{name:<12}{value}");
    };
    put("ledger", answer.ledger.to_string());
    put("folder", answer.dir.clone());
    put("head", format!("record {} of {}", answer.head.seq, answer.head.recorded_at));
    put("chain", answer.head.chain.to_string());
    put("records", format!("{} things that happened", answer.records));
    let memories = answer.memories.iter().map(|(status, count)| format!("{count} {status}"));
    put("memories", listed(memories));
    put("checkpoints", listed(answer.checkpoints.iter().map(ToString::to_string)));
    put("bytes", format!("{} in {} files of the log", answer.bytes, answer.files.len()));
    put("likeness", likeness(&stat.reconciling));
    put("redaction", format!("rules {}", answer.redaction_rules));
    for finding in &stat.findings {
        put("finding", finding.to_string());
    }
    out
}

fn likeness(reconciling: &Reconciling) -> String {
    match reconciling {
        Reconciling::On { model, thresholds, .. } => {
            format!(
                "on: {model}, restated from {}, added below {}",
                thresholds.restate, thresholds.add
            )
        }
        Reconciling::Off | Reconciling::Degraded => reconciling.label().to_owned(),
    }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() { "none".to_owned() } else { words }
}
