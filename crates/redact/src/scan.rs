//! One pass over text that is no JSON document.
//!
//! Invariants:
//! 1. Spans are disjoint, ascending, at character boundaries.
//! 2. A look at a place reads back no further than the end of the last span, and no
//!    byte is read by more than a fixed number of looks: the pass is linear.

use std::ops::Range;

use crate::command::Command;
use crate::leads::{Lead, next};
use crate::shape::Shape;
use crate::word::around;
use crate::{Rule, assignment, bearer, near, password_file, pem, prose, shape, url};

/// A secret: the bytes from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rule: Rule,
    /// The name of its shape, if it has one; otherwise of the rule.
    pub(crate) name: &'static str,
}

/// The secrets of a text.
pub(crate) fn scan(text: &str) -> Vec<Found> {
    let mut scanner = Scanner { text, floor: 0, word: 0..0, named: 0, command: None };
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while let Some((lead, place)) = next(text, at) {
        // Where nothing is, another pattern can begin inside of this one.
        let after = place.start + 1;
        at = match scanner.look(lead, place) {
            Look::Nothing => after,
            Look::Mark { end } => scanner.pass(end),
            Look::Secret(secret) => {
                found.push(secret);
                let pair = (secret.rule == Rule::Aws).then(|| shape::pair(text, secret.end));
                found.extend(pair.flatten().map(|second| Found {
                    start: second.start,
                    end: second.end,
                    ..secret
                }));
                scanner.pass(found.last().map_or(secret.end, |last| last.end))
            }
        };
    }
    found
}

/// The result of a look at a place.
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
    /// The last program that takes a password as an argument.
    command: Option<Command>,
}

impl Look {
    fn of(rule: Rule, span: Option<Range<usize>>) -> Look {
        Look::named(rule, rule.name(), span)
    }

    fn named(rule: Rule, name: &'static str, span: Option<Range<usize>>) -> Look {
        span.map_or(Look::Nothing, |span| {
            Look::Secret(Found { start: span.start, end: span.end, rule, name })
        })
    }
}

impl Scanner<'_> {
    fn look(&mut self, lead: Lead, hit: Range<usize>) -> Look {
        let text = self.text;
        match lead {
            Lead::Mark => match text.get(hit.start..).and_then(Rule::mark_len) {
                None => Look::Nothing,
                Some(len) => Look::Mark { end: hit.start + len },
            },
            Lead::Pem => Look::of(Rule::PrivateKey, pem::block(text, hit)),
            Lead::Authority => Look::of(Rule::UrlPassword, url::password(text, hit.end)),
            Lead::Scheme => Look::of(Rule::Bearer, bearer::credential(text, hit.end)),
            Lead::Noun => Look::of(Rule::Prose, prose::value(text, &hit)),
            Lead::Machine => Look::of(Rule::PasswordFile, password_file::netrc(text, &hit)),
            Lead::Login => Look::of(Rule::Prose, prose::login(text, hit.end)),
            Lead::Port => Look::of(Rule::PasswordFile, password_file::pgpass(text, &hit)),
            Lead::Shape(shape) => self.shape(shape, hit),
            Lead::Provider(provider) => {
                let word = self.word_around(hit.clone());
                let near = near::value(text, &word, &hit, provider);
                near.map_or(Look::Nothing, |(span, form)| {
                    Look::named(Rule::ProviderKey, form.name, Some(span))
                })
            }
            Lead::Name => self.name(hit),
            Lead::Tool(tool) => {
                self.command = Command::at(text, &hit, tool).or(self.command.take());
                Look::Nothing
            }
            Lead::Flag => self.flag(&hit),
        }
    }

    fn shape(&mut self, shape: &Shape, hit: Range<usize>) -> Look {
        let start = hit.start;
        let word = self.word_around(hit);
        Look::named(shape.rule, shape.name, shape.span(self.text, &word, start))
    }

    fn name(&mut self, hit: Range<usize>) -> Look {
        if hit.start < self.named {
            return Look::Nothing;
        }
        let name = self.text.get(hit.clone()).unwrap_or_default();
        let name = name.trim_end_matches(['=', ':', ' ']);
        let word = self.word_around(hit.start..hit.start + name.len());
        self.named = word.end;
        match assignment::value(self.text, &word) {
            Some(found) => Look::Secret(found),
            None => Look::of(Rule::Prose, prose::named(self.text, &word)),
        }
    }

    fn flag(&mut self, hit: &Range<usize>) -> Look {
        let Some(command) = &mut self.command else { return Look::Nothing };
        if !command.reaches(self.text, hit.start) {
            self.command = None;
            return Look::Nothing;
        }
        Look::of(Rule::CommandLine, command.password(self.text, hit))
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
