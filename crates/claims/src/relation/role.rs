use std::collections::BTreeSet;

use super::event::GENERIC;
use super::fact::{Fact, keys};
use super::predicate::is_many;
use super::term::Term;
use crate::grammar::Article;

/// Who has a part to play for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Role {
    person: BTreeSet<String>,
    /// What it is a part of, without the word for the part where another word is left.
    thing: BTreeSet<String>,
    /// The word for the part; none where a noun names it.
    part: Option<&'static str>,
}

impl Role {
    pub(super) fn of(fact: &Fact) -> Option<Role> {
        let named = |terms: &[Term]| !terms.is_empty() && terms.iter().all(|term| term.proper);
        let verb = part_of(&fact.verb);
        if named(&fact.subject) && !fact.is_event() {
            let mut rest = keys(&fact.value);
            rest.extend(keys(&fact.tail));
            if let Some(part) = verb.filter(|_| !fact.participle) {
                return Role::with(&fact.subject, rest, Some(part));
            }
            let part = rest.iter().find_map(|word| part_of(word));
            if let Some(part) = part.filter(|_| fact.is_copula() || fact.participle) {
                return Role::with(&fact.subject, rest, Some(part));
            }
        }
        if let Some(role) = Role::beside(fact) {
            return Some(role);
        }
        if !named(&fact.value) || !fact.tail.is_empty() {
            return None;
        }
        let by = fact.participle && fact.prep == "by";
        let to = matches!(fact.verb.as_str(), "belong" | "assign") && fact.prep == "to";
        let with = fact.is_copula() && fact.prep == "with";
        if let Some(part) = verb.filter(|_| by || to) {
            return Role::with(&fact.value, keys(&fact.subject), Some(part));
        }
        if with {
            return Role::with(&fact.value, keys(&fact.subject), Some("own"));
        }
        let subject = keys(&fact.subject);
        let part = subject.iter().find_map(|word| part_of(word));
        let is_role = fact.is_copula()
            && fact.prep.is_empty()
            && !fact.subject.iter().any(is_many)
            && fact.subject.first().is_some_and(|first| first.article != Article::Indefinite);
        is_role.then(|| Role::with(&fact.value, subject, part))?
    }

    /// Whatever somebody does or is, which another one may take over.
    fn doing(fact: &Fact) -> Option<Role> {
        let named = |terms: &[Term]| !terms.is_empty() && terms.iter().all(|term| term.proper);
        if fact.participle && fact.prep == "by" && named(&fact.value) && fact.tail.is_empty() {
            let thing = keys(&fact.subject);
            return Some(Role { person: keys(&fact.value), thing, part: None });
        }
        let mut thing = keys(&fact.value);
        thing.extend(keys(&fact.tail));
        let does = named(&fact.subject) && !fact.is_event() && !thing.is_empty();
        does.then(|| Role { person: keys(&fact.subject), thing, part: None })
    }

    /// "Ana reports to Mia", "Omar is on call", "billing is Lina's".
    fn beside(fact: &Fact) -> Option<Role> {
        let named = |terms: &[Term]| !terms.is_empty() && terms.iter().all(|term| term.proper);
        if fact.verb == "report" && fact.prep == "to" && named(&fact.value) {
            return Role::with(&fact.value, keys(&fact.subject), Some("manag"));
        }
        let call = fact.value.iter().any(|term| term.is(&["call", "duty"]));
        if fact.is_copula() && fact.prep == "on" && call && named(&fact.subject) {
            return Role::with(&fact.subject, keys(&fact.value), Some("own"));
        }
        if let [one, part] = fact.value.as_slice()
            && one.owner
            && one.proper
            && part.is(&["job", "responsibility", "task", "business"])
        {
            let person = std::slice::from_ref(one);
            return Role::with(person, keys(&fact.subject), Some("own"));
        }
        let whose = matches!(fact.value.as_slice(), [one] if one.owner && one.proper);
        let bare = fact.is_copula() && fact.prep.is_empty() && fact.tail.is_empty();
        (whose && bare).then(|| Role::with(&fact.value, keys(&fact.subject), Some("own")))?
    }

    fn with(person: &[Term], thing: BTreeSet<String>, part: Option<&'static str>) -> Option<Role> {
        let rest: BTreeSet<String> =
            thing.iter().filter(|word| part_of(word).is_none()).cloned().collect();
        let thing = if rest.is_empty() { thing } else { rest };
        (!thing.is_empty()).then(|| Role { person: keys(person), thing, part })
    }

