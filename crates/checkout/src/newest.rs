//! Of items that say different values of one thing the newest comes first, and the others say
//! that they are older: also where nobody could be sure enough to end one.

use std::collections::{BTreeMap, BTreeSet};

use memlith_claims::{Parsed, Said, Verdict, verdict};
use memlith_event::{Event, MemoryEvent, Origin, TurnEvent};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_text::is_exact;

use crate::bodies::read;
use crate::candidate::Candidate;
use crate::{Ask, Bodies};

/// Maximum number of memories and turns of a pack compared with each other: what is shown whole,
/// and as many.
const COMPARED_MAX: usize = 12;

/// Maximum number of later statements that one is compared with.
const LATER_MAX: usize = 24;

/// A later memory comes first where it has at least this share of the older one's score, as a
/// divisor.
///
/// Source: chosen on five sets, ADR 0052.
const SHARE: i64 = 2;

/// A statement of a listing, to be compared with the others of it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The item.
    pub id: RecordId,
    /// Its words.
    pub text: String,
    /// The name of the one who said them.
    pub speaker: String,
    /// From when it holds, cut at the reader's now, and its place in the log.
    pub when: (Timestamp, Seq),
    /// The rank that it is guarded by.
    pub guard: u8,
}

/// Returns for each statement the place of the newest later one that says, or may say, another
/// value of the same; none where nothing does.
///
/// Only what is guarded as much as the older one counts: no low rank marks what a higher one said.
/// Cost: the number of statements times at most 24 that share a word.
#[must_use]
pub fn newer_of(statements: &[Statement]) -> Vec<Option<usize>> {
    let parsed: Vec<Parsed<'_>> = statements.iter().map(parsed).collect();
    newer_among(statements, &parsed)
}

fn newer_among(statements: &[Statement], parsed: &[Parsed<'_>]) -> Vec<Option<usize>> {
    let mut by_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, parsed) in parsed.iter().enumerate() {
        for word in keys(parsed) {
            by_word.entry(word).or_default().push(at);
        }
    }
    let newer = |(at, old): (usize, &Statement)| {
        // The rarest words first: what shares none of them is not near.
        let mut lists: Vec<&Vec<usize>> =
            keys(parsed.get(at)?).into_iter().filter_map(|word| by_word.get(word)).collect();
        lists.sort_by_key(|list| list.len());
        let later: BTreeSet<(Timestamp, Seq, usize)> = lists
            .into_iter()
            .flatten()
            .filter_map(|other| statements.get(*other).map(|new| (new, *other)))
            .filter(|(new, _)| new.when > old.when && new.guard >= old.guard)
            .take(LATER_MAX * 4)
            .map(|(new, other)| (new.when.0, new.when.1, other))
            .collect();
        let mut newest = later.into_iter().rev().take(LATER_MAX).map(|(_, _, other)| other);
        newest.find(|other| says_otherwise(parsed.get(at), parsed.get(*other)))
    };
    statements.iter().enumerate().map(newer).collect()
}

/// The words that a statement is found by; all that no grammar reads stand under one.
fn keys<'p>(parsed: &'p Parsed<'_>) -> BTreeSet<&'p str> {
    if parsed.is_unread() { BTreeSet::from([""]) } else { parsed.words() }
}

fn parsed(statement: &Statement) -> Parsed<'_> {
    Parsed::of(&Said { text: &statement.text, speaker: &statement.speaker, about_one: false })
}

fn says_otherwise(old: Option<&Parsed<'_>>, new: Option<&Parsed<'_>>) -> bool {
    let found = old.zip(new).map(|(old, new)| verdict(old, new));
    matches!(found, Some(Verdict::Ends | Verdict::MayEnd))
}

/// Puts the newest of the items that say different values of one thing before the others, and marks
/// these; and puts before an older memory a later one that answers about as well.
///
/// Only what is guarded as much as the older one passes it: no low rank moves what a higher one
/// said. Nothing is left out for it.
///
/// Source: `docs/model.md`, "Order". Cost: bodies of [`COMPARED_MAX`] items, each two compared.
pub(crate) fn put_first(candidates: &mut [Candidate], bodies: &dyn Bodies, ask: &Ask<'_>) {
    let (places, statements) = statements(candidates, bodies, ask.now);
    let all: Vec<Parsed<'_>> = statements.iter().map(parsed).collect();
    let newer = newer_among(&statements, &all);
    let later = later_answers((&places, &statements, &all), candidates, ask);
    let mut is_moved = put_own_first(candidates);
    for (at, (newer, later)) in newer.into_iter().zip(later).enumerate() {
        let Some(first) = newer.or(later) else { continue };
        let Some(older) = places.get(at).and_then(|at| candidates.get_mut(*at)) else { continue };
        let newer = newer.and_then(|newer| statements.get(newer)).map(|newer| newer.id);
        older.later = older.later.or(newer);
        let above = older.score().saturating_add(1);
        if let Some(first) = places.get(first).and_then(|at| candidates.get_mut(*at)) {
            first.least = first.least.max(above);
            is_moved = true;
        }
    }
    if is_moved {
        candidates.sort_by_cached_key(Candidate::order);
    }
}

