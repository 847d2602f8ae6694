use std::collections::{BTreeMap, BTreeSet};

use memlith::RecordId;
use memlith_text::{snowball, tokens};

/// An order of what was said that needs no engine, to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The engine's own.
    Engine,
    /// By BM25 over stems (k1 1.2, b 0.75), of equal ones the newer.
    Bm25,
    /// The first three by BM25, the newest of them first.
    Newest,
}

/// Number of the first by BM25 that [`Order::Newest`] sorts by time.
const SORTED: usize = 3;

impl Order {
    pub(crate) fn of(name: &str) -> Option<Order> {
        [("engine", Order::Engine), ("bm25", Order::Bm25), ("newest", Order::Newest)]
            .into_iter()
            .find_map(|(own, order)| (own == name).then_some(order))
    }

    /// The ids of `said` that share a stem with `question`, in this order.
    pub(crate) fn of_said(self, said: &[(RecordId, String)], question: &str) -> Vec<RecordId> {
        let rows: Vec<(RecordId, BTreeMap<String, f64>)> =
            said.iter().map(|(id, text)| (*id, counts(text))).collect();
        let all = rows.len() as f64;
        let length = |row: &BTreeMap<String, f64>| row.values().sum::<f64>();
        let mean = rows.iter().map(|(_, row)| length(row)).sum::<f64>() / all.max(1.0);
        let asked: BTreeSet<String> = counts(question).into_keys().collect();
        #[expect(clippy::disallowed_methods, reason = "a baseline; nothing is stored of it")]
        let weight = |stem: &String| {
            let having = rows.iter().filter(|(_, row)| row.contains_key(stem)).count() as f64;
            (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
        };
        let weights: BTreeMap<&String, f64> =
            asked.iter().map(|stem| (stem, weight(stem))).collect();
        let score = |row: &BTreeMap<String, f64>| -> f64 {
            let norm = 1.2 * (0.25 + 0.75 * length(row) / mean);
            let of = |(stem, weight): (&&String, &f64)| {
                row.get(*stem).map_or(0.0, |count| weight * count * 2.2 / (count + norm))
            };
            weights.iter().map(of).sum()
        };
        let scored = rows.iter().map(|(id, row)| (score(row), *id));
        let mut scored: Vec<(f64, RecordId)> = scored.filter(|(score, _)| *score > 0.0).collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        let mut ids: Vec<RecordId> = scored.into_iter().map(|(_, id)| id).collect();
        if self == Order::Newest {
            let sorted = SORTED.min(ids.len());
            if let Some(first) = ids.get_mut(..sorted) {
                first.sort_by(|one, other| other.cmp(one));
            }
        }
        ids
    }
}

fn counts(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for token in tokens(text, usize::MAX).unwrap_or_default() {
        *counts.entry(snowball(&token.lower)).or_default() += 1.0;
    }
    counts
}
