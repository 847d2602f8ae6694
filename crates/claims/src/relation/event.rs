use std::collections::BTreeSet;

use super::cue::{Class, class_of};
use super::fact::{Fact, PREPOSITIONS, keys};
use super::role::{Role, part_of};
use super::term::Term;
use super::value::{core, is_like, one_head};
use crate::grammar::{Article, Noun, Sort};

/// A change that a sentence tells: of what, from what, to what.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Event {
    class: Option<Class>,
    /// What changed, and all that is said besides: it has to be known.
    topic: Vec<Term>,
    /// Who changed it.
    agent: Vec<Term>,
    from: Vec<Term>,
    to: Vec<Term>,
    /// Whether its verb is of times as well as of amounts: "put off", "brought forward".
    loose: bool,
    /// Whether it is a move to another of its kind, and not to another place.
    ports: bool,
    /// Whether one thing took the whole place of another.
    of_all: bool,
}

/// Whether `new` tells a change of what `old` states.
pub(super) fn replaces(old: &[Term], new: &[Term]) -> bool {
    let Some(fact) = Fact::of(old) else { return false };
    let found = [changed(new), received(new), substituted(new), swapped(new), instead(old, new)];
    found.into_iter().flatten().any(|event| event.ends(old, &fact, new))
}

impl Event {
    fn ends(&self, old: &[Term], fact: &Fact, new: &[Term]) -> bool {
        let (known, said) = (keys(old), keys(new));
        let topic = special(&self.topic);
        let subject = special(&fact.subject);
        let whole = topic.iter().all(|word| known.contains(word)) && self.is_whole(fact);
        let exact = topic.iter().all(|word| known.contains(word)) && self.is_exact(fact);
        if self.renames(fact) || whole || exact || self.relieves(fact, &said) {
            return true;
        }
        let typed = self.to.iter().any(|term| term.sort != Sort::Plain);
        let due =
            old.iter().any(|term| term.is(&["due", "valid"])) || ENDS.contains(&fact.verb.as_str());
        let property = |word: &String| {
            typed
                && (PROPERTIES.contains(&word.as_str()) || (due && LIMITS.contains(&word.as_str())))
        };
        let known_part =
            |word: &String| known.contains(word) || part_of(word).is_some() || property(word);
        let covered = self.is_ours(old) && topic.iter().all(known_part) && subject.is_subset(&said);
        if !covered || (topic.is_empty() && subject.is_empty() && !self.is_by_the_same(fact)) {
            return false;
        }
        if !subject.is_empty() && !self.is_about(&subject, fact) {
            return false;
        }
        let (from, to) = (keys(&self.from), keys(&self.to));
        if !from.is_empty() {
            if Role::of(fact).is_some_and(|role| role.goes(&from, &to, &keys(&self.topic))) {
                return true;
            }
            let behind = keys(&fact.value).union(&keys(&fact.tail)).cloned().collect();
            let left = from.is_subset(&behind) && from != to;
            return left && !self.is_elsewhere(fact, &said);
        }
        !to.is_empty()
            && !to.is_subset(&known)
            && self.reaches(fact, &known)
            && !self.is_elsewhere(fact, &said)
    }

    /// Whether it gives another name to what has the older one.
    fn renames(&self, fact: &Fact) -> bool {
        let called = fact.verb == "call" || fact.subject.iter().any(|term| term.is(&["name"]));
        let value = keys(&fact.value);
        let mut subject = keys(&fact.subject);
        subject.remove("call");
        let topic = keys(&self.topic);
        let both: BTreeSet<String> = subject.union(&value).cloned().collect();
        let head = fact.subject.last().map(|term| term.text.as_str()).unwrap_or_default();
        let plain = fact.is_copula() && fact.prep.is_empty();
        let named = called || (plain && Noun::of(head).is_some());
        let is_name = fact.value.iter().all(|term| !term.past);
        let other = named && is_name && topic == subject && keys(&self.to) != value;
        self.class == Some(Class::Renames)
            && fact.tail.is_empty()
            && !self.to.is_empty()
            && ((called && topic == value)
                || other
                || (is_definite(fact) && plain && topic == both))
    }

