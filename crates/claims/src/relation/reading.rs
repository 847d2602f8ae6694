use super::cue::class_of;
use super::fact::{keys, verb_at};
use super::term::Term;
use crate::grammar::Article;

/// A sentence without what only says why, when, or that something follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) terms: Vec<Term>,
    /// Whether it says by a word that something is no longer as it was.
    pub(super) declared: bool,
    /// Whether a circumstance was left out, which an event has and a state is bound to.
    pub(super) event_only: bool,
}

impl Reading {
    /// The readings of a sentence, of which the older one has this `subject`.
    pub(super) fn all(terms: &[Term], subject: &[Term]) -> Vec<Reading> {
        let (terms, corrects) = without_opener(terms);
        let (terms, began) = without_beginning(terms);
        let opened = corrects || began;
        let terms = &without_phrase(terms)[..];
        let parts = parts(terms);
        let mut found = Vec::new();
        let opened = opened || parts.iter().any(|part| was_before(part));
        let kept: Vec<&[Term]> = parts.iter().filter(|part| !is_reason(part)).copied().collect();
        push(&mut found, kept.concat(), opened, false);
        let timeless: Vec<&[Term]> =
            kept.iter().filter(|part| !starts(part, CIRCUMSTANCES)).copied().collect();
        push(&mut found, timeless.concat(), opened, true);
        if let Some(state) = resulting(&timeless.concat()) {
            push(&mut found, state, true, false);
        }
        let turned = turned(&kept.concat());
        for terms in [at_colon(terms), renewed(terms), turned].into_iter().flatten() {
            push(&mut found, terms, opened, false);
        }
        for part in &timeless {
            let mut others = timeless.iter().filter(|other| *other != part);
            let clauses = others.all(|other| is_clause(other));
            if !clauses || !is_clause(part) {
                continue;
            }
            let told = timeless.iter().any(|other| other != part && tells_change(other));
            let whole = resolved(part, &timeless, subject);
            push(&mut found, whole, opened || told, timeless.len() != kept.len());
        }
        for at in cuts(terms) {
            let rest = terms.get(at..).unwrap_or_default().to_vec();
            push(&mut found, rest, opened, !starts(terms, REASONS));
        }
        found
    }
}

/// Adds a reading, once with what follows it and once without.
fn push(found: &mut Vec<Reading>, terms: Vec<Term>, declared: bool, event_only: bool) {
    for (list, is_event) in [(REASONS, event_only), (CIRCUMSTANCES, true)] {
        let end = terms.iter().skip(1).position(|term| term.is(list)).map(|at| at + 1);
        if let Some(cut) = end.and_then(|end| terms.get(..end)) {
            add(found, cut.to_vec(), declared, is_event);
        }
    }
    add(found, terms, declared, event_only);
}

fn add(found: &mut Vec<Reading>, terms: Vec<Term>, declared: bool, event_only: bool) {
    let (terms, now) = without_now(terms);
    let reading = Reading { terms, declared: declared || now, event_only };
    if !reading.terms.is_empty() && !found.contains(&reading) {
        found.push(reading);
    }
}

/// The sentence behind "update:" or "sorry, I got that wrong:", and whether there was one.
pub(super) fn without_opener(terms: &[Term]) -> (&[Term], bool) {
    let said = |count: usize, opener: &[&str]| {
        let words = terms.get(..count).unwrap_or_default();
        words.len() == opener.len()
            && words.iter().zip(opener).all(|(term, word)| term.text == *word)
    };
    if let Some(opener) = OPENERS.iter().find(|opener| said(opener.len(), opener)) {
        let rest = terms.get(opener.len()..).unwrap_or_default();
        let (rest, _) = without_opener(rest);
        return (rest, true);
    }
    // A first part that says that something was wrong.
    let end = terms.iter().skip(1).position(|term| term.broken).map(|at| at + 1);
    let first = end.and_then(|end| terms.get(..end)).unwrap_or_default();
    if first.len() < 9 && first.iter().any(|term| term.is(WRONG)) && !tells_value(first) {
        let (rest, _) = without_opener(terms.get(first.len()..).unwrap_or_default());
        return (rest, true);
    }
    (terms, false)
}

