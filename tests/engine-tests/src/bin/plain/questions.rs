use memlith::{Checkout, query::Answerability};

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::goal::Goal;
use crate::report::Report;
use crate::room::{Room, caller};
use crate::sets::{self, Asked};
use crate::tally::Verdict;

/// Questions whose answer was never said. `silent`: the pack isn't labelled `answer`.
pub(crate) fn unknown(arguments: &Arguments) -> Outcome<Report> {
    const LABELS: &[&str] = &["silent", "answer", "refresh", "ask"];
    let mut report = Report::new(Name::Unknown, LABELS, &[Goal::AtLeast("silent", 900)]);
    for asked in sets::lines::<Asked>("unknown.jsonl", &arguments.sets, arguments.first)? {
        let checkout = answered(&asked)?;
        let label = checkout.pack.answerability.label();
        let silent = checkout.pack.answerability != Answerability::Answer;
        let mut labels = vec![label];
        labels.extend(silent.then_some("silent"));
        report.take(&asked.question, verdict(&asked, labels, silent, &checkout));
    }
    Ok(report)
}

/// Questions whose answer was said in other words. `answer`: the pack is labelled so.
/// `first`: its first item has the answer. `both`: it is labelled so, and has it.
pub(crate) fn answerable(arguments: &Arguments) -> Outcome<Report> {
    const LABELS: &[&str] = &["answer", "first", "both", "refresh", "ask"];
    let mut report = Report::new(Name::Answerable, LABELS, &[Goal::AtLeast("answer", 950)]);
    for asked in sets::lines::<Asked>("answerable.jsonl", &arguments.sets, arguments.first)? {
        let words = asked.answer.as_deref().ok_or("an answerable question needs an answer")?;
        let checkout = answered(&asked)?;
        let first = checkout.pack.items.first();
        let has_it = first.is_some_and(|item| holds(&item.excerpt.text, words));
        let labelled = checkout.pack.answerability == Answerability::Answer;
        let mut labels = vec![checkout.pack.answerability.label()];
        labels.extend(has_it.then_some("first"));
        labels.extend((has_it && labelled).then_some("both"));
        report.take(&asked.question, verdict(&asked, labels, has_it && labelled, &checkout));
    }
    Ok(report)
}

/// Whether `text` holds `words`, whatever their case.
pub(crate) fn holds(text: &str, words: &str) -> bool {
    text.to_lowercase().contains(&words.to_lowercase())
}

fn answered(asked: &Asked) -> Outcome<Checkout> {
    let room = Room::new()?;
    for said in &asked.said {
        let _ = room.say(&caller(said.voice(asked.voice()))?, said.text())?;
        room.pass_an_hour();
    }
    room.pass_a_day();
    room.ask(&caller(asked.voice())?, &asked.question)
}

fn verdict(asked: &Asked, labels: Vec<&'static str>, right: bool, checkout: &Checkout) -> Verdict {
    let first = checkout.pack.items.first().map_or("nothing", |item| &item.excerpt.text);
    let miss = format!("{}: {} -> {first}  ({})", labels.join(", "), asked.question, asked.why);
    Verdict { labels, right, why: asked.why.clone(), miss }
}
