//! How long it takes to plan the summaries of a log, and what they keep of it.

mod subject;

use std::collections::BTreeMap;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use memlith::compaction::{Passed, Plan, PlanAudit, Rules, Share, audit_plan, plan};
use serde_json::{Value, json};

use self::subject::Subject;
use crate::report::{Timed, answer, merged};
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::wall::{Stopwatch, millis, rounded};

/// Arguments of `memlith-bench compact`.
#[derive(Debug, clap::Args)]
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

/// Runs the bench and prints its figures; the times at their top are those of one plan.
///
/// # Errors
/// Two plans differ, or one doesn't pass its audit.
pub(crate) fn run(args: &CompactArgs, context: &mut Context) -> Result<Exit> {
    let subject = Subject::new(args.seed, args.events)?;
    let rules = Rules::default();
    let (mut timed, mut first) = (Timed::default(), None);
    for _ in 0..args.runs {
        let planned = timed.run(|| Ok(plan(&subject.view(), &subject, &rules)?))?;
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
    let times = json!({
        "seed": args.seed,
        "cpu_ms_p50": timed.cpu.percentile_ms(50),
        "cpu_ms_p99": timed.cpu.percentile_ms(99),
        "audit_ms": audit_ms,
    });
    answer(context, &timed.walls, merged([times, figures(&subject, &planned, &audit)]))
}

/// All but the times.
fn figures(subject: &Subject, planned: &Plan, audit: &PlanAudit) -> Value {
    let all = &planned.summaries;
    let mut left_out: BTreeMap<&str, u64> = BTreeMap::new();
    for one in all.iter().flat_map(|summary| &summary.left_out) {
        *left_out.entry(one.reason.label()).or_default() += 1;
    }
    let passed =
        |of: fn(Passed) -> bool| planned.passed_over.iter().filter(|span| of(span.reason)).count();
    let sources = all.iter().flat_map(|summary| &summary.sources);
    json!({
        "events": subject.events(),
        "summaries": all.len(),
        // They can grow, or have too few sources.
        "spans_open": passed(|reason| reason == Passed::Open),
        "spans_few": passed(|reason| matches!(reason, Passed::Few { .. })),
        "sources": sources.clone().count(),
        "exemplars": all.iter().map(|summary| summary.exemplars.len()).sum::<usize>(),
        "left_out": left_out,
        "source_bytes": sources.map(|source| subject.text_len(source.seq)).sum::<u64>(),
        "summary_bytes": all.iter().map(|summary| summary.text().len()).sum::<usize>(),
        "cited_percent": percent(audit.cited),
        "identities_percent": percent(audit.identities),
        "salience_percent": percent(audit.salience),
        "salience_least_percent": f64::from(audit.salience_least_per_mille) / 10.0,
        "salience_overall_percent": percent(audit.salience_overall),
        "findings": audit.findings.len(),
        "work": {
            "words": planned.work.words,
            "postings": planned.work.postings,
            "heap": planned.work.heap,
        },
    })
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
