//! Whether a later sentence speaks of what an older one speaks of, and says another value:
//! by what they share and by the kinds of what differs, whatever word tells of the change.
//!
//! Nothing is ended by it, so it asks for less than a replacement does.

use std::collections::BTreeSet;

use super::Parsed;
use super::fact::{Fact, PREPOSITIONS};
use super::is_of_somebody;
use super::term::Term;
use super::value::is_like;
use crate::grammar::{Article, Sort};

/// More words of its own tell of something else.
const OWN_MAX: usize = 3;

/// Whether `new` speaks of all that `old` speaks of, and has a value of the kind of its value.
///
/// The older sentence's words but its verb and its value all come back; what the later one has
/// besides is neither a part of the thing's name nor a place or a condition.
pub(super) fn says_another(old: &Parsed<'_>, new: &Parsed<'_>) -> bool {
    let (Some(before), Some(after)) = (old.terms(), new.terms()) else { return false };
    // Most pairs share nothing, and are not taken apart.
    let returns = |term: &Term| after.iter().any(|other| other.key == term.key);
    if !before.iter().any(|term| is_thing(term) && returns(term)) {
        return false;
    }
    let Some(fact) = Fact::of(before) else { return false };
    if is_of_somebody(before) || is_of_somebody(after) {
        return false;
    }
    if after.iter().any(|term| term.is(CONDITIONS)) || opens_with_case(after) {
        return false;
    }
    let had = keys(before);
    let of_it = keys(after);
    let fresh: Vec<(usize, &Term)> =
        after.iter().enumerate().filter(|(_, term)| is_new(term, &had)).collect();
    pairs(&fact, before, &fresh).into_iter().any(|(own, at)| {
        let rest = besides(before, &fact, own);
        let topic = rest.iter().filter(|term| is_thing(term)).count();
        topic > 0
            && rest.iter().all(|term| of_it.contains(term.key.as_str()))
            && is_one_verb(&fact, after, own)
            && is_stated(after, at, &had)
            && !is_past(&fact, after, at)
            && is_about_no_more(after, &fresh, at, own, &had)
    })
}

/// Whether a question names what the older sentence has, its verb apart, and the later one lacks.
pub(super) fn is_asked_for(asked: &Parsed<'_>, old: &Parsed<'_>, new: &Parsed<'_>) -> bool {
    let (Some(before), Some(after)) = (old.terms(), new.terms()) else { return false };
    let verb = Fact::of(before).map(|fact| fact.verb).unwrap_or_default();
    let (had, of_it) = (keys(before), keys(after));
    keys(asked.terms().unwrap_or_default())
        .into_iter()
        .any(|key| key != verb && had.contains(key) && !of_it.contains(key))
}

/// Values of one kind: a word of the older sentence, and where the later one has its other.
fn pairs<'t>(
    fact: &'t Fact,
    before: &'t [Term],
    fresh: &[(usize, &Term)],
) -> Vec<(&'t Term, usize)> {
    let subject_is_name = fact.subject.iter().all(|term| term.proper && !term.owner);
    let is_value = |(at, term): &(usize, &Term)| {
        let behind = *at > fact.verb_at;
        let plain = term.sort == Sort::Plain;
        if plain { term.proper && !term.owner && (behind || subject_is_name) } else { behind }
    };
    let values = before.iter().enumerate().filter(is_value);
    let alike = |own: &'t Term| {
        let like = move |(_, term): &&(usize, &Term)| is_like(own, term) && !term.owner;
        fresh.iter().filter(like).map(move |(at, _)| (own, *at))
    };
    values.flat_map(|(_, own)| alike(own)).collect()
}

/// What the older sentence speaks of: without its verb, its value and what belongs to a name.
fn besides<'t>(before: &'t [Term], fact: &Fact, own: &Term) -> Vec<&'t Term> {
    let at = before.iter().position(|term| std::ptr::eq(term, own)).unwrap_or_default();
    let verb = |place: usize, term: &Term| place == fact.verb_at || term.key == fact.verb;
    let inside = |place: usize| own.sort == Sort::Plain && is_of_one_name(before, at, place);
    let kept = |(place, term): &(usize, &Term)| {
        is_said(term) && *place != at && !verb(*place, term) && !inside(*place)
    };
    before.iter().enumerate().filter(kept).map(|(_, term)| term).collect()
}

/// Whether a name goes on from the one place to the other.
fn is_of_one_name(terms: &[Term], one: usize, other: usize) -> bool {
    let (low, high) = (one.min(other), one.max(other));
    let part = |term: &Term| term.proper || term.sort == Sort::Amount;
    terms.get(low..=high).is_some_and(|run| run.iter().all(part))
}

/// Whether the later sentence doesn't say by a verb of its own that it is about another event.
fn is_one_verb(fact: &Fact, after: &[Term], own: &Term) -> bool {
    let shared = after.iter().any(|term| term.key == fact.verb);
    let changed = after.iter().any(|term| term.past);
    let typed = own.sort != Sort::Plain;
    let Some(new) = Fact::of(after) else { return typed || fact.is_copula() };
    shared || new.is_copula() || ((typed || fact.is_copula()) && changed)
}

