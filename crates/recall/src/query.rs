use memlith_event::Scope;
use memlith_log::{Seq, Timestamp};

use crate::Signals;

/// A question to the index.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The question in its own words. Its first 64 distinct terms are searched.
    pub text: &'a str,
    /// The scope that asks: decides which items, and which statistics, there are.
    pub scope: &'a Scope<'a>,
    /// The instant that "yesterday" in the question is resolved against.
    pub now: Timestamp,
    /// No more hits than this.
    pub limit: usize,
    /// Whether an item may be shown. Asked of candidates only; statistics and
    /// neighbours don't depend on it.
    pub eligible: &'a dyn Fn(Seq) -> bool,
}

/// One item that answers a query, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The item.
    pub seq: Seq,
    /// How well it answers: [`Signals::relevance`], from 1 to about 25,000,000. Ratios
    /// mean something among the hits of one query, not across queries.
    pub relevance: i64,
    /// The signals that the relevance is made of.
    pub signals: Signals,
    /// The share of the query's terms that it has itself, by how rare they are, in millionths.
    pub own: i64,
    /// Whether its actor is the only one that the query names.
    pub is_named: bool,
    /// Whether it is a question.
    pub is_question: bool,
    /// The terms of the query that it has, one bit each.
    pub(crate) has: u64,
    /// Its number in the index.
    pub(crate) number: u32,
    /// The number of its session.
    pub(crate) session: u32,
}
