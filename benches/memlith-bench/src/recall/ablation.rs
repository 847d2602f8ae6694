use std::cmp::Reverse;
use std::collections::BTreeMap;

use memlith::{Cited, RecordId};
use serde::Serialize;

use crate::recall::figures::{Figures, Percentages};
use crate::rounded;

/// Worth of each signal: the figures of the order that there were without it.
///
/// The other weights stay as they are; a fit without the signal (`examples/fit.rs` of
/// `memlith-recall`) says what the rest could make up for.
#[derive(Default)]
pub(crate) struct Ablation(BTreeMap<String, Figures>);

/// The figures without some signals, and what they have more or less than all of them.
#[derive(Debug, Serialize)]
pub(crate) struct Without {
    recall_at_10: f64,
    mrr: f64,
    recall_at_10_change: f64,
    mrr_change: f64,
}

/// Number of answers that are put in order anew: as many as a search gives.
pub(crate) const ANSWERS: usize = 400;

/// Signals that belong together, by the beginnings of their names.
const GROUPS: [(&str, &[&str]); 4] = [
    ("group: words", &["coverage", "meaning"]),
    ("group: neighbours", &["context", "session", "answer", "reply"]),
    ("group: causes", &["request", "cause", "opening", "outcome"]),
    ("group: dates", &["day", "when"]),
];

impl Ablation {
    /// Adds a question: its answers, and what should be among them.
    pub(crate) fn add(&mut self, answers: &[Cited], gold: &[RecordId]) {
        let names = answers.first().map(|cited| cited.why.signals.each().map(|(name, _)| name));
        let singles = names.into_iter().flatten().map(|name| (name.to_owned(), vec![name]));
        let groups = GROUPS.iter().map(|(group, names)| ((*group).to_owned(), names.to_vec()));
        for (label, left_out) in singles.chain(groups) {
            self.0.entry(label).or_default().add(&without(answers, &left_out), gold);
        }
    }

    /// The figures beside those of all signals.
    pub(crate) fn finish(&self, all: &Percentages) -> BTreeMap<String, Without> {
        let line = |(name, figures): (&String, &Figures)| {
            let Percentages { recall_at_10, mrr, .. } = figures.percentages();
            let without = Without {
                recall_at_10,
                mrr,
                recall_at_10_change: rounded(recall_at_10 - all.recall_at_10, 2),
                mrr_change: rounded(mrr - all.mrr, 2),
            };
            (name.clone(), without)
        };
        self.0.iter().map(line).collect()
    }
}

impl Without {
    /// The line of the report.
    pub(crate) fn to_text(&self, name: &str) -> String {
        let Without { recall_at_10, mrr, recall_at_10_change, mrr_change } = self;
        format!(
            "without {name:20} R@10 {recall_at_10:5.1} ({recall_at_10_change:+.1})  \
             MRR {mrr:5.1} ({mrr_change:+.1})\n"
        )
    }
}

/// The answers in the order that there were without these signals.
fn without(answers: &[Cited], left_out: &[&str]) -> Vec<RecordId> {
    let weights = memlith::read::WEIGHTS.each();
    let score = |cited: &Cited| {
        let signals = cited.why.signals.each().into_iter().zip(weights);
        let kept = signals.filter(|((name, _), _)| !left_out.contains(name));
        let sum: i64 = kept.map(|((_, signal), (_, weight))| signal * weight).sum();
        cited.why.multiplier.scales((sum / 100).max(1))
    };
    let mut order: Vec<(Reverse<i64>, RecordId)> =
        answers.iter().map(|cited| (Reverse(score(cited)), cited.id)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, id)| id).collect()
}
