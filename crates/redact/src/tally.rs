use std::collections::BTreeMap;

use crate::Rule;
use crate::edit::Edits;
use crate::found_secret::{FoundSecret, masked};

/// Numbers of secrets that the passes over a text found, by rule.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) counts: BTreeMap<Rule, u64>,
    /// Whether it is kept what was found, and where.
    keeps: bool,
    kept: Vec<Kept>,
    /// The first of `kept` that the pass at work found.
    pass: usize,
}

/// A finding whose line isn't known yet.
#[derive(Debug)]
struct Kept {
    at: usize,
    rule: Rule,
    name: &'static str,
    masked: String,
}

/// Where in the whole text a part of it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// It is the whole text.
    Text,
    /// It is in the JSON string that begins there.
    String(usize),
}

impl Origin {
    pub(crate) fn of(self, at: usize) -> usize {
        match self {
            Origin::Text => at,
            Origin::String(start) => start,
        }
    }
}

impl Tally {
    /// A tally that keeps what was found, and where.
    pub(crate) fn keeping() -> Tally {
        Tally { keeps: true, ..Tally::default() }
    }

    pub(crate) fn add(&mut self, at: usize, rule: Rule, name: &'static str, secret: &str) {
        *self.counts.entry(rule).or_insert(0) += 1;
        if self.keeps {
            self.kept.push(Kept { at, rule, name, masked: masked(secret) });
        }
    }

    /// Ends a pass: what it found has its place in the text before all the `passes`.
    pub(crate) fn end_pass(&mut self, passes: &[Edits]) {
        for kept in self.kept.iter_mut().skip(self.pass) {
            kept.at = passes.iter().rev().fold(kept.at, |at, edits| edits.before(at));
        }
        self.pass = self.kept.len();
    }

    /// Secrets that were found in `text`, by line.
    pub(crate) fn findings(mut self, text: &str) -> Vec<FoundSecret> {
        self.kept.sort_by_key(|kept| kept.at);
        let (mut line, mut from) = (1, 0);
        let lines = |part: &str| part.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let finding = |kept: Kept| {
            line += text.get(from..kept.at).map_or(0, lines);
            from = kept.at;
            FoundSecret { line, rule: kept.rule, name: kept.name, masked: kept.masked }
        };
        self.kept.into_iter().map(finding).collect()
    }
}