/// The sentence behind "as of this sprint" or "since the move to Linz,", and whether there was
/// one: what it says is so from then on, and not only then.
fn without_beginning(terms: &[Term]) -> (&[Term], bool) {
    let of = terms.get(1).is_some_and(|second| second.is(&["of"]));
    let as_of = starts(terms, &["as"]) && of;
    let opens = as_of || starts(terms, &["since", "following", "after", "with", "starting"]);
    if !opens {
        return (terms, false);
    }
    let comma = (1..terms.len()).find(|at| terms.get(*at).is_some_and(|term| term.broken));
    let end = comma.or_else(|| cuts_from(terms, 2).find(|at| has_clause(terms, *at)));
    let Some((phrase, rest)) = end.and_then(|end| terms.split_at_checked(end)) else {
        return (terms, false);
    };
    // "After lunch" and "with a card" are conditions, which come again.
    let known = |term: &Term| term.article == Article::Definite || term.owner || term.is(&["last"]);
    let once = phrase.iter().any(|term| term.is(TURNS)) && phrase.iter().any(known);
    let dated = phrase.len() < 5 && phrase.last().is_some_and(|last| last.is(PERIODS));
    let begins = once || ((as_of || starts(terms, &["since", "starting"])) && dated);
    if begins && verb_at(rest).is_some() { (rest, true) } else { (terms, false) }
}

/// Whether a clause with a verb of its own begins at `at`, and none did before.
fn has_clause(terms: &[Term], at: usize) -> bool {
    let (before, behind) = terms.split_at_checked(at).unwrap_or_default();
    let ends = before.last().is_some_and(|last| !last.is(super::fact::PREPOSITIONS));
    ends && behind.len() > 2 && verb_at(behind).is_some()
}

/// "Time of the class: 18:30" says what it is.
fn at_colon(terms: &[Term]) -> Option<Vec<Term>> {
    let at = terms.iter().position(|term| term.colon)?;
    let (before, after) = terms.split_at_checked(at)?;
    let nouns = !before.is_empty() && verb_at(before).is_none() && verb_at(after).is_none();
    nouns.then(|| [before, &[Term::be()], after].concat())
}

/// "We have a new vet, Dr. Marsh" says who our new vet is.
fn renewed(terms: &[Term]) -> Option<Vec<Term>> {
    let new = terms.iter().position(|term| term.is(&["new"]))?;
    let got = new.checked_sub(1).and_then(|at| terms.get(at))?;
    let typed = |term: &Term| term.proper || term.sort != crate::grammar::Sort::Plain;
    let behind = terms.iter().skip(new).position(|term| term.broken && typed(term))?;
    let comma = new + behind;
    let mut role = terms.get(new..comma)?.to_vec();
    let whose = terms.get(..new - 1)?.iter().filter(|term| !term.is(&["we"]));
    role.extend(whose.cloned());
    for term in &mut role {
        term.article = Article::Definite;
    }
    let name = terms.get(comma..)?;
    let named = name.iter().all(typed);
    (got.is(&["have", "has", "got", "hired"]) && named)
        .then(|| [&role, &[Term::be()][..], name].concat())
}

/// "We keep logs for 90 days" says that logs are kept for 90 days.
pub(super) fn turned(terms: &[Term]) -> Option<Vec<Term>> {
    let [we, verb, rest @ ..] = terms else { return None };
    let end = rest.iter().position(|term| term.is(super::fact::PREPOSITIONS))?;
    let (object, phrase) = rest.split_at_checked(end)?;
    let is_verb = verb.sort == crate::grammar::Sort::Plain && !verb.is_be() && !verb.proper;
    let participle = Term { past: true, ..verb.clone() };
    let subject = we.is(&["we", "they"]) || (we.first_person && !we.owner);
    (subject && is_verb && !object.is_empty())
        .then(|| [object, &[Term::be(), participle], phrase].concat())
}

/// "The door was unlocked", "we painted the door green": what is so since.
fn resulting(terms: &[Term]) -> Option<Vec<Term>> {
    let (last, rest) = terms.split_last()?;
    let had = |term: &Term| term.is(&["was", "were", "has", "have", "got"]);
    if last.past && !last.proper {
        let be = rest.iter().position(had)?;
        let aside = rest.get(be + 1..)?.iter().all(|term| term.is(&["been", "just", "finally"]));
        let state = [rest.get(..be)?, &[Term::be(), last.clone()]].concat();
        return aside.then_some(state);
    }
    // "The lamp was switched on".
    if let [thing @ .., be, verb] = rest
        && last.is(&["on", "off"])
        && had(be)
        && verb.past
    {
        return Some([thing, &[Term::be(), last.clone()]].concat());
    }
    let at = rest.iter().position(|term| term.is(&["painted", "repainted", "dyed"]))?;
    let (before, after) = (rest.get(..at)?, rest.get(at + 1..)?);
    let thing = match before.iter().position(had) {
        Some(passive) if after.is_empty() => before.get(..passive)?,
        Some(_) | None => after,
    };
    Some([thing, &[Term::be(), last.clone()]].concat())
}

/// Without "for cost reasons".
fn without_phrase(terms: &[Term]) -> Vec<Term> {
    let Some(end) = terms.iter().position(|term| term.is(&["reasons", "reason"])) else {
        return terms.to_vec();
    };
    let before = terms.get(..end).unwrap_or_default();
    let Some(start) = before.iter().rposition(|term| term.is(&["for"])) else {
        return terms.to_vec();
    };
    [terms.get(..start).unwrap_or_default(), terms.get(end + 1..).unwrap_or_default()].concat()
}

