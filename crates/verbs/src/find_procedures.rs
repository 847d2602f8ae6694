use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{
    Digest, Ledger, RecordId, Seq,
    procedures::{Contrast, ContrastKind, MinedProcedure, MinedStanding, MiningOptions},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::verb::Verb;

/// Mine procedures that sessions repeated, and propose them for review.
///
/// Reads the tool calls of the sessions that the scope sees. What is found waits for
/// review: nothing is followed that nobody looked at. What was proposed before is proposed
/// again only if half as many sessions more followed it.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith procedures find --dry-run
  memlith procedures find --min-support 5 --json
  memlith confirm --outcome failure mem_17_0a1b2c3d4e5f --scope session=s1   # that session went wrong")]
pub struct FindProceduresArgs {
    /// Only show what would be proposed.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(default = "yes"))]
    #[cfg_attr(feature = "schema", schemars(description = "False proposes what is found."))]
    dry_run: bool,

    /// The fewest sessions that followed a procedure, 2 or more.
    #[arg(long, value_name = "N", default_value_t = support(), value_parser = clap::value_parser!(u32).range(2..))]
    #[cfg_attr(feature = "schema", serde(default = "support"))]
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    min_support: u32,

    /// The fewest steps of a procedure, 2 or more.
    #[arg(long, value_name = "N", default_value_t = fewest(), value_parser = clap::value_parser!(u8).range(2..=32))]
    #[cfg_attr(feature = "schema", serde(skip, default = "fewest"))]
    min_steps: u8,
}

/// The fewest sessions of a procedure, where nobody says it.
fn support() -> u32 {
    3
}

/// The fewest steps of a procedure, where nobody says it.
fn fewest() -> u8 {
    3
}

#[cfg(feature = "schema")]
fn yes() -> bool {
    true
}

#[derive(Serialize)]
struct Answer {
    view: Seq,
    sessions: usize,
    steps: usize,
    proposed: usize,
    known: usize,
    procedures: Vec<Procedure>,
}

#[derive(Serialize)]
struct Procedure {
    id: Option<RecordId>,
    standing: &'static str,
    reason: Option<String>,
    identity: Digest,
    title: String,
    steps: Vec<Step>,
    support: u32,
    complete: u32,
    succeeded: u32,
    failed: u32,
    confidence: f64,
    evidence_bits: u64,
    required: u32,
    contrast: Vec<Otherwise>,
    citations: Vec<String>,
}

#[derive(Serialize)]
struct Step {
    verb: String,
    parameters: String,
}

#[derive(Serialize)]
struct Otherwise {
    step: u64,
    what: &'static str,
    verb: Option<String>,
    failed: u32,
    others: u32,
    source: Option<String>,
}

/// How much of a step stands on a line for people.
const STEP_CHARS: usize = 100;

/// How many citations do.
const CITED: usize = 3;

impl Verb for FindProceduresArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &FindProceduresArgs, context: &mut Context) -> Result<Exit> {
    let ledger = if args.dry_run { context.open_to_read()? } else { context.open()? };
    let options = MiningOptions {
        support_min: args.min_support.max(2),
        steps_min: args.min_steps,
        ..MiningOptions::default()
    };
    let progress = context.progress("mining", None);
    let mined = ledger.mine(&context.caller(), options, !args.dry_run)?;
    drop(progress);
    let told: Vec<Procedure> = mined.procedures.iter().map(|one| told(one, &ledger)).collect();
    let count = |standing| told.iter().filter(|one| one.standing == standing).count();
    let answer = Answer {
        view: mined.view,
        sessions: mined.sessions,
        steps: mined.steps,
        proposed: count("proposed"),
        known: count("known"),
        procedures: told,
    };
    let text = if context.json { String::new() } else { text(&answer) };
    context.answer(&answer, text)?;
    if !args.dry_run {
        context.finish(ledger)?;
    }
    Ok(Exit::Ok)
}

fn told(one: &MinedProcedure, ledger: &Ledger) -> Procedure {
    let mined = &one.mined;
    let (standing, id, reason) = match &one.standing {
        MinedStanding::New => ("new", None, None),
        MinedStanding::Proposed(id) => ("proposed", Some(*id), None),
        MinedStanding::Known { id, authority } => ("known", Some(*id), Some(authority.to_string())),
        MinedStanding::Refused(rejection) => ("refused", None, Some(rejection.to_string())),
    };
    let cite = |id: RecordId| ledger.cite(id).to_string();
    let step = |step: &memlith::procedures::MinedStep<'_>| Step {
        verb: step.verb.to_string(),
        parameters: step.parameters.to_string(),
    };
    Procedure {
        id,
        standing,
        reason,
        identity: mined.identity,
        title: mined.title.to_string(),
        steps: mined.steps.iter().map(step).collect(),
        support: mined.support,
        complete: mined.complete,
        succeeded: mined.succeeded,
        failed: mined.failed,
        confidence: f64::from(mined.confidence) / 1e6,
        evidence_bits: mined.evidence >> 16,
        required: mined.required,
        contrast: mined.contrast.iter().map(|contrast| otherwise(contrast, &cite)).collect(),
        citations: one.rests_on.iter().copied().map(cite).collect(),
    }
}

fn otherwise(contrast: &Contrast<'_>, cite: &dyn Fn(RecordId) -> String) -> Otherwise {
    let (what, verb) = match &contrast.kind {
        ContrastKind::Replaced(verb) => ("replaced", Some(verb.to_string())),
        ContrastKind::LeftOut => ("left out", None),
        ContrastKind::OutOfOrder => ("out of order", None),
        ContrastKind::Extra(verb) => ("extra", Some(verb.to_string())),
        ContrastKind::WentWrong => ("went wrong", None),
    };
    Otherwise {
        step: u64::from(contrast.step) + 1,
        what,
        verb,
        failed: contrast.failed,
        others: contrast.others,
        source: contrast.source.map(cite),
    }
}

fn text(answer: &Answer) -> String {
    let mut out = format!(
        "{} procedures in {} steps of {} sessions; {} proposed, {} known\n",
        answer.procedures.len(),
        answer.steps,
        answer.sessions,
        answer.proposed,
        answer.known
    );
    // Writing to a string can't fail.
    for one in &answer.procedures {
        let id = one.id.map_or_else(|| "-".to_owned(), |id| id.to_string());
        let reason = one.reason.as_deref().map(|reason| format!(" ({reason})"));
        let _ = writeln!(
            out,
            "\n{id}  {}{}  {} sessions, {} whole; confidence {:.6} of {}:{}",
            one.standing,
            reason.unwrap_or_default(),
            one.support,
            one.complete,
            one.confidence,
            one.succeeded,
            one.failed,
        );
        for (number, step) in (1..).zip(&one.steps) {
            let step = plain(&format!("{} {}", step.verb, step.parameters), STEP_CHARS);
            let _ = writeln!(out, "  {number:>2}. {}", step.trim_end());
        }
        for contrast in &one.contrast {
            let verb = plain(contrast.verb.as_deref().unwrap_or_default(), STEP_CHARS);
            let _ = writeln!(
                out,
                "  failed runs, step {}: {} {verb} in {}, of others in {}",
                contrast.step, contrast.what, contrast.failed, contrast.others
            );
        }
        let more = one.citations.len().saturating_sub(CITED);
        let cited: Vec<&str> = one.citations.iter().take(CITED).map(String::as_str).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(out, "  from {}{more}", cited.join(" "));
    }
    out
}
