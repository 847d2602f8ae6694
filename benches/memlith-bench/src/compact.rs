//! How long it takes to plan the summaries of a log, and what they keep of it.

mod subject;

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use memlith::compaction::{Passed, Plan, PlanAudit, Rules, Share, audit_plan, plan};
use serde::Serialize;

use self::subject::Subject;
use crate::rounded;
use crate::summary::{Summary, cpu_time};
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::wall::{Stopwatch, Walls, millis};

/// Arguments of `memlith-bench compact`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench compact --json
  memlith-bench compact --events 10000 --runs 20")]
pub(crate) struct CompactArgs {
    /// Events of the log.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = RangedU64ValueParser::<u64>::new().range(100..=10_000_000))]
    events: u64,
    /// Plans that are timed.
    #[arg(long, value_name = "R", default_value = "5", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Seed of the words, kinds and statuses.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
}

/// The report; the times at its top are those of one plan.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    cpu_ms_p50: f64,
    cpu_ms_p99: f64,
    /// Of one audit, which reads everything again by other means.
    audit_ms: f64,
    events: u64,
    summaries: usize,
    /// Spans that get no summary, because they can grow or have too few sources.
    spans_open: usize,
    spans_few: usize,
    sources: usize,
    exemplars: usize,
    /// Items of the summarised spans that are no sources, by reason.
    left_out: BTreeMap<&'static str, u64>,
    /// Bytes of the sources' texts.
    source_bytes: u64,
    /// Bytes of the summaries' texts, citations included.
    summary_bytes: u64,
    cited_percent: f64,
    identities_percent: f64,
    /// Of the top deciles of all spans; of the span that keeps least; of the top decile of
    /// all sources.
    salience_percent: f64,
    salience_least_percent: f64,
    salience_overall_percent: f64,
    findings: usize,
    work: Counted,
}

/// Counts of the work of a plan.
#[derive(Serialize)]
struct Counted {
    words: u64,
    postings: u64,
    heap: u64,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// Two plans differ, or one doesn't pass its audit.
pub(crate) fn run(args: &CompactArgs, context: &mut Context) -> Result<Exit> {
    let subject = Subject::new(args.seed, args.events)?;
    let rules = Rules::default();
    let (mut walls, mut busy) = (Walls::default(), Walls::default());
    let mut first: Option<Plan> = None;
    for _ in 0..args.runs {
        let (watch, cpu) = (Stopwatch::start(), cpu_time());
        let planned = plan(&subject.view(), &subject, &rules)?;
        walls.push(watch.elapsed());
        busy.push(cpu_time() - cpu);
        if *first.get_or_insert_with(|| planned.clone()) != planned {
            return Err(exit::damaged("two plans of one log differ"));
        }
    }
    let planned = first.unwrap_or_default();
    let watch = Stopwatch::start();
    let audit = audit_plan(&subject.view(), &subject, &planned);
    let audit_ms = millis(watch.elapsed());
    if let Some((id, finding)) = audit.findings.first() {
        return Err(exit::damaged(format!("summary {id}: {finding}")));
    }
    let printed = Printed {
        summary: Summary::of(&walls, args.seed),
        cpu_ms_p50: busy.percentile_ms(50),
        cpu_ms_p99: busy.percentile_ms(99),
        audit_ms,
        ..Printed::of(&subject, &planned, &audit)
    };
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

impl Printed {
    /// All but the times.
    fn of(subject: &Subject, planned: &Plan, audit: &PlanAudit) -> Printed {
        let all = &planned.summaries;
        let mut left_out = BTreeMap::new();
        for one in all.iter().flat_map(|summary| &summary.left_out) {
            *left_out.entry(one.reason.label()).or_default() += 1;
        }
        let passed = |of: fn(Passed) -> bool| {
            planned.passed_over.iter().filter(|span| of(span.reason)).count()
        };
        let sources = all.iter().flat_map(|summary| &summary.sources);
        let texts = all.iter().map(|summary| summary.text().len() as u64);
        Printed {
            summary: Summary::of(&Walls::default(), 0),
            cpu_ms_p50: 0.0,
            cpu_ms_p99: 0.0,
            audit_ms: 0.0,
            events: subject.events(),
            summaries: all.len(),
            spans_open: passed(|reason| reason == Passed::Open),
            spans_few: passed(|reason| matches!(reason, Passed::Few { .. })),
            sources: sources.clone().count(),
            exemplars: all.iter().map(|summary| summary.exemplars.len()).sum(),
            left_out,
            source_bytes: sources.map(|source| subject.text_len(source.seq)).sum(),
            summary_bytes: texts.sum(),
            cited_percent: percent(audit.cited),
            identities_percent: percent(audit.identities),
            salience_percent: percent(audit.salience),
            salience_least_percent: f64::from(audit.salience_least_per_mille) / 10.0,
            salience_overall_percent: percent(audit.salience_overall),
            findings: audit.findings.len(),
            work: Counted {
                words: planned.work.words,
                postings: planned.work.postings,
                heap: planned.work.heap,
            },
        }
    }

    fn to_text(&self) -> String {
        let mut out = format!("{:18} {:>9} {:>9}\n", "", "p50 ms", "p99 ms");
        let mut row = |name: &str, p50: f64, p99: f64| {
            // Writing to a string can't fail.
            let _ = writeln!(out, "{name:18} {p50:>9.1} {p99:>9.1}");
        };
        row("one plan", self.summary.wall_ms_p50, self.summary.wall_ms_p99);
        row("  processor", self.cpu_ms_p50, self.cpu_ms_p99);
        row("one audit", self.audit_ms, self.audit_ms);
        let _ = writeln!(
            out,
            "{} events: {} summaries of {} sources, {} exemplars; {} spans open, {} too small\n\
             cited {} %, identities {} %, salience of the top tenth {} %, at least {} %, \
             of all {} %",
            self.events,
            self.summaries,
            self.sources,
            self.exemplars,
            self.spans_open,
            self.spans_few,
            self.cited_percent,
            self.identities_percent,
            self.salience_percent,
            self.salience_least_percent,
            self.salience_overall_percent,
        );
        out + &self.summary.to_text()
    }
}

/// A share in percent, rounded down at the second decimal: 100 is all of it.
fn percent(share: Share) -> f64 {
    let whole = u128::from(share.whole.max(1));
    let part = if share.whole == 0 { whole } else { u128::from(share.part) };
    let hundredths = u32::try_from(part * 10_000 / whole).unwrap_or(u32::MAX);
    rounded(f64::from(hundredths) / 100.0, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_rounded_up() {
        let cases = [(0, 0, 100.0), (1, 1, 100.0), (99_999, 100_000, 99.99), (1, 3, 33.33)];
        for (part, whole, expected) in cases {
            assert_eq!(percent(Share { part, whole }), expected);
        }
    }
}
