use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{Authority, prove::Stat, write::REDACTION_RULES, write::Reconciling};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Count what the ledger holds.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith maintain stat
  memlith maintain stat --json | jq .memories.active")]
pub struct StatArgs {}

#[derive(Serialize)]
struct Answer<'a> {
    dir: String,
    #[serde(flatten)]
    stat: &'a Stat,
}

impl Verb for StatArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(_: &StatArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.ledger_dir()?.display().to_string();
    let ledger = context.open_to_read()?;
    let now = context.now.unwrap_or_else(|| ledger.now());
    let stat = ledger.audit().stat(now)?;
    let text = text(&dir, &stat);
    context.answer(&Answer { dir, stat: &stat }, text)?;
    Ok(Exit::ok_if(stat.findings.is_empty()))
}

fn text(dir: &str, stat: &Stat) -> String {
    let mut out = String::new();
    let mut put = |name: &str, value: String| {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{name:<12}{value}");
    };
    put("ledger", stat.ledger.to_string());
    put("folder", dir.to_owned());
    put("head", format!("record {} of {}", stat.head, stat.recorded_at));
    put("chain", stat.chain.to_string());
    put("records", format!("{} things that happened", stat.item_records));
    let mut memories: Vec<&(Authority, u64)> = stat.memories.iter().collect();
    memories.sort_by_key(|(status, _)| status.label());
    let memories = memories.into_iter().map(|(status, count)| format!("{count} {status}"));
    put("memories", listed(memories));
    put("checkpoints", listed(stat.checkpoints.iter().map(ToString::to_string)));
    put("bytes", format!("{} in {} files of the log", stat.bytes(), stat.files.len()));
    put("likeness", likeness(&stat.reconciling));
    put("redaction", format!("rules {REDACTION_RULES}"));
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