    /// Whether it goes from one person to another.
    pub(super) fn goes(
        &self,
        from: &BTreeSet<String>,
        to: &BTreeSet<String>,
        thing: &BTreeSet<String>,
    ) -> bool {
        *from == self.person && self.person.is_disjoint(to) && self.is_for(thing)
    }

    /// Whether it is a part for `thing`, the words for parts and kinds of things aside.
    fn is_for(&self, thing: &BTreeSet<String>) -> bool {
        let rest: BTreeSet<String> =
            thing.iter().filter(|word| part_of(word).is_none()).cloned().collect();
        let thing = if rest.is_empty() { thing } else { &rest };
        is_one_thing(&self.thing, thing)
    }
}

/// Whether two sets of words name one thing: "billing" and "the billing service".
pub(super) fn is_one_thing(own: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let general = |word: &&String| GENERIC.contains(&word.as_str());
    let apart = |one: &BTreeSet<String>, two: &BTreeSet<String>| -> (bool, bool) {
        let rest = || one.iter().filter(|word| !two.contains(*word));
        (rest().any(|word| !general(&word)), rest().next().is_some())
    };
    let (strange, more) = apart(own, other);
    let (strange_too, more_too) = apart(other, own);
    let shared = own.iter().any(|word| other.contains(word) && !general(&word));
    let equal = own == other && !own.is_empty();
    let differs = strange || strange_too || (more && more_too);
    equal || (shared && !differs)
}

/// Whether `new` gives a part that one person has to another one.
pub(super) fn replaces(old: &[Term], new: &[Term], declared: bool) -> bool {
    let Some(known) = Fact::of(old) else { return false };
    let passed = |role: &Role| handed(role, new) || taken(role, new);
    if Role::of(&known).iter().chain(&Role::doing(&known)).any(passed) {
        return true;
    }
    let Some(fact) = Fact::of(new) else { return false };
    if declared && does_instead(&known, &fact) {
        return true;
    }
    let Some(role) = Role::of(&known) else { return false };
    let Some(other) = Role::of(&fact) else { return false };
    let one_part = role.part == other.part || declared;
    let people =
        role.person.is_disjoint(&other.person) && !new.iter().any(|term| term.is(&["and"]));
    let mut thing = other.thing.clone();
    let renewed = thing.remove("new") && !role.thing.contains("new");
    people && (one_part || renewed) && role.is_for(&thing)
}

/// "Lou makes the rota now", "the rota is Lou's job now".
fn does_instead(old: &Fact, new: &Fact) -> bool {
    let Some(role) = Role::doing(old).filter(|_| DOING.contains(&old.verb.as_str())) else {
        return false;
    };
    let other = if old.verb == new.verb { Role::doing(new) } else { Role::of(new) };
    let charged = |other: &Role| old.verb == new.verb || other.part == Some("own");
    other.is_some_and(|other| {
        charged(&other) && role.person.is_disjoint(&other.person) && role.is_for(&other.thing)
    })
}

/// "A handed T over to B", "T was passed on to B".
fn handed(role: &Role, new: &[Term]) -> bool {
    let Some(at) = new.iter().position(|term| term.past && term.is(HANDED)) else { return false };
    let before = new.get(..at).unwrap_or_default();
    let after = new.get(at + 1..).unwrap_or_default();
    let passive = before.last().is_some_and(Term::is_be);
    let Some(to) = after.iter().rposition(|term| term.is(&["to"])) else { return false };
    let (object, target) = after.split_at_checked(to).unwrap_or_default();
    if passive {
        let thing = keys(before);
        return role.is_for(&thing) && role.person.is_disjoint(&keys(target));
    }
    let giver = keys(before);
    let object: Vec<Term> = object.iter().filter(|term| !term.is(PARTICLES)).cloned().collect();
    giver.is_superset(&role.person)
        && role.person.is_disjoint(&keys(target))
        && (role.is_for(&keys(&object)) || role.is_for(&without_verb(&object, &keys(&object))))
}

