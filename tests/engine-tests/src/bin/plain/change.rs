use memlith::RecordId;

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::goal::Goal;
use crate::report::Report;
use crate::room::{Room, caller};
use crate::sets::{self, Pair};
use crate::tally::Verdict;

/// `ended`: the first statement was ended, and nothing else was. `kept`: it stands.
/// `contested`: of those, marked as contradicting the second. `merged`: of those, the second
/// was taken for it said again. `too much`: something beside it was ended.
const LABELS: &[&str] = &["ended", "kept", "contested", "merged", "too much"];

/// Pairs of which the second statement ends the first.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    const GOALS: &[Goal] = &[Goal::AtLeast("ended", 850), Goal::None("too much")];
    let mut report = Report::new(Name::Change, LABELS, GOALS);
    for pair in sets::lines::<Pair>("change.jsonl", &arguments.sets, arguments.first)? {
        report.take(&pair.old, judged(&pair)?);
    }
    Ok(report)
}

fn judged(pair: &Pair) -> Outcome<Verdict> {
    let room = Room::new()?;
    let (first, second) = (caller(pair.old_voice())?, caller(pair.new_voice())?);
    let beside: Vec<RecordId> =
        pair.beside.iter().map(|text| Ok(room.say(&second, text)?.id)).collect::<Outcome<_>>()?;
    let old = room.say(&first, &pair.old)?.id;
    room.pass_a_day();
    let new = room.say(&second, &pair.new)?;
    room.pass_an_hour();
    let stands = room.stands(&first, old)?;
    let mut others = beside.into_iter();
    let too_much = others.try_fold(false, |ended, id| -> Outcome<bool> {
        Ok(ended || !room.stands(&second, id)?)
    })?;
    let mut labels = Vec::new();
    if stands {
        labels.push("kept");
    }
    if new.id == old {
        labels.push("merged");
    }
    if too_much {
        labels.push("too much");
    }
    if stands && !new.outcome.contested().is_empty() {
        labels.push("contested");
    }
    let right = labels.is_empty() && room.stands(&second, new.id)?;
    if right {
        labels.push("ended");
    }
    let miss = format!("{}: {}", labels.join(", "), pair.text());
    Ok(Verdict { labels, right, why: pair.why.clone(), miss })
}