    /// Whether all of the older value gave way, and nothing is said of where.
    fn is_whole(&self, fact: &Fact) -> bool {
        let definite = fact
            .subject
            .first()
            .is_some_and(|first| first.article == Article::Definite || first.is(&["our"]));
        self.of_all
            && fact.is_copula()
            && fact.prep.is_empty()
            && fact.tail.is_empty()
            && definite
            && keys(&fact.value) == keys(&self.from)
            || self.is_all_of_ours(fact)
    }

    /// Whether what "we" do with a named thing is done with another one throughout.
    fn is_all_of_ours(&self, fact: &Fact) -> bool {
        self.of_all
            && fact.subject.iter().all(|term| term.is(&["we"]))
            && SWITCHED.contains(&fact.verb.as_str())
            && fact.tail.is_empty()
            && keys(&self.topic).is_empty()
            && self.from.iter().all(|term| term.proper)
            && !self.from.is_empty()
            && keys(&fact.value) == keys(&self.from)
    }

    /// Whether it names the whole older value of "our" or "my" thing: "we switched from the
    /// Golf to a Leaf" where the car is a Golf.
    fn is_exact(&self, fact: &Fact) -> bool {
        let ours = fact.subject.first().is_some_and(|first| {
            first.is(&["our"]) || first.first_person || first.article == Article::Definite
        });
        let by = |terms: &[Term]| terms.iter().any(|term| term.is(&["we"]) || term.first_person);
        self.from.iter().any(|term| term.proper)
            && !self.to.is_empty()
            && fact.is_copula()
            && fact.prep.is_empty()
            && fact.tail.is_empty()
            && ours
            && (by(&self.topic) || by(&self.agent))
            && keys(&self.from) == keys(&fact.value)
    }

    /// Whether somebody does what somebody else did: "Kim reviews it instead of Bob".
    fn relieves(&self, fact: &Fact, said: &BTreeSet<String>) -> bool {
        let named = |terms: &[Term]| !terms.is_empty() && terms.iter().all(|term| term.proper);
        let mut rest = keys(&self.topic);
        rest.remove(&fact.verb);
        let mut value = keys(&fact.value);
        value.extend(keys(&fact.tail));
        self.class.is_none()
            && named(&self.from)
            && named(&self.to)
            && keys(&self.from) == keys(&fact.subject)
            && !value.is_empty()
            && said.contains(&fact.verb)
            && rest == value
    }

    /// Whether the one who changed to something else is the subject: "I switched to tea".
    fn is_by_the_same(&self, fact: &Fact) -> bool {
        let we = |terms: &[Term]| terms.iter().any(|term| term.is(&["we"]));
        // "We upgraded to Django 5" speaks of the one Django.
        let known = |term: &Term| fact.value.iter().any(|own| own.key == term.key);
        let typed = self.to.iter().any(|term| term.sort != Sort::Plain);
        let one_head = self.to.last().is_some_and(|last| last.sort == Sort::Plain && known(last));
        let one_name = one_head || (typed && self.to.iter().any(|term| term.proper && known(term)));
        (!self.from.is_empty() || one_name)
            && we(&fact.subject)
            && (we(&self.agent) || we(&self.topic))
    }

    /// Whether the subject of the older sentence is what changed, and not who changed it.
    fn is_about(&self, subject: &BTreeSet<String>, fact: &Fact) -> bool {
        let mut about = keys(&self.topic);
        about.extend(keys(&self.to));
        about.extend(keys(&self.from));
        let person = fact.subject.iter().all(|term| term.proper);
        subject.is_subset(&about) || (person && subject.is_subset(&keys(&self.agent)))
    }

