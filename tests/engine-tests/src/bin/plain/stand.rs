use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::goal::Goal;
use crate::report::Report;
use crate::room::{Room, caller};
use crate::sets::{self, Pair};
use crate::tally::Verdict;

/// `ended`: the first statement no longer stands. `merged`: the second was taken for the
/// first said again, and is lost. `contested`: both stand, marked as contradicting each
/// other. `pending`: the second waits for review.
const LABELS: &[&str] = &["ended", "merged", "contested", "pending"];

/// Pairs of which both statements stay true.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    let mut report = Report::new(Name::Stand, LABELS, &[Goal::None("ended")]);
    for pair in sets::lines::<Pair>("stand.jsonl", &arguments.sets, arguments.first)? {
        report.take(&pair.old, judged(&pair)?);
    }
    Ok(report)
}

fn judged(pair: &Pair) -> Outcome<Verdict> {
    let room = Room::new()?;
    let (first, second) = (caller(pair.old_voice())?, caller(pair.new_voice())?);
    let old = room.say(&first, &pair.old)?.id;
    room.pass_a_day();
    let new = room.say(&second, &pair.new)?;
    // What is said of a later day may end the first one then, and not before.
    room.pass_an_hour();
    let mut labels = Vec::new();
    if !room.stands(&first, old)? {
        labels.push("ended");
    }
    if new.id == old {
        labels.push("merged");
    } else if new.outcome.label() == "pending" {
        labels.push("pending");
    }
    let right = labels.is_empty();
    if !new.outcome.contested().is_empty() {
        labels.push("contested");
    }
    let miss = format!("{}: {}", labels.join(", "), pair.text());
    Ok(Verdict { labels, right, why: pair.why.clone(), miss })
}
