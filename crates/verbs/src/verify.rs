use std::fmt::Write as _;

use anyhow::Result;
use clap::{Args, Subcommand};
use memlith::{
    LedgerId, Seq,
    log::Head,
    prove::{Finding, FindingKind, Level, Report},
};
use serde::Serialize;

use crate::audit::{ReceiptsArgs, StateArgs, SummariesArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::kept::{self, Kept, KeptJson};
use crate::replay::ReplayArgs;
use crate::verb::Verb;
use crate::verifiers::Verifiers;

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
  memlith verify --head /mnt/elsewhere/heads
  memlith verify --full --head ledger.head --key ana.vkey --exact")]
pub struct VerifyArgs {
    #[command(subcommand)]
    what: Option<What>,

    /// Compute everything again; with --head that is done anyway.
    #[arg(long)]
    full: bool,

    /// Also compare with a head that was kept, or with each of a file of them, signed or not.
    #[arg(long, value_name = "LINE|FILE")]
    head: Option<String>,

    /// The verifier keys of signed heads, or a file with one on each line; your own where absent.
    ///
    /// With the key of a witness, each head has to be countersigned by that witness.
    #[arg(long, value_name = "KEY|FILE", requires = "head")]
    key: Option<String>,

    /// The newest of the heads has to be that of the last record.
    #[arg(long, requires = "head")]
    exact: bool,
}

/// Other things than the files that can be checked.
#[derive(Debug, Subcommand)]
enum What {
    Receipts(ReceiptsArgs),
    State(StateArgs),
    Summaries(SummariesArgs),
    Replay(ReplayArgs),
    #[cfg(feature = "sync")]
    Remote(crate::sync::VerifyRemoteArgs),
}

#[derive(Serialize)]
struct Answer<'a> {
    ok: bool,
    verdict: &'static str,
    level: &'static str,
    ledger: Option<LedgerId>,
    events: u64,
    head: Option<Head>,
    findings: &'a [Finding],
    quarantined: &'a [String],
    /// Records whose words accepted damage destroyed.
    destroyed: Vec<DestroyedJson>,
    holds_through: Option<Seq>,
    kept_heads: Vec<KeptJson>,
    /// Records behind the newest of the heads.
    growth: Option<u64>,
}

#[derive(Serialize)]
struct DestroyedJson {
    seq: Seq,
    accepted_by: Option<Seq>,
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
            #[cfg(feature = "sync")]
            Some(What::Remote(args)) => args.run(context),
            None => run(&self, context),
        }
    }
}

fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit> {
    // A head that was kept says nothing of segments that are compared with their own hashes.
    let is_full = args.full || args.head.is_some();
    let level = if is_full { Level::Full } else { Level::Sealed };
    let dir = context.ledger_dir()?;
    let kept = args.head.as_deref().map(kept::read).transpose()?.unwrap_or_default();
    let progress = context.progress("verifying", None);
    let report = memlith::verify(&dir, level)?;
    drop(progress);
    let own = match (&args.head, report.ledger) {
        (None, Some(ledger)) => Kept::own(ledger).unwrap_or_else(|error| {
            context
                .note(format_args!("not compared with the head that was signed last: {error:#}"));
            None
        }),
        _ => None,
    };
    let kept: Vec<Kept> = kept.into_iter().chain(own).collect();
    let signed = kept.iter().any(Kept::is_signed);
    let keys = match signed || args.key.is_some() {
        true => Verifiers::of(args.key.as_deref(), report.ledger)?,
        false => Verifiers::default(),
    };
    let kept_heads = kept.iter().map(|head| head.check(&dir, &report, &keys));
    let kept_heads = kept_heads.collect::<Result<Vec<KeptJson>>>()?;
    let newest = kept.iter().map(|kept| kept.head.seq).max();
    let growth = newest.zip(report.head).map(|(kept, head)| head.seq.0.saturating_sub(kept.0));
    let is_grown = args.exact && growth != Some(0);
    let verdict = verdict(&report, &kept_heads, is_grown);
    let ok = verdict == "ok";
    let destroyed = report.destroyed.iter();
    let destroyed = destroyed.map(|one| DestroyedJson { seq: one.seq, accepted_by: one.accepted });
    let answer = Answer {
        ok,
        verdict,
        level: if is_full { "full" } else { "sealed" },
        ledger: report.ledger,
        events: report.records,
        head: report.head,
        findings: &report.findings,
        quarantined: &report.quarantined,
        destroyed: destroyed.collect(),
        holds_through: report.sound_through,
        kept_heads,
        growth,
    };
    context.answer(&answer, text(&report, &answer))?;
    if !report.is_ok() {
        context.note("keep a copy of the folder before anything else; nothing was changed");
    }
    Ok(if ok { Exit::Ok } else { Exit::Integrity })
}

/// One word for all of it: the damage first, then the first head that does not hold.
fn verdict(report: &Report, kept: &[KeptJson], is_grown: bool) -> &'static str {
    let damage = report.findings.iter().map(|finding| finding.kind).max();
    let head = kept.iter().find(|kept| !kept.holds()).map(KeptJson::verdict);
    let grown = is_grown.then_some("unsigned_growth");
    damage.map(FindingKind::label).or(head).or(grown).unwrap_or("ok")
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
        0 => answer.verdict.to_owned(),
        1 => "1 finding".to_owned(),
        findings => format!("{findings} findings"),
    };
    if !report.is_ok() {
        let _ = writeln!(out, "{}", holds(report.sound_through));
    }
    for DestroyedJson { seq, accepted_by } in &answer.destroyed {
        let by = accepted_by.map_or_else(String::new, |by| format!("; record {by} accepts it"));
        let _ = writeln!(out, "lost: the words of record {seq} were destroyed by damage{by}");
    }
    answer.kept_heads.iter().for_each(|kept| out.push_str(&kept.to_text()));
    if answer.verdict == "unsigned_growth" {
        let _ = writeln!(
            out,
            "unsigned growth: {} records stand behind the newest head",
            answer.growth.unwrap_or_default()
        );
    }
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