    /// Whether no "her" or "his" makes it a matter of somebody else.
    fn is_ours(&self, old: &[Term]) -> bool {
        let whose = self.topic.iter().any(|term| term.is(&["her", "his", "their", "its"]));
        let known = keys(old);
        let named = self.agent.iter().any(|term| term.proper && !known.contains(&term.key));
        !(whose && named)
    }

    /// Whether the older sentence is of a place or a case that the new one doesn't name.
    fn is_elsewhere(&self, fact: &Fact, said: &BTreeSet<String>) -> bool {
        let placed = fact.tail.first().is_some_and(|first| first.is(&["in", "on", "at", "for"]));
        let strict =
            self.from.is_empty() || !fact.tail.first().is_some_and(|term| term.is(&["for"]));
        let value = keys(&self.from);
        let strange = |term: &&Term| {
            term.is_content() && !said.contains(&term.key) && !value.contains(&term.key)
        };
        let named = |term: &&Term| term.sort == Sort::Plain;
        placed && strict && fact.tail.iter().filter(named).any(|term| strange(&term))
    }

    /// Whether what it came to takes the place of the older value.
    fn reaches(&self, fact: &Fact, known: &BTreeSet<String>) -> bool {
        let to = core(&self.to);
        let value: Vec<&Term> = core(&fact.value).into_iter().chain(core(&fact.tail)).collect();
        let typed = |term: &&&Term| term.sort != Sort::Plain;
        if let Some(amount) = to.iter().find(typed) {
            let place = value.iter().find(|term| typed(term) && is_like(term, amount));
            let fits = place.is_some_and(|term| term.key != amount.key);
            let timed = amount.sort != Sort::Amount;
            let plain = to.iter().filter(|term| term.sort == Sort::Plain);
            let named = plain.clone().all(|term| known.contains(&term.key) || is_measure(term));
            let class = match self.class {
                Some(Class::Scales) => !timed || self.loose,
                Some(Class::Shifts) => {
                    timed || amount.key.ends_with(" ms") || !amount.key.contains(' ')
                }
                Some(Class::Renames) => false,
                Some(Class::Moves | Class::Switches) | None => true,
            };
            return fits && named && class;
        }
        let stated = core(&fact.value);
        if stated.iter().any(|term| typed(&term)) && !value.iter().any(|term| term.proper) {
            return false;
        }
        match self.class {
            Some(Class::Renames) => {
                fact.verb == "call" || fact.subject.iter().any(|term| term.is(&["name"]))
            }
            Some(Class::Moves) => is_placed(fact) || (self.ports && is_switched(fact, &to)),
            Some(Class::Switches) | None => is_switched(fact, &to),
            Some(Class::Scales | Class::Shifts) => false,
        }
    }
}

/// Whether it is about the one thing of its kind.
fn is_definite(fact: &Fact) -> bool {
    let first = fact.subject.first();
    first.is_some_and(|first| {
        first.article == Article::Definite || first.is(&["our"]) || first.owner
    })
}

/// Whether it is a bare plural: what kind of thing was changed.
fn is_kind(term: &Term) -> bool {
    let bare = term.article == Article::None && !term.owner && !term.proper;
    bare && term.text.ends_with('s') && !term.text.ends_with("ss")
}

/// Words of measures that may be said or left out.
fn is_measure(term: &Term) -> bool {
    term.is(&["degrees", "people", "points", "end", "year", "version", "port", "room", "minute"])
}

/// What words are about, without the words for kinds of things where others are left.
fn special(terms: &[Term]) -> BTreeSet<String> {
    let all = keys(terms);
    let rest: BTreeSet<String> =
        all.iter().filter(|word| !GENERIC.contains(&word.as_str())).cloned().collect();
    if rest.is_empty() { all } else { rest }
}

