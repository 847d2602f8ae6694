use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::scan::{Found, scan};
use crate::{Rule, json};

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
    let mut counts = BTreeMap::new();
    let mut current = Cow::Borrowed(text);
    for _ in 0..PASSES_MAX {
        match pass(&current, 0, &mut counts) {
            None => return Redacted { text: current, counts },
            Some(redacted) => current = Cow::Owned(redacted),
        }
    }
    *counts.entry(Rule::Unstable).or_insert(0) += 1;
    let mark = Rule::Unstable.mark();
    let whole = if json::is_document(text, 0) { format!("\"{mark}\"") } else { mark };
    Redacted { text: Cow::Owned(whole), counts }
}

/// One pass over a text at a depth of strings within strings; `None` where it finds nothing.
pub(crate) fn pass(text: &str, depth: usize, counts: &mut BTreeMap<Rule, u64>) -> Option<String> {
    if json::is_document(text, depth) {
        return json::pass(text, depth, counts);
    }
    let found = scan(text);
    if found.is_empty() {
        return None;
    }
    found.iter().for_each(|found| *counts.entry(found.rule).or_insert(0) += 1);
    Some(replace(text, &found))
}

/// The text with every found span replaced by its mark.
fn replace(text: &str, found: &[Found]) -> String {
    let mut output = String::with_capacity(text.len());
    let mut kept_from = 0;
    for Found { start, end, rule } in found {
        output.push_str(text.get(kept_from..*start).unwrap_or_default());
        output.push_str(&rule.mark());
        kept_from = *end;
    }
    output.push_str(text.get(kept_from..).unwrap_or_default());
    output
}
