//! One pass over text that is no JSON document.
//!
//! Invariants:
//! 1. Spans are disjoint, ascending, at character boundaries.
//! 2. A look at a place reads back no further than the end of the last span, and no
//!    byte is read by more than a fixed number of looks: the pass is linear.

use std::ops::Range;

use crate::leads::{Lead, Leads};
use crate::word::around;
use crate::{Rule, assignment, bearer, pem, url};

/// A secret: the bytes from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rule: Rule,
}

/// The secrets of a text.
pub(crate) fn scan(text: &str) -> Vec<Found> {
    let mut scanner = Scanner { text, floor: 0, word: 0..0, named: 0 };
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    let leads = Leads::of(text);
    while let Some((lead, place)) = leads.next(text, at) {
        let end = place.end;
        at = match scanner.look(lead, place) {
            Look::Nothing => end,
            Look::Mark { end } => scanner.pass(end),
            Look::Secret(secret) => {
                found.push(secret);
                scanner.pass(secret.end)
            }
        };
    }
    found
}

/// What a look at a place showed.
enum Look {
    Nothing,
    Mark { end: usize },
    Secret(Found),
}

struct Scanner<'a> {
    text: &'a str,
    /// The end of the last span or mark.
    floor: usize,
    /// The last word looked at.
    word: Range<usize>,
    /// The end of the last word looked at as a name: none is looked at twice.
    named: usize,
}

impl Scanner<'_> {
    fn look(&mut self, lead: Lead, hit: Range<usize>) -> Look {
        let text = self.text;
        let of = |rule: Rule, span: Option<Range<usize>>| match span {
            None => Look::Nothing,
            Some(span) => Look::Secret(Found { start: span.start, end: span.end, rule }),
        };
        match lead {
            Lead::Mark => match text.get(hit.start..).and_then(Rule::mark_len) {
                None => Look::Nothing,
                Some(len) => Look::Mark { end: hit.start + len },
            },
            Lead::Pem => of(Rule::PrivateKey, pem::block(text, hit)),
            Lead::Authority => of(Rule::UrlPassword, url::password(text, hit.end)),
            Lead::Scheme => of(Rule::Bearer, bearer::credential(text, hit.end)),
            Lead::Shape(shape) => {
                let start = hit.start;
                let word = self.word_around(hit);
                of(shape.rule, shape.span(text, &word, start))
            }
            Lead::Name if hit.start < self.named => Look::Nothing,
            Lead::Name => {
                let name = text.get(hit.clone()).unwrap_or_default().trim_end_matches(['=', ':']);
                let word = self.word_around(hit.start..hit.start + name.len());
                self.named = word.end;
                assignment::value(text, &word).map_or(Look::Nothing, Look::Secret)
            }
        }
    }

    fn word_around(&mut self, hit: Range<usize>) -> Range<usize> {
        if !(self.word.start <= hit.start && hit.end <= self.word.end) {
            self.word = around(self.text, self.floor.max(self.word.end.min(hit.start)), hit);
        }
        self.word.clone()
    }

    /// Goes on at `end`, over which no later look reads back.
    fn pass(&mut self, end: usize) -> usize {
        self.floor = end;
        end
    }
}