/// Whether the later sentence is about the same alone: no word in front of a shared noun, no
/// place and no condition that the older one lacks.
fn is_about_no_more(
    after: &[Term],
    fresh: &[(usize, &Term)],
    value: usize,
    former: &Term,
    had: &BTreeSet<&str>,
) -> bool {
    let is_value = |at: usize| at == value || is_of_one_name(after, value, at);
    let own = || fresh.iter().filter(|(at, term)| !is_value(*at) && !is_change(term));
    let names = |at: usize| {
        let of = after.get(at + 1).is_some_and(|next| next.is(&["of"]));
        let next = after.get(at + 1).filter(|next| next.article == Article::None && !next.broken);
        let is_shared = |next: &Term| had.contains(next.key.as_str()) && next.key != former.key;
        of || next.is_some_and(|next| is_thing(next) && is_shared(next))
    };
    let bound = |at: usize| is_bound(after, at, value);
    own().count() <= OWN_MAX && !own().any(|(at, term)| term.owner || names(*at) || bound(*at))
}

/// Whether the word at `at` stands behind a preposition, which its adjectives don't hide.
fn is_bound(after: &[Term], at: usize, value: usize) -> bool {
    let typed = after.get(at).is_some_and(|term| term.sort != Sort::Plain);
    let mut place = at;
    for _ in 0..ADJECTIVES_MAX {
        let Some(before) = place.checked_sub(1).filter(|before| *before != value) else {
            return false;
        };
        if after.get(place).is_some_and(|term| term.broken) {
            return false;
        }
        let Some(word) = after.get(before) else { return false };
        if word.is(PREPOSITIONS) && !after.get(place).is_some_and(|term| term.is(ALL)) {
            return !word.is(SINCE) || (typed && word.is(&["after"]));
        }
        place = before;
    }
    false
}

/// Whether the later sentence says of its value at `at` that it was so.
fn is_past(fact: &Fact, after: &[Term], at: usize) -> bool {
    // In another part of the sentence it says what became of the older value.
    let is_of_it = |place: usize| {
        let between = after.get(place.min(at) + 1..=place.max(at)).unwrap_or_default();
        between.iter().all(|term| !term.broken)
    };
    let was = |place: usize, term: &Term| {
        term.is(&["was", "were"]) && after.get(place + 1).is_some_and(|next| !next.past)
    };
    let did = |term: &Term| term.past && term.key == fact.verb && !fact.participle;
    let mut told = after.iter().enumerate().filter(|(place, _)| is_of_it(*place));
    told.any(|(place, term)| was(place, term) || did(term))
}

/// Whether it opens with the case that it is so in: "internally the server", "stripped, the
/// binary".
fn opens_with_case(after: &[Term]) -> bool {
    let Some((first, rest)) = after.split_first() else { return false };
    let apart = rest.first().is_some_and(|next| next.broken);
    let adverb = first.sort == Sort::Plain && first.text.ends_with("ly");
    (first.past && apart) || (adverb && rest.first().is_some_and(Term::is_content))
}

/// Whether the value at `at` is said to be so: not denied, no number of a name, and behind no
/// preposition that binds to a case.
fn is_stated(after: &[Term], at: usize, had: &BTreeSet<&str>) -> bool {
    let Some((before, rest)) = after.split_at_checked(at) else { return false };
    let Some(value) = rest.first() else { return false };
    let denied = before.iter().rev().take(5).take_while(|term| !term.broken);
    let denied = value.broken && value.is(&["not"])
        || before.last().is_some_and(|last| last.is(&["not"]))
        || (!value.broken && denied.clone().any(|term| term.is(&["not", "never"])));
    let last = before.last();
    let names = |last: &Term| last.proper && !had.contains(last.key.as_str());
    let numbers = value.sort != Sort::Plain && last.is_some_and(names);
    let opens = before.len() == 1 && last.is_some_and(|last| last.is(PREPOSITIONS));
    let bounds = last.is_some_and(|last| last.is(&["without", "before", "after"]));
    !denied && !numbers && !opens && !bounds
}

fn is_new(term: &Term, had: &BTreeSet<&str>) -> bool {
    is_said(term) && !had.contains(term.key.as_str())
}

/// Whether a word tells of a change as such: what happened.
fn is_change(term: &Term) -> bool {
    term.sort == Sort::Plain && term.past && !term.proper
}

/// Whether a word says something besides how the sentence hangs together.
fn is_said(term: &Term) -> bool {
    term.is_content() && !term.is(PREPOSITIONS)
}

fn is_thing(term: &Term) -> bool {
    term.sort == Sort::Plain && is_said(term)
}

fn keys(terms: &[Term]) -> BTreeSet<&str> {
    let said = terms.iter().filter(|term| is_said(term));
    said.map(|term| term.key.as_str()).collect()
}

/// So many words are looked over between a preposition and its noun.
const ADJECTIVES_MAX: usize = 3;

/// Prepositions behind which it stands since when, and not where or for whom.
const SINCE: &[&str] = &["since", "after", "as", "of", "by"];

/// What a condition begins with.
const CONDITIONS: &[&str] =
    &["when", "whenever", "if", "unless", "while", "whereas", "except", "otherwise"];

/// Those for whom it is so anyway.
const ALL: &[&str] = &["everybody", "everyone", "all", "us"];