/// Whether the older sentence says where something is or runs.
fn is_placed(fact: &Fact) -> bool {
    let place = ["in", "on", "at", "with", "next", "to", "by", "under"]
        .contains(&fact.prep.as_str())
        || (fact.participle && fact.prep == "from");
    (place && PLACED.contains(&fact.verb.as_str())) || matches!(fact.verb.as_str(), "us" | "choos")
}

/// Whether the older value is of a kind that one switches to another of.
fn is_switched(fact: &Fact, to: &[&Term]) -> bool {
    let named = |terms: &[&Term]| terms.iter().any(|term| term.proper);
    let value = core(&fact.value);
    let tail = core(&fact.tail);
    let one_kind = named(to) == named(&value) || (named(to) && named(&tail));
    let set = fact.is_copula() || fact.participle || SWITCHED.contains(&fact.verb.as_str());
    if one_head(&fact.value, &to.iter().map(|term| (*term).clone()).collect::<Vec<Term>>()) {
        return true;
    }
    let from_whom = named(to) && named(&value) && !fact.prep.is_empty() && !fact.participle;
    let set = set || from_whom;
    // "The heating runs on oil", "Ada commutes by car".
    let by = ["on", "by", "with"].contains(&fact.prep.as_str());
    if by && one_kind && SWITCHED.contains(&fact.verb.as_str()) && value.len() == 1 && to.len() == 1
    {
        return true;
    }
    (one_kind || (fact.participle && value.len() == 1))
        && set
        && (named(to) || (fact.prep.is_empty() && value.len() < 3) || fact.participle)
}

/// "We moved A from B to C", "A was raised to C", "A slipped to C".
fn changed(terms: &[Term]) -> Option<Event> {
    let at = terms.iter().position(|term| tells(terms, term))?;
    let cue = terms.get(at)?;
    let before = terms.get(..at)?;
    let passive = before
        .iter()
        .rev()
        .find(|term| !term.is(ADVERBS))
        .is_some_and(|term| term.is_be() || term.is(&["got", "gets", "get"]));
    let mut start = at + 1;
    while terms.get(start).is_some_and(|term| term.is(PARTICLES)) {
        start += 1;
    }
    let rest = terms.get(start..)?;
    // "Rescheduled for Friday".
    let dated = class_of(&cue.key) == Some(Class::Shifts);
    let end = rest.iter().position(|term| {
        term.is(TARGETS) || term.is(SOURCES) || term.is(&["by", "in", "on", "for", "as"])
    });
    let (object, phrases) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    let object: Vec<Term> =
        object.iter().filter(|term| !term.is(PARTICLES) && !is_time(term)).cloned().collect();
    // "slipped two weeks to 10 March".
    let object: Vec<Term> = match object.as_slice() {
        [one] if one.sort != Sort::Plain => Vec::new(),
        // "Leo changed schools from one to another."
        [one] if is_kind(one) && class_of(&cue.key) == Some(Class::Switches) && !passive => {
            Vec::new()
        }
        _ => object,
    };
    let subject: Vec<Term> = subject_of(before);
    let ports = matches!(cue.key.as_str(), "migrat" | "port" | "shift");
    let loose = matches!(cue.key.as_str(), "put" | "com" | "cut" | "drop" | "go");
    let mut event = Event { class: class_of(&cue.key), ports, loose, ..Event::default() };
    if passive && event.class == Some(Class::Renames) && !core(&object).is_empty() {
        (event.topic, event.to) = (subject, object);
        return Some(event);
    }
    if event.class == Some(Class::Renames)
        && let Some((thing, name)) = named_last(&object)
    {
        let own = thing.iter().all(|term| term.is(&["itself", "himself", "herself", "themselves"]));
        let (topic, agent) = if own { (subject, Vec::new()) } else { (thing, subject) };
        (event.topic, event.to, event.agent) = (topic, name, agent);
        return Some(event);
    }
    if passive || core(&object).is_empty() {
        event.topic = subject;
    } else {
        (event.topic, event.agent) = (object, subject);
    }
    let written = matches!(cue.key.as_str(), "rewrit" | "rebuild");
    let to = |term: &Term| {
        if written && term.is(&["in", "with", "on"]) || dated && term.is(&["for"]) {
            Term::to()
        } else {
            term.clone()
        }
    };
    event.take(&phrases.iter().map(to).collect::<Vec<Term>>());
    (!event.to.is_empty() || !event.from.is_empty()).then_some(event)
}