/// Whether a part says what something is, and not only that something was wrong.
fn tells_value(part: &[Term]) -> bool {
    part.iter().any(|term| term.sort != crate::grammar::Sort::Plain)
}

/// The parts between commas and colons.
fn parts(terms: &[Term]) -> Vec<&[Term]> {
    let mut found: Vec<&[Term]> = Vec::new();
    let mut start = 0;
    for at in 1..=terms.len() {
        if terms.get(at).is_none_or(|term| term.broken) {
            let part = terms.get(start..at).unwrap_or_default();
            found.push(match part {
                [first, rest @ ..] if first.is(JOINTS) && !rest.is_empty() => rest,
                part => part,
            });
            start = at;
        }
    }
    found.retain(|part| !part.is_empty());
    found.into_iter().flat_map(at_and).collect()
}

/// Two clauses that "and" joins.
fn at_and(part: &[Term]) -> Vec<&[Term]> {
    let at = part.iter().position(|term| term.is(&["and"]));
    let halves = at.and_then(|at| Some((part.get(..at)?, part.get(at + 1..)?)));
    let both = halves.filter(|(one, two)| {
        let begins = two.first().is_some_and(|first| {
            first.proper || first.article == Article::Definite || first.is(&["we", "it", "our"])
        });
        begins && tells_change(one) && verb_at(two).is_some()
    });
    both.map_or(vec![part], |(one, two)| vec![one, two])
}

/// Where what follows an opening clause without a comma may begin.
fn cuts(terms: &[Term]) -> Vec<usize> {
    if !starts(terms, REASONS) && !starts(terms, CIRCUMSTANCES) {
        return Vec::new();
    }
    cuts_from(terms, 2).collect()
}

/// Where a noun phrase begins, at `from` or behind it.
fn cuts_from(terms: &[Term], from: usize) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| {
        terms.get(*at).is_some_and(|term| {
            term.proper || term.article != Article::None || term.is(&["we", "they", "it", "our"])
        })
    };
    (from..terms.len()).filter(begins)
}

/// Whether a part says why, or only what was: "up from 6".
fn is_reason(part: &[Term]) -> bool {
    if was_before(part) {
        return true;
    }
    let of = part.get(1).is_some_and(|second| second.is(&["of"]));
    // "As agreed with the team".
    let agreed = starts(part, &["as"]) && part.get(1).is_some_and(|second| second.past);
    agreed || starts(part, REASONS) || (starts(part, &["as"]) && !of && verb_at(part).is_some())
}

fn starts(terms: &[Term], list: &[&str]) -> bool {
    terms.first().is_some_and(|first| first.is(list))
}

/// "up from 6", "down from 40".
fn was_before(part: &[Term]) -> bool {
    matches!(part, [way, from, ..] if way.is(&["up", "down"]) && from.is(&["from"]))
}

/// Whether a part has a subject and a verb of its own.
fn is_clause(part: &[Term]) -> bool {
    !starts(part, super::fact::PREPOSITIONS)
        && !starts(part, &["not", "when", "while", "where"])
        && (verb_at(part).is_some() || tells_change(part))
}

/// Whether a part says that something changed.
fn tells_change(part: &[Term]) -> bool {
    part.iter().any(|term| {
        (term.past && (class_of(&term.key).is_some() || term.is(ENDED))) || term.is(&["wrong"])
    })
}

/// "it" is the subject of the older sentence where another part speaks of that.
fn resolved(part: &[Term], parts: &[&[Term]], subject: &[Term]) -> Vec<Term> {
    let [first, rest @ ..] = part else { return Vec::new() };
    let about = keys(subject);
    let spoken = parts.iter().any(|other| *other != part && about.is_subset(&keys(other)));
    if first.is(&["it", "he", "she", "they", "that"]) && spoken && !about.is_empty() {
        return subject.iter().chain(rest).cloned().collect();
    }
    part.to_vec()
}

/// Without "now" and the like, and whether there was one.
fn without_now(terms: Vec<Term>) -> (Vec<Term>, bool) {
    let mut rest = Vec::new();
    let mut now = false;
    let mut at = 0;
    while let Some(term) = terms.get(at) {
        let matches = |phrase: &&&[&str]| {
            let words = terms.get(at..at + phrase.len()).unwrap_or_default();
            words.len() == phrase.len()
                && words.iter().zip(phrase.iter()).all(|(term, word)| term.text == *word)
        };
        let of = terms.get(at + 1).is_some_and(|next| next.is(&["of"])) && term.is(&["instead"]);
        if let Some(phrase) = NOW.iter().find(matches).filter(|_| !of) {
            at += phrase.len();
            now = true;
        } else {
            // What only sets the time or the tone says nothing of the value.
            let back = term.is(&["back"])
                && terms.get(at + 1).is_some_and(|next| {
                    next.is(&["up", "on", "online", "open", "working", "down", "off"])
                });
            if !back && (!term.is(TONE) || at + 1 == terms.len()) {
                rest.push(term.clone());
            }
            at += 1;
        }
    }
    (rest, now)
}

