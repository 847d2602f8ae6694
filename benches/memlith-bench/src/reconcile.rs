//! How well restatements, changes and contradictions are told apart.
//!
//! Each pair has a ledger of its own, in memory: its first statement is written and then its
//! second, as `memlith remember` writes them, and what became of the second is counted. Once by
//! words, or with the cosine that the pair's line gives, and once with the built-in table.

mod pairs;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::storage::{Env, FixedClock, MemoryDisk, SeededRng};
use memlith::write::{Comparer, Cosine, Reconciler, Thresholds};
use memlith::{Caller, Ledger, Options, Timestamp, Written};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use self::pairs::{Half, Label, Pair, parse};
use crate::report::{answer, merged};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::out_file::{self, Force};
use memlith_verbs::wall::{Stopwatch, Walls, rounded};

/// Arguments of `memlith-bench reconcile`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReconcileArgs {
    /// Labelled pairs, one `{"a", "b", "label"}` a line, with `"cosine"` where it is known.
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
    /// Writes each pair with what was made of it and why, a line each.
    #[arg(long, value_name = "FILE")]
    per_pair: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// Outcomes of a write beside the statement that stood: no new row, a row in its place, a row
/// beside it where each is marked with the other, a row beside it.
const VERDICTS: [&str; 4] = ["restated", "superseded", "contested", "added"];

/// How often which label got which verdict.
#[derive(Default)]
struct Counts(BTreeMap<(Label, &'static str), u64>);

/// Runs the bench and prints its figures.
///
/// # Errors
/// The pairs can't be read, or the file for each pair can't be written.
pub(crate) fn run(args: &ReconcileArgs, context: &mut Context) -> Result<Exit> {
    let read = || format!("read the pairs {}", args.pairs.display());
    let bytes = std::fs::read(&args.pairs).with_context(read)?;
    let pairs = parse(&bytes).with_context(read)?;
    let (walls, figures, lines) = measure(&pairs)?;
    if let Some(path) = &args.per_pair {
        out_file::write(path, &lines, args.force)?;
    }
    let sha256: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let own = json!({ "sha256": sha256, "grammar": memlith::claims::Claim::GRAMMAR });
    answer(context, &walls, merged([figures, own]))
}

/// The times and figures of all pairs, and a line of each.
fn measure(pairs: &[Pair]) -> Result<(Walls, Value, Vec<u8>)> {
    let table = Arc::new(Reconciler::built_in());
    let (mut walls, mut lines) = (Walls::default(), Vec::new());
    let mut counts: BTreeMap<(&str, Option<Half>), Counts> = BTreeMap::new();
    for pair in pairs {
        let given = pair.cosine.map(|cosine| Arc::new(Reconciler::with(Arc::new(Given(cosine)))));
        let (verdict, wall) = written(pair, given)?;
        walls.push(wall);
        let (by_table, _) = written(pair, Some(table.clone()))?;
        let nearest = pair.cosine.or_else(|| near(pair, &table)).map(by_cosine);
        let own = [("words", verdict), ("table", by_table)].into_iter();
        for (how, verdict) in own.chain(nearest.map(|verdict| ("nearest", verdict))) {
            for half in [None, Some(pair.half())] {
                let counts = counts.entry((how, half)).or_default();
                *counts.0.entry((pair.label, verdict)).or_default() += 1;
            }
        }
        let line = json!({
            "a": pair.a,
            "b": pair.b,
            "label": pair.label,
            "half": pair.half(),
            "verdict": verdict,
            "with_table": by_table,
        });
        writeln!(lines, "{line}").context("write a line")?;
    }
    let of = |how, half| counts.get(&(how, half)).map(Counts::figures);
    let none = || Counts::default().figures();
    let untouched = Some(Half::Untouched);
    let figures = json!({
        "tuned": of("words", Some(Half::Tuned)).unwrap_or_else(none),
        "untouched": of("words", untouched).unwrap_or_else(none),
        "with_table": of("table", None).unwrap_or_else(none),
        "with_table_untouched": of("table", untouched).unwrap_or_else(none),
        "nearest": of("nearest", None),
        "nearest_untouched": of("nearest", untouched),
    });
    let all = of("words", None).unwrap_or_else(none);
    Ok((walls, merged([all, figures]), lines))
}

/// Writes the first statement of a pair and then its second, and returns what became of the
/// second and how long its write took.
fn written(pair: &Pair, reconciler: Option<Arc<Reconciler>>) -> Result<(&'static str, Duration)> {
    /// Both are written on Monday 4 May 2026, nine in the morning, UTC.
    const NOW: Timestamp = Timestamp(1_777_885_200_000_000);
    let env = Env {
        storage: Arc::new(MemoryDisk::new().process()),
        clock: Arc::new(FixedClock::new(NOW)),
        rng: Arc::new(SeededRng::new(1)),
    };
    // As the command has it without flags, but for the model.
    let ledger = Ledger::create_in(env, Options { reconciler, ..Options::default() })?;
    let caller = Caller::user("default", "user");
    let unwritten = |text: &str| format!("write {text:?}");
    let _ = ledger.remember(&caller, pair.a.as_str()).with_context(|| unwritten(&pair.a))?;
    let watch = Stopwatch::start();
    let second = ledger.remember(&caller, pair.b.as_str()).with_context(|| unwritten(&pair.b))?;
    Ok((verdict(&second), watch.elapsed()))
}

/// The verdict that the engine's answer to a write states.
fn verdict(written: &Written) -> &'static str {
    if written.status() == memlith::Status::Known {
        "restated"
    } else if !written.superseded().is_empty() {
        "superseded"
    } else if !written.contested().is_empty() {
        "contested"
    } else {
        "added"
    }
}

/// How near the two are by the reconciler's model; none where one of them has no vector.
fn near(pair: &Pair, reconciler: &Reconciler) -> Option<Cosine> {
    let comparer = reconciler.comparer.as_deref()?;
    comparer.cosines(&pair.b, &[&pair.a]).first().copied().flatten()
}

/// Judges a pair by the cosine alone, with 0.95 and 0.80.
fn by_cosine(cosine: Cosine) -> &'static str {
    let Thresholds { restate, midpoint, .. } = Thresholds::default();
    if cosine >= restate {
        "restated"
    } else if cosine >= midpoint {
        "superseded"
    } else {
        "added"
    }
}

