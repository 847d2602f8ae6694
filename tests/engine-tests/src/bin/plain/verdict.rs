use memlith_claims::{Parsed, Said, Verdict as Words, verdict as of_words};

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::goal::Goal;
use crate::report::Report;
use crate::sets::{self, Pair};
use crate::tally::Verdict;

/// `wrongly`: of pairs that stand, those whose second sentence is said to end the first; `marked`:
/// those whose first is shown as older. `ends`: of changes, those whose second sentence is;
/// `older`: those whose first is marked or ended. `too much`: of changes, those of which a sentence
/// is said to end one beside it. Pairs of two scopes aren't compared.
const LABELS: &[&str] = &["stand", "wrongly", "marked", "change", "ends", "older", "too much"];

/// Judges the pairs of `stand.jsonl` and `change.jsonl` by their words alone, without a ledger.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    const GOALS: &[Goal] =
        &[Goal::AtLeastOf("ends", "change", 450), Goal::None("wrongly"), Goal::None("too much")];
    let mut report = Report::new(Name::Verdict, LABELS, GOALS);
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
    let (wrongly, marked) = (found == Words::Ends, found == Words::MayEnd);
    let mut labels = vec!["stand"];
    labels.extend(wrongly.then_some("wrongly"));
    labels.extend(marked.then_some("marked"));
    verdict(pair, labels, !wrongly && !marked, found)
}

fn changed(pair: &Pair) -> Verdict {
    let found = of_pair(pair);
    let speaker = pair.new_voice().speaker.unwrap_or_default();
    let replaced = |text: &String, by: &str, voice: &str| {
        words_of(&said(text, speaker), &said(by, voice)) == Words::Ends
    };
    let first = pair.old_voice().speaker.unwrap_or_default();
    let too_much = pair
        .beside
        .iter()
        .any(|text| replaced(text, &pair.old, first) || replaced(text, &pair.new, speaker));
    let replaces = found == Words::Ends;
    let mut labels = vec!["change"];
    labels.extend(replaces.then_some("ends"));
    labels.extend((replaces || found == Words::MayEnd).then_some("older"));
    labels.extend(too_much.then_some("too much"));
    verdict(pair, labels, replaces && !too_much, found)
}

fn of_pair(pair: &Pair) -> Words {
    let (first, second) = (pair.old_voice(), pair.new_voice());
    if first.scope != second.scope {
        return Words::Unrelated;
    }
    let old = said(&pair.old, first.speaker.unwrap_or_default());
    let new = said(&pair.new, second.speaker.unwrap_or_default());
    words_of(&old, &new)
}

fn words_of(old: &Said<'_>, new: &Said<'_>) -> Words {
    of_words(&Parsed::of(old), &Parsed::of(new))
}

/// The sets have no scopes of one subject.
fn said<'a>(text: &'a str, speaker: &'a str) -> Said<'a> {
    Said { text, speaker, about_one: false }
}

fn verdict(pair: &Pair, labels: Vec<&'static str>, right: bool, found: Words) -> Verdict {
    let set = labels.first().copied().unwrap_or_default();
    let miss = format!("{set}, {found:?}: {}", pair.text());
    Verdict { labels, right, why: format!("{set}, {}", pair.why), miss }
}