/// "The router got a firmware upgrade to 1.5".
fn received(terms: &[Term]) -> Option<Event> {
    let at = terms.iter().position(|term| term.is(GIVEN))?;
    let noun = terms.get(at..)?.iter().position(|term| term.is(CHANGES))? + at;
    let cue = terms.get(noun)?;
    let (before, what) = (terms.get(..at)?, terms.get(at + 1..noun)?);
    let denied = before.iter().chain(what).any(|term| term.is(&["not", "no", "never"]));
    let mut event = Event { class: class_of(&cue.key), ..Event::default() };
    event.topic = subject_of(before).iter().chain(what).cloned().collect();
    event.take(terms.get(noun + 1..)?);
    (!denied && !event.to.is_empty()).then_some(event)
}

/// Verbs of having come to something.
const GIVEN: &[&str] = &["got", "received", "has", "had", "saw", "made"];

/// Nouns of a change that a thing gets.
const CHANGES: &[&str] = &[
    "upgrade",
    "update",
    "increase",
    "raise",
    "cut",
    "reduction",
    "extension",
    "boost",
    "bump",
    "decrease",
    "rise",
    "change",
    "switch",
    "move",
];

/// "The cat Luna" is the cat, and its name.
fn named_last(object: &[Term]) -> Option<(Vec<Term>, Vec<Term>)> {
    let start = object.iter().rposition(|term| !term.proper)? + 1;
    let (thing, name) = object.split_at_checked(start)?;
    (!name.is_empty() && start > 0).then(|| (thing.to_vec(), name.to_vec()))
}

/// "We set it to 5", "it was set to 5": what is set to 5 may have been so for long.
fn is_set(before: &[Term]) -> bool {
    !before.iter().any(|term| term.is(&["is", "are"]))
}

/// Whether the word is a verb that says that something changed, and it did.
fn tells(terms: &[Term], term: &Term) -> bool {
    // "The migration from A to B is done."
    let complete = terms.iter().any(|term| term.is(&["done", "complete", "completed", "finished"]));
    if complete && term.is(NOUNS) {
        return true;
    }
    if term.sort != Sort::Plain || class_of(&term.key).is_none() || term.owner {
        return false;
    }
    let at = terms.iter().position(|other| std::ptr::eq(other, term)).unwrap_or(0);
    let before = terms.get(..at).unwrap_or_default();
    let meant = before.windows(3).any(|three| {
        matches!(three, [first, to, be]
            if to.is(&["to"]) && be.is(&["be", "get"]) && !first.is(&["had", "has"]))
    });
    let indefinite =
        meant || before.first().is_some_and(|first| first.article == Article::Indefinite);
    let denied = indefinite || before.iter().any(|term| term.is(&["not", "never", "no"]));
    let finished = before.last().is_some_and(|last| last.is(&["finished", "completed", "done"]));
    let been = before.iter().any(|term| {
        term.is_be() || term.is(&["has", "have", "had", "got", "we", "i", "they"]) || term.proper
    });
    // "We had to push it to Friday".
    let forced = before
        .windows(2)
        .any(|pair| matches!(pair, [had, to] if had.is(&["had", "managed"]) && to.is(&["to"])))
        && before.last().is_some_and(|last| last.is(&["to"]));
    let undated = term.is(&["cut", "put", "set", "reset"])
        && been
        && at > 0
        && (!term.is(&["set"]) || is_set(before));
    !denied
        && at > 0
        && (term.past || term.is(&["slips", "brought"]) || finished || forced || undated)
}

