use std::collections::BTreeMap;

use memlith::{Cited, RecordId, Timestamp, for_people};

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::baseline::Order;
use crate::goal::Goal;
use crate::half::Half;
use crate::report::Report;
use crate::room::{Room, caller};
use crate::sets::{self, OnADay, Week, WeekQuestion};
use crate::tally::Verdict;

/// Of questions, `in three`: a right item is among the first three. `clean`: of those, none
/// that says what is no longer so stands above it. `first`: it stands first. `marked`: of those that aren't clean, the
/// rendering marks all that stand above it.
const LABELS: &[&str] = &["in three", "clean", "first", "marked"];

/// Of sentences, `changes`: those that end others; `ended`: of those, those that ended what
/// they should; `wrongly`: how many others were ended.
const COUNTS: &[&str] = &["changes", "ended", "wrongly"];

/// Words by which a rendering marks what is no longer so.
const MARKS: [&str; 5] = ["older", "outdated", "superseded", "newer:", "replaced"];

/// The rank up to which a right item counts.
pub(crate) const FIRST: usize = 3;

const MINUTE_US: i64 = 60 * 1_000_000;

/// A week in one ledger, and questions at its end.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    const GOALS: &[Goal] =
        &[Goal::Overall("in three", 920), Goal::Overall("clean", 900), Goal::None("wrongly")];
    let mut report = Report::new(Name::Week, LABELS, GOALS).with_counts(COUNTS);
    let week = sets::week(arguments)?;
    let room = Room::new()?;
    let ids = told(&room, &week, &mut report)?;
    room.set(6 * Timestamp::DAY_US + 10 * 60 * MINUTE_US);
    for question in week.questions.iter().take(arguments.first) {
        report.take(&question.question, judged(&room, question, &ids, arguments.order)?);
    }
    Ok(report)
}

/// Says all sentences of the week, and gives the item of each.
fn told(room: &Room, week: &Week, report: &mut Report) -> Outcome<BTreeMap<String, RecordId>> {
    let mut ids: BTreeMap<String, RecordId> = BTreeMap::new();
    for (minutes, said) in (0..).map(|at| at * 3).zip(&week.said) {
        room.set((said.day - 1) * Timestamp::DAY_US + minutes * MINUTE_US);
        let written = room.say(&caller(said.voice())?, &said.text)?;
        count(said, &written.outcome.displaced(), &ids, report)?;
        if ids.insert(said.id.clone(), written.id).is_some() {
            return Err(format!("two sentences of the week are named {}", said.id).into());
        }
    }
    Ok(ids)
}

/// Counts what a sentence ended, against what it should.
fn count(
    said: &OnADay,
    displaced: &[RecordId],
    ids: &BTreeMap<String, RecordId>,
    report: &mut Report,
) -> Outcome<()> {
    let due = named(&said.ends, ids)?;
    let tally = report.half(Half::of(&said.text));
    let wrongly = displaced.iter().filter(|id| !due.contains(id)).count();
    if !due.is_empty() {
        tally.add("changes", 1);
        tally.add("ended", u64::from(due.iter().all(|id| displaced.contains(id))));
    }
    if wrongly > 0 {
        tally.add("wrongly", u64::try_from(wrongly)?);
        tally.misses.push(format!("wrongly ended by: {}", said.text));
    } else if !due.iter().all(|id| displaced.contains(id)) {
        tally.misses.push(format!("ended nothing: {}", said.text));
    }
    Ok(())
}

fn judged(
    room: &Room,
    question: &WeekQuestion,
    ids: &BTreeMap<String, RecordId>,
    order: Order,
) -> Outcome<Verdict> {
    let right = named(&question.right, ids)?;
    let stale = named(&question.stale, ids)?;
    let pack = room.ask(&caller(question.voice())?, &question.question)?.pack;
    let rendered = for_people(&pack.items);
    let ranked = room.ranked(order, &pack.items, &question.question);
    let item_of = |id: &RecordId| pack.items.iter().find(|item| item.id == *id);
    let answers = |item: &Cited| {
        let words = question.answer.as_deref();
        let said = words.is_some_and(|words| holds(block(&rendered, item), words));
        right.contains(&item.id) || (said && !stale.contains(&item.id))
    };
    let rank = ranked.iter().position(|id| right.contains(id) || item_of(id).is_some_and(answers));
    let above = ranked.iter().take(rank.unwrap_or(FIRST));
    let stale: Vec<&RecordId> = above.filter(|id| stale.contains(id)).collect();
    let in_three = rank.is_some_and(|rank| rank < FIRST);
    let clean = in_three && stale.is_empty();
    let mut labels = Vec::new();
    labels.extend(in_three.then_some("in three"));
    labels.extend(clean.then_some("clean"));
    labels.extend((rank == Some(0)).then_some("first"));
    let is_shown_marked =
        |id: &&RecordId| item_of(id).is_some_and(|item| is_marked(&rendered, item));
    labels.extend((in_three && !clean && stale.iter().all(is_shown_marked)).then_some("marked"));
    let first = pack.items.first().map_or("nothing", |item| &item.excerpt.text);
    let labelled = labels.join(", ");
    let miss = format!("[{labelled}] {} -> {first}  ({})", question.question, question.why);
    Ok(Verdict { labels, right: clean, why: question.why.clone(), miss })
}

/// Whether `rendered` marks `item` as what is no longer so.
pub(crate) fn is_marked(rendered: &str, item: &Cited) -> bool {
    let header = block(rendered, item).lines().next().unwrap_or_default();
    MARKS.iter().any(|mark| header.contains(mark))
}

/// Returns the part of `rendered` about `item`: the line that begins with its citation, and its
/// words.
fn block<'a>(rendered: &'a str, item: &Cited) -> &'a str {
    let citation = item.citation.to_string();
    let Some(start) = rendered.find(&citation) else { return "" };
    let rest = rendered.get(start..).unwrap_or_default();
    let end = rest.match_indices('\n').find(|(at, _)| {
        let next = rest.get(at + 1..).unwrap_or_default();
        !next.starts_with("    ")
    });
    rest.get(..end.map_or(rest.len(), |(at, _)| at)).unwrap_or_default()
}

fn named(names: &[String], ids: &BTreeMap<String, RecordId>) -> Outcome<Vec<RecordId>> {
    let id = |name: &String| {
        ids.get(name)
            .copied()
            .ok_or_else(|| format!("no sentence of the week is named {name}").into())
    };
    names.iter().map(id).collect()
}

/// Whether `text` holds `words`, whatever their case.
fn holds(text: &str, words: &str) -> bool {
    text.to_lowercase().contains(&words.to_lowercase())
}
