use memlith_claims::{Parsed, Relation, Said, is_later_value, relation};

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::goal::Goal;
use crate::report::Report;
use crate::sets::{self, Pair};
use crate::tally::Verdict;

/// `wrongly`: of pairs that stand, those whose second sentence is said to replace the first.
/// `replaces`: of changes, those whose second sentence is. `too much`: of changes, those of
/// which a sentence is said to replace one beside it. `older` and `moved`: of changes, and of pairs
/// that stand, those of which the second is shown first. Pairs of two scopes aren't compared.
const LABELS: &[&str] = &["stand", "wrongly", "moved", "change", "replaces", "too much", "older"];

/// What [`relation`] says of the pairs of `stand.jsonl` and `change.jsonl`, without a ledger.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    const GOALS: &[Goal] = &[
        Goal::AtLeastOf("replaces", "change", 850),
        Goal::None("wrongly"),
        Goal::None("too much"),
    ];
    let mut report = Report::new(Name::Relation, LABELS, GOALS);
    for pair in sets::lines::<Pair>("stand.jsonl", &arguments.sets, arguments.first)? {
        report.take(&pair.old, standing(&pair));
    }
    for pair in sets::lines::<Pair>("change.jsonl", &arguments.sets, arguments.first)? {
        report.take(&pair.old, changed(&pair));
    }
    Ok(report)
}

fn standing(pair: &Pair) -> Verdict {
    let found = of_pair(pair);
    let wrongly = found == Relation::Replaces;
    let mut labels = vec!["stand"];
    labels.extend(wrongly.then_some("wrongly"));
    let moved = is_first(pair, found);
    labels.extend(moved.then_some("moved"));
    verdict(pair, labels, !wrongly && !moved, found)
}

fn changed(pair: &Pair) -> Verdict {
    let found = of_pair(pair);
    let speaker = pair.new_voice().speaker.unwrap_or_default();
    let replaced = |text: &String, by: &str, voice: &str| {
        relation(&said(text, speaker), &said(by, voice)) == Relation::Replaces
    };
    let first = pair.old_voice().speaker.unwrap_or_default();
    let too_much = pair
        .beside
        .iter()
        .any(|text| replaced(text, &pair.old, first) || replaced(text, &pair.new, speaker));
    let replaces = found == Relation::Replaces;
    let mut labels = vec!["change"];
    labels.extend(replaces.then_some("replaces"));
    labels.extend(is_first(pair, found).then_some("older"));
    labels.extend(too_much.then_some("too much"));
    verdict(pair, labels, replaces && !too_much, found)
}

fn of_pair(pair: &Pair) -> Relation {
    let (first, second) = (pair.old_voice(), pair.new_voice());
    if first.scope != second.scope {
        return Relation::Beside;
    }
    let old = said(&pair.old, first.speaker.unwrap_or_default());
    let new = said(&pair.new, second.speaker.unwrap_or_default());
    relation(&old, &new)
}

/// Whether the second sentence would be shown before the first one.
fn is_first(pair: &Pair, found: Relation) -> bool {
    let (first, second) = (pair.old_voice(), pair.new_voice());
    let old = said(&pair.old, first.speaker.unwrap_or_default());
    let new = said(&pair.new, second.speaker.unwrap_or_default());
    let asked = said("", "");
    let later = || is_later_value(&Parsed::of(&old), &Parsed::of(&new), &Parsed::of(&asked));
    let first_of = found == Relation::Replaces || (found == Relation::Beside && later());
    first.scope == second.scope && first_of
}

/// The sets have no scopes of one subject.
fn said<'a>(text: &'a str, speaker: &'a str) -> Said<'a> {
    Said { text, speaker, about_one: false }
}

fn verdict(pair: &Pair, labels: Vec<&'static str>, right: bool, found: Relation) -> Verdict {
    let set = labels.first().copied().unwrap_or_default();
    let first = if labels.contains(&"moved") { ", moved" } else { "" };
    let miss = format!("{set}, {found:?}{first}: {}", pair.text());
    Verdict { labels, right, why: format!("{set}, {}", pair.why), miss }
}