/// What stands in front of a verb, without its auxiliaries, and without an opening circumstance.
fn subject_of(before: &[Term]) -> Vec<Term> {
    let is_word = |term: &&Term| {
        !term.is_be()
            && !term.is(&["has", "have", "had", "got", "finished", "completed", "managed", "to"])
            && !term.is(ADVERBS)
            && !is_time(term)
    };
    let timed = |at: usize| {
        let moment = |term: &Term| !matches!(term.sort, Sort::Plain | Sort::Amount);
        let prep = |term: &Term| term.is(&["on", "in", "at", "since", "by"]);
        let here = before.get(at).is_some_and(moment);
        here && at == 1 && before.first().is_some_and(prep)
    };
    let words = before.iter().enumerate().filter(|(at, term)| is_word(term) && !timed(*at));
    words.map(|(_, term)| term.clone()).collect()
}

impl Event {
    /// Takes in phrases with a preposition each.
    fn take(&mut self, mut phrases: &[Term]) {
        while let [prep, rest @ ..] = phrases {
            let end =
                rest.iter().position(|term| term.is(PREPOSITIONS) || term.is(&["off", "out"]));
            let (phrase, next) =
                rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or_default();
            let words: Vec<Term> = phrase.iter().filter(|term| !is_aside(term)).cloned().collect();
            let timed = words.iter().all(|term| is_time(term) || term.sort != Sort::Plain);
            let unmeant = core(&self.to).is_empty() && !self.to.is_empty();
            if prep.is(TARGETS) && (self.to.is_empty() || unmeant) {
                self.to = words;
            } else if prep.is(SOURCES) && self.from.is_empty() {
                self.from = words;
            } else if prep.is(&["of"]) && !self.to.is_empty() {
                self.to.extend(words);
            } else if !(prep.is(&["in", "on", "at", "by", "over", "since"]) && timed) {
                self.topic.extend(words);
            }
            phrases = next;
        }
    }
}

/// "A was replaced by B", "we replaced A with B", "B replaces A".
fn substituted(terms: &[Term]) -> Option<Event> {
    let at = terms.iter().position(|term| term.key == "replac" || term.key == "supersed")?;
    let (before, after) = (terms.get(..at)?, terms.get(at + 1..)?);
    if before.is_empty() || before.iter().any(|term| term.is(&["not", "never", "no"])) {
        return None;
    }
    let passive = before.last().is_some_and(Term::is_be);
    let is_end = |term: &Term| term.is(PREPOSITIONS) && !term.is(&["of"]);
    let end = after.iter().position(is_end).unwrap_or(after.len());
    let (object, phrases) = after.split_at_checked(end)?;
    let mut event = Event { from: object.to_vec(), of_all: true, ..Event::default() };
    event.agent = subject_of(before);
    if passive {
        let subject = subject_of(before);
        let end = subject.iter().position(is_end).unwrap_or(subject.len());
        let (head, rest) = subject.split_at_checked(end)?;
        (event.from, event.topic, event.agent) = (head.to_vec(), rest.to_vec(), Vec::new());
    }
    let (target, rest) = match phrases {
        [prep, rest @ ..] if prep.is(&["by", "with"]) => {
            let end = rest.iter().position(is_end).unwrap_or(rest.len());
            rest.split_at_checked(end)?
        }
        phrases => (&[][..], phrases),
    };
    event.to = if target.is_empty() { event.agent.clone() } else { target.to_vec() };
    for term in rest {
        if !term.is(PREPOSITIONS) && !is_time(term) && term.sort == Sort::Plain {
            event.topic.push(term.clone());
        }
    }
    Some(event)
}