/// Puts the asker's own words before another person's where the question is about the asker and
/// they answer about as well; whether anything was moved. A program's words are nobody's own.
fn put_own_first(candidates: &mut [Candidate]) -> bool {
    let first = candidates.iter_mut().take(COMPARED_MAX);
    let (anothers, own): (Vec<_>, Vec<_>) =
        first.filter(|one| !one.item.is_record()).partition(|one| one.anothers);
    let Some(best) = anothers.iter().map(|one| one.score()).max() else { return false };
    let mut is_moved = false;
    for one in own.into_iter().filter(|one| one.item.origin == Origin::User) {
        if one.score() <= best && one.score().saturating_mul(SHARE) >= best {
            one.least = one.least.max(best.saturating_add(1));
            is_moved = true;
        }
    }
    is_moved
}

/// The place of the newest later memory that answers about as well as each memory; none for turns.
fn later_answers(
    (places, statements, all): (&[usize], &[Statement], &[Parsed<'_>]),
    candidates: &[Candidate],
    ask: &Ask<'_>,
) -> Vec<Option<usize>> {
    let asked = Parsed::of(&Said { text: ask.query, speaker: "", about_one: false });
    let asked = asked.words();
    let found = places.iter().filter_map(|at| candidates.get(*at));
    let rows: Vec<_> = found.zip(statements).zip(all).collect();
    let words: Vec<BTreeSet<&str>> = all.iter().map(Parsed::words).collect();
    let had = |words: &BTreeSet<&str>| words.intersection(&asked).count();
    let most = words.iter().map(had).max().unwrap_or_default();
    let of = |(old, before): (usize, &BTreeSet<&str>)| {
        let ((older, said), parsed) = rows.get(old)?;
        let is_later =
            |(((one, new), _), after): (&((&Candidate, &Statement), _), &BTreeSet<&str>)| {
                new.when > said.when
                    && new.guard >= said.guard
                    && !one.item.is_record()
                    && (!one.anothers || older.anothers)
                    && one.score().saturating_mul(SHARE) >= older.score()
                    && answers_later((parsed, before), after, &asked)
            };
        let later = rows.iter().zip(&words).enumerate().filter(|(_, row)| is_later(*row));
        let later = later.filter(|_| !older.item.is_record() && had(before) == most);
        later.max_by_key(|(_, (((_, new), _), _))| new.when).map(|(at, _)| at)
    };
    words.iter().enumerate().map(of).collect()
}

/// Whether a later statement may answer in the place of an older one: both have a word of the
/// question, and the later one lacks at most one that the older one has.
fn answers_later(
    (old, before): (&Parsed<'_>, &BTreeSet<&str>),
    after: &BTreeSet<&str>,
    asked: &BTreeSet<&str>,
) -> bool {
    let had = |words: &BTreeSet<&str>| words.intersection(asked).count();
    let both = before.intersection(after).filter(|word| asked.contains(**word)).count();
    // What the question names of the older one alone may be another thing: "service s7".
    let named = |word: &&&str| asked.contains(**word) && !after.contains(**word);
    let other = |word: &&str| old.subject() == Some(*word) || is_exact(word);
    both > 0 && had(after) + 1 >= had(before) && !before.iter().filter(named).any(other)
}

/// The first memories and turns among the candidates that a person or an agent worded, with their
/// places.
fn statements(
    candidates: &[Candidate],
    bodies: &dyn Bodies,
    now: Timestamp,
) -> (Vec<usize>, Vec<Statement>) {
    let is_said = |one: &Candidate| {
        let spoken = matches!(one.item.origin, Origin::User | Origin::Assistant);
        !one.item.is_derived() && (spoken || !one.item.is_record())
    };
    let first = candidates.iter().enumerate().filter(|(_, one)| is_said(one)).take(COMPARED_MAX);
    let first: Vec<(usize, &Candidate)> = first.collect();
    // One alone is older than nothing.
    if first.len() < 2 {
        return (Vec::new(), Vec::new());
    }
    bodies.will_need(&mut first.iter().map(|(_, one)| one.item.id));
    let statement = |(at, one): (usize, &Candidate)| {
        let said = read(bodies, one.item.id, |body| {
            let text = if let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event {
                &memory.text
            } else {
                let Event::Turn(TurnEvent::Said(turn)) = &body.event else { return None };
                (!turn.context).then_some(&turn.text)?
            };
            Some((text.to_string(), body.envelope.actor.name.to_string()))
        });
        let (text, speaker) = said.flatten()?;
        let (id, guard) = (one.item.id, one.item.guard);
        let when = (one.item.occurred_at.min(now), id.seq);
        Some((at, Statement { id, text, speaker, when, guard }))
    };
    first.into_iter().filter_map(statement).unzip()
}