/// "B took over T from A", "B succeeded A as R".
fn taken(role: &Role, new: &[Term]) -> bool {
    let took = |at: &usize| {
        let Some(term) = new.get(*at) else { return false };
        let behind = new.get(at + 1..).unwrap_or_default();
        let over = behind.iter().any(|next| next.is(&["over"]))
            || behind.first().is_some_and(|next| next.is(&["on"]));
        (term.key == "tak" && term.past && over) || term.is(&["succeeded", "inherited", "assumed"])
    };
    let Some(at) = (0..new.len()).find(took) else { return false };
    let taker = new.get(..at).unwrap_or_default();
    // "The committee was taken over by Ines."
    if taker.last().is_some_and(Term::is_be) {
        let by = new.get(at + 1..).unwrap_or_default();
        let person = by.iter().position(|term| term.is(&["by"])).and_then(|at| by.get(at + 1..));
        let other = person.is_some_and(|person| role.person.is_disjoint(&keys(person)));
        let mut thing = keys(taker);
        thing.retain(|word| !role.person.contains(word));
        return other && role.is_for(&thing);
    }
    let after: Vec<Term> = new
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .filter(|term| !term.is(PARTICLES))
        .cloned()
        .collect();
    let mut thing = keys(&after);
    let giver: BTreeSet<String> = thing.intersection(&role.person).cloned().collect();
    let from = after.iter().position(|term| term.is(&["from", "succeeded"]));
    let named = from.is_some() || new.get(at).is_some_and(|term| term.is(&["succeeded"]));
    if (named && giver != role.person) || !role.person.is_disjoint(&keys(taker)) {
        return false;
    }
    thing.retain(|word| !role.person.contains(word));
    let own_part = |word: &String| {
        role.thing.contains(word) || (role.part.is_some() && part_of(word) == role.part)
    };
    let as_part = named && !thing.is_empty() && thing.iter().all(own_part);
    as_part || role.is_for(&thing) || role.is_for(&without_verb(&after, &thing))
}

/// "writing the notes" is the notes.
fn without_verb(terms: &[Term], thing: &BTreeSet<String>) -> BTreeSet<String> {
    let mut thing = thing.clone();
    if let Some(verb) = terms.iter().find(|term| term.text.ends_with("ing")) {
        thing.remove(&verb.key);
    }
    thing
}

/// Whether another subject of the same verb and object ends the first: one leads, owns, runs.
pub(super) fn is_exclusive(fact: &Fact) -> bool {
    let definite = fact.value.first().is_some_and(|first| first.article == Article::Definite);
    let charge = fact.value.iter().any(|term| term.is(&["charge", "responsible"]));
    let leads = EXCLUSIVE.contains(&fact.verb.as_str()) && !fact.participle && !fact.is_event();
    leads || (fact.is_copula() && (charge || (definite && fact.prep.is_empty())))
}

/// The part that a word names, by its stem.
pub(super) fn part_of(word: &str) -> Option<&'static str> {
    let row = PARTS.iter().find(|row| row.contains(&word));
    row.and_then(|row| row.first()).copied()
}

/// Words of parts that one has at a time, by their stems; those in a row are one part.
const PARTS: &[&[&str]] = &[
    &["own", "belong", "responsibl", "charg", "rol", "job", "account"],
    &["lead", "head", "chair", "run"],
    &["maintain", "maintenanc"],
    &["manag"],
    &["coordinat"],
    &["driv"],
    &["approv"],
    &["assign"],
    &["handl"],
    &["teach"],
    &["coach"],
];

/// Verbs, by their stems, of work that one does at a time.
#[rustfmt::skip]
const DOING: &[&str] = &[
    "mak", "look", "car", "handl", "writ", "organis", "organiz", "water", "clean", "cook", "edit",
    "run", "lead", "maintain", "manag", "check", "prepar", "publish", "updat", "moderat", "plan",
    "pick", "walk", "feed", "collect", "mow", "iron", "wash", "mentor", "train", "translat",
    "answer", "tend", "record", "driv", "review", "sign", "approv", "coordinat", "chair", "own", "teach", "coach", "host",
];

const EXCLUSIVE: &[&str] =
    &["own", "lead", "maintain", "run", "manag", "head", "chair", "coordinat"];

const HANDED: &[&str] = &[
    "handed",
    "passed",
    "given",
    "gave",
    "transferred",
    "reassigned",
    "delegated",
    "entrusted",
    "ceded",
    "yielded",
    "turned",
    "signed",
    "relinquished",
    "assigned",
    "left",
];

const PARTICLES: &[&str] = &["over", "on", "off", "along", "has", "have", "up"];