/// "We swapped A for B", "B took the place of A".
fn swapped(terms: &[Term]) -> Option<Event> {
    if let Some(at) = terms.iter().position(|term| term.is(&["swapped", "exchanged", "traded"])) {
        let (before, after) = (terms.get(..at)?, terms.get(at + 1..)?);
        let end = after.iter().position(|term| term.is(&["for"]))?;
        let (from, to) = (after.get(..end)?.to_vec(), after.get(end + 1..)?.to_vec());
        let of_all = true;
        return Some(Event { agent: subject_of(before), from, to, of_all, ..Event::default() });
    }
    if let Some(event) = favoured(terms) {
        return Some(event);
    }
    let place = terms
        .windows(2)
        .position(|pair| matches!(pair, [place, of] if place.is(&["place"]) && of.is(&["of"])))?;
    let took = terms.get(..place)?.iter().position(|term| term.key == "tak")?;
    let (to, after) = (terms.get(..took)?.to_vec(), terms.get(place + 2..)?);
    let end = after.iter().position(|term| term.is(PREPOSITIONS)).unwrap_or(after.len());
    let (from, topic) = after.split_at_checked(end)?;
    let (from, topic) = (from.to_vec(), topic.to_vec());
    Some(Event { to, from, topic, of_all: true, ..Event::default() })
}

/// "We dropped A in favour of B", "A was dropped in favour of B".
fn favoured(terms: &[Term]) -> Option<Event> {
    let favour = terms.windows(3).position(|three| {
        matches!(three, [a, b, c]
            if a.is(&["in"]) && b.is(&["favour", "favor"]) && c.is(&["of"]))
    })?;
    let (told, to) = (terms.get(..favour)?, terms.get(favour + 3..)?);
    let dropped = told.iter().position(|term| term.past && term.is(DROPPED))?;
    let (before, after) = (told.get(..dropped)?, told.get(dropped + 1..)?);
    let denied = before.iter().any(|term| term.is(&["not", "never", "almost"]));
    let passive = before.last().is_some_and(Term::is_be);
    let subject = subject_of(before);
    let (from, agent) = if passive { (subject, Vec::new()) } else { (after.to_vec(), subject) };
    let (to, of_all) = (to.to_vec(), true);
    (!denied).then(|| Event { from, to, agent, of_all, ..Event::default() })
}

/// Participles of what gave way.
const DROPPED: &[&str] =
    &["dropped", "abandoned", "ditched", "retired", "scrapped", "discontinued", "deprecated"];

/// "B instead of A", "not A but B", "B, not A".
fn instead(old: &[Term], terms: &[Term]) -> Option<Event> {
    let pair = |one: &str, two: &str| {
        terms.windows(2).position(|pair| matches!(pair, [a, b] if a.text == one && b.text == two))
    };
    let long = pair("instead", "of").or_else(|| pair("rather", "than"));
    let place = terms.windows(3).position(
        |three| matches!(three, [a, b, c] if a.is(&["in"]) && b.is(&["place"]) && c.is(&["of"])),
    );
    if let Some(at) = place {
        return given_up(old, terms, at, at + 3, true);
    }
    let short = terms.iter().position(|term| term.is(&["not"]));
    let (start, from_at) = match (long, short) {
        (Some(at), _) => (at, at + 2),
        (None, Some(at)) => (at, at + 1),
        (None, None) => return None,
    };
    given_up(old, terms, start, from_at, long.is_some())
}

