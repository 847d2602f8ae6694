use memlith::{Cited, RecordId, Timestamp, for_people};

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::baseline::Order;
use crate::goal::Goal;
use crate::report::Report;
use crate::room::{Room, caller};
use crate::sets::{self, Told, Voice};
use crate::tally::Verdict;
use crate::week::{FIRST, is_marked};

/// `in three`: the new sentence is among the first three. `clean`: of those, the old one
/// doesn't stand above it. `first`: it stands first. `marked`: the old one isn't shown, or is marked. `ended`: it was ended.
const LABELS: &[&str] = &["in three", "clean", "first", "marked", "ended"];

const MINUTE_US: i64 = 60 * 1_000_000;

/// One ledger that is told all old sentences, a day later all new ones, and then asked.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    const GOALS: &[Goal] = &[Goal::Overall("in three", 920), Goal::Overall("clean", 900)];
    let mut report = Report::new(Name::Fresh, LABELS, GOALS);
    let lines = sets::lines::<Told>("fresh.jsonl", &arguments.sets, arguments.first)?;
    let room = Room::new()?;
    let asker = caller(Voice::default())?;
    let say = |day: i64, texts: &mut dyn Iterator<Item = &String>| -> Outcome<Vec<RecordId>> {
        let mut ids = Vec::new();
        for (minutes, text) in (0..).zip(texts) {
            room.set(day * Timestamp::DAY_US + minutes * MINUTE_US);
            ids.push(room.say(&asker, text)?.id);
        }
        Ok(ids)
    };
    let old = say(0, &mut lines.iter().map(|line| &line.old))?;
    let new = say(1, &mut lines.iter().map(|line| &line.new))?;
    room.set(2 * Timestamp::DAY_US);
    for (line, (old, new)) in lines.iter().zip(old.into_iter().zip(new)) {
        report.take(&line.question, judged(&room, line, (old, new), arguments.order)?);
    }
    Ok(report)
}

fn judged(
    room: &Room,
    line: &Told,
    (old, new): (RecordId, RecordId),
    order: Order,
) -> Outcome<Verdict> {
    let asker = caller(Voice::default())?;
    let items = room.ask(&asker, &line.question)?.pack.items;
    let rendered = for_people(&items);
    let ranked = room.ranked(order, &items, &line.question);
    let place = |id| ranked.iter().position(|item| *item == id);
    let in_three = place(new).is_some_and(|at| at < FIRST);
    let clean = in_three && place(old).is_none_or(|at| place(new) < Some(at));
    let is_first = place(new) == Some(0);
    let stale = items.iter().find(|item| item.id == old);
    let marked = stale.is_none_or(|item: &Cited| is_marked(&rendered, item));
    let ended = !room.stands(&asker, old)?;
    let labels = [in_three, clean, is_first, marked, ended].into_iter().zip(LABELS);
    let labels: Vec<&str> = labels.filter_map(|(holds, label)| holds.then_some(*label)).collect();
    let first = items.first().map_or("nothing", |item| &item.excerpt.text);
    let said = format!("{} | {}", line.old, line.new);
    let miss = format!("[{}] {said} | {} -> {first}", labels.join(", "), line.question);
    let right = clean && marked;
    Ok(Verdict { labels, right, why: line.why.clone(), miss })
}