/// A model that finds the two statements of a pair as near as its line says.
#[derive(Debug)]
struct Given(Cosine);

impl Comparer for Given {
    fn model(&self) -> &'static str {
        "given"
    }

    fn cosines(&self, _: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        vec![Some(self.0); others.len()]
    }
}

impl Counts {
    fn of(&self, labels: &[Label], verdicts: &[&str]) -> u64 {
        let counted =
            |(label, verdict): &(Label, &str)| labels.contains(label) && verdicts.contains(verdict);
        self.0.iter().filter(|(key, _)| counted(key)).map(|(_, count)| count).sum()
    }

    /// The figures; shares are of 1.
    fn figures(&self) -> Value {
        let superseded = |labels: &[Label]| self.of(labels, &["superseded"]);
        let restated = |labels: &[Label]| self.of(labels, &["restated"]);
        let share =
            |part: u64, whole: u64| (whole > 0).then(|| rounded(part as f64 / whole as f64, 4));
        let (every, changes) = (&Label::ALL, &[Label::Change]);
        let (all, restatements) = (superseded(every), &[Label::Restatement]);
        let right = superseded(&[Label::Change, Label::Contradiction]);
        let by_verdict = |label| {
            let of = |verdict| (verdict, self.of(&[label], &[verdict]));
            (label, VERDICTS.map(of).into_iter().collect::<BTreeMap<_, _>>())
        };
        json!({
            "pairs": self.of(every, &VERDICTS),
            "precision": share(right, all),
            "precision_of_changes": share(superseded(changes), all),
            "recall": share(superseded(changes), self.of(changes, &VERDICTS)),
            "false_supersede": all - right,
            "restatement_precision": share(restated(restatements), restated(every)),
            "restatement_recall": share(restated(restatements), self.of(restatements, &VERDICTS)),
            "contradictions_merged": restated(&[Label::Contradiction]),
            "by_label": Label::ALL.map(by_verdict).into_iter().collect::<BTreeMap<_, _>>(),
        })
    }
}

#[cfg(test)]
mod tests;
