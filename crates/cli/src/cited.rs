//! A cited item in JSON.

use std::collections::BTreeMap;

use memlith::{Cited, Origin, RecordId, Timestamp};
use serde::Serialize;
use serde_json::Number;

/// An item of an answer, as JSON.
#[derive(Serialize)]
pub struct CitedJson<'a> {
    id: RecordId,
    citation: String,
    score: i64,
    signals: BTreeMap<&'static str, i64>,
    text: &'a str,
    tokens: u32,
    excerpt: ExcerptJson,
    speaker: &'a str,
    occurred_at: Timestamp,
    why: WhyJson,
}

/// Which bytes of the item's words `text` is.
#[derive(Serialize)]
struct ExcerptJson {
    start: u32,
    end: u32,
    of: u32,
}

#[derive(Serialize)]
struct WhyJson {
    authority: &'static str,
    record: bool,
    origin: Origin,
    tier: u8,
    pinned: bool,
    accepted: bool,
    disputed: bool,
    evidence: bool,
    attenuated: bool,
    newer: Vec<RecordId>,
    contested_with: Vec<RecordId>,
    relevance: i64,
    salience: Option<Number>,
    multiplier: f64,
    learned: LearnedJson,
    hints: Vec<&'static str>,
}

/// What outcomes for the same purpose say of an item.
#[derive(Serialize)]
struct LearnedJson {
    successes: u32,
    failures: u32,
    factor: f64,
}

impl<'a> CitedJson<'a> {
    /// What is printed of `item`.
    #[must_use]
    pub fn of(item: &'a Cited) -> CitedJson<'a> {
        let (why, excerpt) = (&item.why, &item.excerpt);
        CitedJson {
            id: item.id,
            citation: item.citation.to_string(),
            score: item.score,
            signals: why.signals.each().into_iter().collect(),
            text: &excerpt.text,
            tokens: excerpt.tokens,
            excerpt: ExcerptJson { start: excerpt.start, end: excerpt.end, of: excerpt.whole_len },
            speaker: &item.speaker,
            occurred_at: item.occurred_at,
            why: WhyJson {
                authority: why.authority.label(),
                record: why.record,
                origin: why.origin,
                tier: why.tier.0,
                pinned: why.pinned,
                accepted: why.accepted,
                disputed: why.disputed,
                evidence: why.evidence,
                attenuated: why.attenuated,
                newer: why.newer.clone(),
                contested_with: why.contested_with.clone(),
                relevance: why.relevance,
                salience: number(&why.salience),
                // A fraction of 2^30, so that the quotient is exact.
                multiplier: f64::from(why.multiplier.raw()) / f64::from(1_u32 << 30),
                learned: LearnedJson {
                    successes: why.learned.successes,
                    failures: why.learned.failures,
                    factor: f64::from(why.learned.factor()) / 1e6,
                },
                hints: why.hinted.names().collect(),
            },
        }
    }
}

/// A decimal of at most 12 digits as a JSON number.
pub fn number(decimal: &impl ToString) -> Option<Number> {
    serde_json::from_str(&decimal.to_string()).ok()
}