const TONE: &[&str] = &["currently", "just", "officially", "finally", "already", "please"];

/// Words by which a sentence says that it is otherwise than before.
const NOW: &[&[&str]] = &[
    &["from", "now", "on"],
    &["from", "today", "on"],
    &["from", "today"],
    &["as", "of", "now"],
    &["as", "of", "today"],
    &["as", "of", "week"],
    &["as", "of", "month"],
    &["as", "of", "quarter"],
    &["as", "of", "sprint"],
    &["as", "of", "release"],
    &["as", "of", "yesterday"],
    &["starting", "today"],
    &["from", "week", "on"],
    &["since", "week"],
    &["since", "last", "week"],
    &["since", "last", "month"],
    &["since", "yesterday"],
    &["since", "today"],
    &["since", "morning"],
    &["effective", "immediately"],
    &["right", "now"],
    &["these", "days"],
    &["today"],
    &["nowadays"],
    &["henceforth"],
    &["again"],
    &["instead"],
    &["now"],
];

/// What a correction or a piece of news opens with.
const OPENERS: &[&[&str]] = &[
    &["update"],
    &["correction"],
    &["actually"],
    &["news"],
    &["change"],
    &["change", "of", "plan"],
    &["change", "of", "plans"],
    &["small", "change"],
    &["quick", "update"],
    &["meanwhile"],
    &["in", "meantime"],
    &["in", "end"],
    &["scratch", "that"],
    &["sorry"],
    &["oops"],
    &["edit"],
    &["fyi"],
    &["note"],
    &["heads", "up"],
    &["it", "turned", "out", "that"],
    &["it", "turns", "out", "that"],
    &["it", "turned", "out"],
    &["turns", "out"],
    &["in", "fact"],
    &["to", "correct", "myself"],
    &["no"],
];

/// Words by which a first part takes something back.
const WRONG: &[&str] = &[
    "wrong",
    "mistake",
    "mistaken",
    "mixed",
    "misspoke",
    "typo",
    "outdated",
    "incorrect",
    "said",
    "meant",
    "bad",
    "wait",
    "forget",
    "correct",
    "correcting",
    "precise",
    "turns",
    "error",
    "apologies",
    "confused",
    "scrap",
    "misheard",
    "misread",
    "correction",
    "update",
    "sorry",
];

/// Words that begin what says why.
const REASONS: &[&str] = &[
    "because",
    "since",
    "due",
    "thanks",
    "given",
    "so",
    "owing",
    "following",
    "hence",
    "therefore",
    "which",
    "who",
    "to_make",
    "though",
    "although",
];

/// Nouns of what happens once and leaves things otherwise. Our own list.
#[rustfmt::skip]
const TURNS: &[&str] = &[
    "move", "migration", "switch", "upgrade", "update", "change", "changes", "changeover",
    "cleanup", "audit", "rotation", "reorganisation", "reorganization", "reorg", "incident",
    "outage", "merger", "election", "vote", "refactoring", "refactor", "rewrite", "review",
    "renovation", "divorce", "wedding", "handover", "restructuring", "overhaul", "redesign",
    "relaunch", "acquisition", "takeover", "transition", "promotion", "agreement", "decision",
    "complaint", "complaints", "feedback", "reshuffle", "rebrand", "split", "breach", "accident",
    "negotiation", "negotiations", "rollout", "cutover", "conversion", "departure", "resignation",
];

/// Nouns of the time that goes on.
const PERIODS: &[&str] = &[
    "week",
    "month",
    "quarter",
    "sprint",
    "release",
    "year",
    "term",
    "season",
    "semester",
    "spring",
    "summer",
    "autumn",
    "winter",
    "iteration",
    "morning",
    "yesterday",
    "today",
];

/// Words that begin what says when or how it came about.
const CIRCUMSTANCES: &[&str] = &[
    "after",
    "when",
    "with",
    "before",
    "during",
    "once",
    "following",
    "while",
    "last",
    "to",
    "upon",
];

/// Words that join a part to the one before it.
const JOINTS: &[&str] = &["so", "and", "but", "then"];

/// Participles of what is over.
const ENDED: &[&str] = &[
    "left",
    "quit",
    "resigned",
    "retired",
    "died",
    "closed",
    "sold",
    "cancelled",
    "canceled",
    "replaced",
    "broke",
    "moved",
    "stopped",
    "ended",
    "stepped",
    "handed",
    "passed",
];
