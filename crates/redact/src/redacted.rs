use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::edit::Edits;
use crate::scan::scan;
use crate::tally::{Origin, Tally};
use crate::{FoundSecret, Rule, json};

/// A text without its secrets, and how many were taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text; borrowed where nothing was found.
    pub text: Cow<'a, str>,
    /// How many places each rule replaced; rules that found nothing are absent.
    pub counts: BTreeMap<Rule, u64>,
}

/// How often a text is redacted before it is given up and replaced whole.
///
/// One pass and one that finds nothing is the rule; text that only becomes JSON by
/// being redacted takes three.
const PASSES_MAX: usize = 4;

/// Replaces what looks like a secret by `[REDACTED:rule]`.
///
/// A text that is a JSON document stays one: whatever value stands under a secret's
/// name becomes a string, and strings are redacted as texts of their own. Any other
/// text is redacted in place.
///
/// `redact(redact(x)) == redact(x)` holds by construction: passes are repeated until
/// one finds nothing, and a text that does not come to rest is replaced whole, by a mark
/// or, where it was a JSON document, by a string with it.
///
/// Cost: linear; see the crate's `throughput` example for megabytes a second.
#[must_use]
pub fn redact(text: &str) -> Redacted<'_> {
    let mut tally = Tally::default();
    let text = to_rest(text, &mut tally);
    Redacted { text, counts: tally.counts }
}

/// Says what [`redact`] takes out of a text, by line, and shows none of it.
///
/// Lines that are JSON documents each, as in a log of events, are read as such, one by one:
/// so does whatever imports them.
#[must_use]
pub fn find_secrets(text: &str) -> Vec<FoundSecret> {
    let documents = |line: &str| line.trim().is_empty() || json::is_document(line, 0);
    let first = text.lines().next().unwrap_or_default();
    if text.lines().nth(1).is_none() || !json::is_document(first, 0) || !text.lines().all(documents)
    {
        return found(text);
    }
    let lines = text.lines().zip(1..);
    let findings = lines.flat_map(|(text, line)| {
        found(text).into_iter().map(move |finding| FoundSecret { line, ..finding })
    });
    findings.collect()
}

fn found(text: &str) -> Vec<FoundSecret> {
    let mut tally = Tally::keeping();
    to_rest(text, &mut tally);
    tally.findings(text)
}

/// The text after as many passes as find something.
fn to_rest<'a>(text: &'a str, tally: &mut Tally) -> Cow<'a, str> {
    let mut current = Cow::Borrowed(text);
    let mut passes: Vec<Edits> = Vec::new();
    for _ in 0..PASSES_MAX {
        let edits = pass(&current, 0, Origin::Text, tally);
        tally.end_pass(&passes);
        if edits.is_empty() {
            return current;
        }
        current = Cow::Owned(edits.apply(&current));
        passes.push(edits);
    }
    tally.add(0, Rule::Unstable, Rule::Unstable.name(), "");
    let mark = Rule::Unstable.mark();
    Cow::Owned(if json::is_document(text, 0) { format!("\"{mark}\"") } else { mark })
}

/// One pass over a text at a depth of strings within strings.
pub(crate) fn pass(text: &str, depth: usize, origin: Origin, tally: &mut Tally) -> Edits {
    if json::is_document(text, depth) {
        return json::pass(text, depth, origin, tally);
    }
    let mut edits = Edits::default();
    for found in scan(text) {
        let secret = text.get(found.start..found.end).unwrap_or_default();
        tally.add(origin.of(found.start), found.rule, found.name, secret);
        edits.push(found.start, found.end, found.rule.mark());
    }
    edits
}
