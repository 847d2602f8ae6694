use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{
    Ledger, Options, RecordId, Seq,
    prove::{Level, ReceiptAudit},
    read::Verdict,
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::target::Target;
use crate::verb::Verb;
use crate::verify::holds;

/// Run every receipt again, or one, on the state it was made from.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith verify receipts --json
  memlith verify receipts mem_17_0a1b2c3d4e5f")]
pub struct ReceiptsArgs {
    /// Only this one: a checkout's observation, as `show` takes it.
    id: Option<Target>,
}

/// Compare every kept checkpoint with a fold of the log from its first record.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith verify state --json")]
pub struct StateArgs {}

/// Compare the summaries that were written with all that they cite.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith verify summaries --json")]
pub struct SummariesArgs {}

#[derive(Default, Serialize)]
struct Answer {
    checked: u64,
    reproduced: u64,
    affected: u64,
    mismatched: Vec<MismatchJson>,
    affected_by: Vec<AffectedJson>,
    not_checked: Vec<NotCheckedJson>,
    holds_through: Option<Seq>,
    damage: Option<String>,
}

#[derive(Serialize)]
struct MismatchJson {
    id: Option<RecordId>,
    file: Option<String>,
    seq: Seq,
    what: String,
}

#[derive(Serialize)]
struct AffectedJson {
    id: RecordId,
    erased: Vec<Seq>,
}

#[derive(Serialize)]
struct NotCheckedJson {
    id: RecordId,
    needs: String,
}

impl Verb for ReceiptsArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        audit(context, |context| receipts_as_far(self.id.as_ref(), context))
    }
}

impl Verb for StateArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        audit(context, |context| state(&*context.open_to_read()?))
    }
}

impl Verb for SummariesArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        crate::compact::audit(context)
    }
}

fn audit(context: &mut Context, check: impl FnOnce(&Context) -> Result<Answer>) -> Result<Exit> {
    let progress = context.progress("auditing", None);
    let answer = check(context)?;
    drop(progress);
    context.answer(&answer, text(&answer))?;
    if answer.damage.is_some() {
        context.note("keep a copy of the folder before anything else; nothing was changed");
    }
    Ok(if answer.mismatched.is_empty() && answer.damage.is_none() {
        Exit::ok_if(answer.not_checked.is_empty())
    } else {
        Exit::Integrity
    })
}

/// The receipts of the ledger, or one of them; of a damaged one those that lie before the
/// damage.
fn receipts_as_far(id: Option<&Target>, context: &Context) -> Result<Answer> {
    let (opened, refused) = match context.open_to_read() {
        Err(error) if exit::is_integrity(&error) => {
            let past_loss = Options { read_only: true, read_past_loss: true, ..Options::default() };
            let opened = context.open_at(&context.ledger_dir()?, past_loss);
            (opened.ok(), Some(error))
        }
        opened => (Some(opened?), None),
    };
    let Some(ledger) = opened else {
        // Nothing of it can be read as a ledger: its bytes say how far they hold.
        let report = memlith::verify(context.ledger_dir()?, Level::Sealed)?;
        let damage = refused.map(|error| error.to_string());
        return Ok(Answer { holds_through: report.sound_through, damage, ..Answer::default() });
    };
    let only = id.map(|id| id.within(&ledger, &context.caller())).transpose()?;
    let audit = ledger.audit().receipts_as_far(only)?;
    let damage = audit.damage.map(|error| error.to_string());
    let damage = damage.or_else(|| refused.map(|error| error.to_string()));
    Ok(Answer { holds_through: audit.held_through, damage, ..receipts(audit.audits) })
}

fn receipts(audits: Vec<ReceiptAudit>) -> Answer {
    let mut answer = Answer::default();
    for ReceiptAudit { id, verdict, .. } in audits {
        answer.checked += 1;
        let mut needs = |needs: String| answer.not_checked.push(NotCheckedJson { id, needs });
        match verdict {
            Verdict::Reproduced => answer.reproduced += 1,
            Verdict::Affected { erased } => {
                answer.affected += 1;
                answer.affected_by.push(AffectedJson { id, erased });
            }
            Verdict::NeedsScorer { version } => needs(format!("scorer {version}")),
            Verdict::NeedsFold { version } => needs(format!("fold {version}")),
            Verdict::NeedsCounter { name } => needs(format!("token counter {name}")),
            Verdict::Mismatch { what } => {
                answer.mismatched.push(MismatchJson {
                    id: Some(id),
                    file: None,
                    seq: id.seq,
                    what,
                });
            }
        }
    }
    answer
}

fn state(ledger: &Ledger) -> Result<Answer> {
    let mut answer = Answer::default();
    for audit in ledger.audit().state()? {
        answer.checked += 1;
        match audit.verdict {
            Ok(()) => answer.reproduced += 1,
            Err(what) => answer.mismatched.push(MismatchJson {
                id: None,
                file: Some(audit.file),
                seq: audit.seq,
                what,
            }),
        }
    }
    Ok(answer)
}

fn text(answer: &Answer) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    for one in &answer.mismatched {
        let name = one.id.map(|id| id.to_string()).or(one.file.clone()).unwrap_or_default();
        let _ = writeln!(out, "MISMATCH {name}: {}", one.what);
    }
    for one in &answer.affected_by {
        let erased: Vec<String> = one.erased.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "affected {}: erased since: records {}", one.id, erased.join(", "));
    }
    for one in &answer.not_checked {
        let _ = writeln!(out, "not checked {}: needs {}", one.id, one.needs);
    }
    if let Some(damage) = &answer.damage {
        let _ = writeln!(out, "DAMAGED {damage}");
        let _ = writeln!(out, "{}", holds(answer.holds_through));
    }
    let _ = writeln!(
        out,
        "{} checked: {} reproduced, {} affected by erasure, {} mismatched, {} not checked",
        answer.checked,
        answer.reproduced,
        answer.affected,
        answer.mismatched.len(),
        answer.not_checked.len()
    );
    out
}