/// What is new in a sentence that names what it stands instead of from `from_at` on.
fn given_up(
    old: &[Term],
    terms: &[Term],
    start: usize,
    from_at: usize,
    is_long: bool,
) -> Option<Event> {
    let rest = terms.get(from_at..)?;
    let but = rest.iter().position(|term| term.is(&["but"]));
    if !is_long && but.is_none() && !terms.get(start)?.broken {
        return None;
    }
    let begins =
        |term: &Term| term.is(&["we", "they"]) || (start == 0 && term.article == Article::Definite);
    let ends =
        |(at, term): (usize, &Term)| at > 0 && (term.broken || term.is(&["but"]) || begins(term));
    let end = rest.iter().enumerate().position(ends).unwrap_or(rest.len());
    let (from, behind) = rest.split_at_checked(end)?;
    let known = keys(old);
    let other: Vec<Term> = terms.get(..start)?.iter().chain(behind).cloned().collect();
    let is_new = |term: &Term| term.is_content() && !known.contains(&term.key) && !is_time(term);
    let first = other.iter().position(is_new)?;
    let last = other.iter().rposition(is_new)?;
    let to: Vec<Term> = other.get(first..=last)?.to_vec();
    // All that is new is one phrase: the value.
    let one = to.iter().filter(|term| term.is_content()).all(is_new) || to.len() < 4;
    let topic: Vec<Term> =
        other.get(..first)?.iter().chain(other.get(last + 1..)?).cloned().collect();
    let preps = to.iter().skip(1).any(|term| term.is(PREPOSITIONS));
    (one && !preps).then(|| Event { topic, from: from.to_vec(), to, ..Event::default() })
}

/// Words of a time that is over, and of how it went.
fn is_time(term: &Term) -> bool {
    term.is(TIMES) || term.sort == Sort::Relative
}

fn is_aside(term: &Term) -> bool {
    term.is(TIMES) || term.sort == Sort::Relative
}

/// Words that say what kind of thing something is, which a name can do without.
pub(super) const GENERIC: &[&str] = &[
    "servic",
    "team",
    "rol",
    "project",
    "system",
    "app",
    "component",
    "modul",
    "server",
    "databas",
    "account",
    "thing",
    "tool",
];

/// Properties, by their stems, that the older sentence may imply by its value.
const PROPERTIES: &[&str] =
    &["dat", "tim", "day", "slot", "begin", "version", "number", "pric", "hour", "firmwar"];

/// Words, by their stems, for the time by which something is due or over.
const LIMITS: &[&str] = &["deadlin", "end", "expir", "clos", "due"];

/// Verbs, by their stems, of what has such a time.
const ENDS: &[&str] = &["end", "clos", "expir", "last", "run"];

/// Nouns of changes.
const NOUNS: &[&str] = &["migration", "move", "switch", "upgrade", "transition", "changeover"];

const TARGETS: &[&str] = &["to", "into", "onto", "until", "till", "through"];

const SOURCES: &[&str] = &["from", "off"];

const PARTICLES: &[&str] =
    &["over", "back", "up", "down", "off", "out", "forward", "away", "along", "on", "ahead"];

const ADVERBS: &[&str] =
    &["just", "now", "already", "recently", "finally", "since", "officially", "then", "all"];

#[rustfmt::skip]
const TIMES: &[&str] = &[
    "last", "week", "month", "year", "night", "now", "recently", "ago", "yesterday", "today",
    "this", "morning", "afternoon", "evening", "instead", "again", "already", "just", "finally",
    "weekend", "quarter",
];

/// Verbs of being somewhere, by their stems.
#[rustfmt::skip]
const PLACED: &[&str] = &[
    "b", "liv", "sit", "run", "host", "stor", "keep", "deploy", "send", "go", "locat", "bas",
    "stand", "hang", "park", "work", "sleep", "build", "writ", "meet", "happen", "call", "listen",
    "stay", "tak", "choos", "us", "serv", "ship", "deliver", "sell", "track", "document", "record",
    "manag", "plan", "publish", "backup", "sav", "fil", "post", "kept", "hous", "instal", "print",
];

/// Verbs of using one thing of a kind, by their stems.
#[rustfmt::skip]
const SWITCHED: &[&str] = &[
    "us", "run", "deploy", "writ", "build", "tak", "driv", "lint", "test", "send", "host", "stor",
    "bank", "choos", "log", "monitor", "track", "sleep", "pay", "drink", "eat", "go", "rout",
    "flow", "pass", "render", "pars", "bundl", "format", "pack", "releas", "search", "index",
    "commut", "heat",
];
