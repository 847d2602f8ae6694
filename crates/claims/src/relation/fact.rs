use std::collections::BTreeSet;

use super::predicate::{BE, has_one_value, is_one_verb, is_place};
use super::term::Term;
use super::value::{Kind, common};
use crate::grammar::{Article, Sort};

/// A sentence that says what is so: a subject, a verb, and a value behind it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Fact {
    pub(super) subject: Vec<Term>,
    /// By its stem; the participle where there is one.
    pub(super) verb: String,
    /// Whether the verb is a participle behind "is".
    pub(super) participle: bool,
    /// The preposition in front of the value.
    pub(super) prep: String,
    pub(super) value: Vec<Term>,
    /// What stands behind the value, from the next preposition on.
    pub(super) tail: Vec<Term>,
    /// Where the verb stands, and where what follows it begins.
    pub(super) verb_at: usize,
    pub(super) value_at: usize,
    past: bool,
}

impl Fact {
    pub(super) fn of(terms: &[Term]) -> Option<Fact> {
        let verb_at = verb_at(terms)?;
        let verb = terms.get(verb_at)?;
        let mut at = verb_at + 1;
        while terms.get(at).is_some_and(|term| term.is(ADVERBS)) {
            at += 1;
        }
        let mut fact = Fact { verb: verb.key.clone(), past: verb.past, verb_at, ..Fact::default() };
        fact.subject = terms.get(..verb_at)?.to_vec();
        if verb.is_be() {
            fact.verb = BE.to_owned();
            let next = terms.get(at).filter(|next| is_participle(next) && at + 1 < terms.len());
            if let Some(next) = next {
                fact.verb.clone_from(&next.key);
                fact.participle = true;
                at += 1;
            }
        }
        fact.value_at = at;
        if let Some(prep) = terms.get(at).filter(|term| term.is(PREPOSITIONS)) {
            fact.prep.clone_from(&prep.text);
            at += 1;
        }
        if fact.verb == "know" && fact.prep == "as" {
            fact.verb = "call".to_owned();
            fact.prep.clear();
        }
        let rest = terms.get(at..).unwrap_or_default();
        let is_end = |(at, term): (usize, &Term)| at > 0 && term.is(PREPOSITIONS);
        let end = rest.iter().enumerate().position(is_end).unwrap_or(rest.len());
        let (value, tail) = rest.split_at_checked(end)?;
        (fact.value, fact.tail) = (value.to_vec(), tail.to_vec());
        Some(fact.turned())
    }

    /// "Dr. Klein is our vet" says who our vet is.
    fn turned(self) -> Fact {
        let named = self.subject.iter().all(|term| term.proper);
        let role = self.value.first().is_some_and(|first| {
            first.article == Article::Definite || first.is(&["our", "their"]) || first.owner
        });
        if self.verb != BE || !self.prep.is_empty() || !named || !role {
            return self;
        }
        let mut subject = self.value.clone();
        subject.extend(self.tail.iter().cloned());
        Fact { value: self.subject.clone(), subject, tail: Vec::new(), ..self }
    }

    pub(super) fn is_copula(&self) -> bool {
        self.verb == BE
    }

    /// Whether it tells what somebody did.
    pub(super) fn is_event(&self) -> bool {
        self.past && !self.participle && self.verb != "choos"
    }

    pub(super) fn has_indefinite_value(&self) -> bool {
        self.value.first().is_some_and(|first| first.article == Article::Indefinite)
    }

    /// The last two words of the subject.
    pub(super) fn subject_tail(&self) -> String {
        match self.subject.as_slice() {
            [.., one, two] => format!("{} {}", one.text, two.text),
            _ => String::new(),
        }
    }
}

/// Whether `new` states another value of the property that `old` states.
pub(super) fn replaces(old: &[Term], new: &[Term], declared: bool) -> bool {
    let (Some(old), Some(new)) = (Fact::of(old), Fact::of(new)) else { return false };
    let Some(kind) = common(&old.value, &new.value) else { return false };
    let subject = keys(&old.subject);
    let mut others = keys(&new.subject);
    let renewed = others.contains("new") && !subject.contains("new");
    if renewed {
        others.remove("new");
    }
    let declared = declared || renewed;
    // "The new launch date is 4 March" names the kind of the value besides.
    if declared && kind != Kind::Name && kind != Kind::Words {
        others.retain(|word| subject.contains(word) || !VALUES.contains(&word.as_str()));
    }
    // "Initech is called Initrode now".
    let called = old.verb == "call" && new.verb == "call" && declared;
    let both = keys(&old.subject).union(&keys(&old.value)).cloned().collect();
    let about = keys(&new.subject);
    if called && (about == keys(&old.value) || about == both) && new.tail.is_empty() {
        return true;
    }
    let we = |fact: &Fact| fact.subject.iter().any(|term| term.is(&["we"]));
    if ways(&old.subject) != ways(&new.subject) {
        return false;
    }
    if subject != others || (subject.is_empty() && !(we(&old) && we(&new))) {
        return false;
    }
    let near = |fact: &Fact| ["in", "on", "at"].contains(&fact.prep.as_str());
    let one_way = old.prep == new.prep
        || (declared && near(&old) && near(&new) && is_place(&old) && is_place(&new))
        || (kind != Kind::Name && kind != Kind::Words && !bounds(&old) && !bounds(&new));
    let one_verb = is_one_verb(&old.verb, &new.verb) && old.participle == new.participle
        || (declared && kind != Kind::Words && is_one_verb(&old.verb, &new.verb));
    let differs = keys(&old.value) != keys(&new.value);
    let one_tail = keys(&old.tail) == keys(&new.tail);
    let present = !new.is_event() && new.past == old.past;
    differs
        && one_tail
        && one_way
        && one_verb
        && present
        && has_one_value(&old, &new, kind, declared)
}

/// The prepositions that make of the same words another thing: "the flight from Rome".
fn ways(subject: &[Term]) -> Vec<&str> {
    let way = |term: &&Term| term.is(&["to", "from", "with", "without", "before", "after"]);
    subject.iter().filter(way).map(|term| term.text.as_str()).collect()
}

/// Words, by their stems, for what a day, an hour or a number is the value of.
const VALUES: &[&str] = &["dat", "tim", "day", "hour", "slot"];

/// Whether its value is a bound: "until", "from", "after".
fn bounds(fact: &Fact) -> bool {
    ["until", "till", "from", "after", "before", "by", "since"].contains(&fact.prep.as_str())
}

/// What a part of a sentence is about.
pub(super) fn keys(terms: &[Term]) -> BTreeSet<String> {
    terms.iter().filter(|term| term.is_content()).map(|term| term.key.clone()).collect()
}

/// Whether the word is a participle behind "is": what is done to the subject.
fn is_participle(term: &Term) -> bool {
    term.sort == Sort::Plain
        && !term.proper
        && term.article == Article::None
        && (term.past || term.is(&["set", "put", "cut", "run", "shared"]))
}

/// Where the verb of a sentence stands, if it has one that is known or formed like one.
pub(super) fn verb_at(terms: &[Term]) -> Option<usize> {
    let known = |at: &usize| {
        let (Some(term), Some(before)) = (terms.get(*at), terms.get(*at - 1)) else { return false };
        is_auxiliary(term) || (agrees(before, term) && is_bare_verb(term))
    };
    let formed = |at: &usize| {
        terms.get(*at).is_some_and(|term| {
            let third =
                term.text.len() > 3 && term.text.ends_with('s') && !term.text.ends_with("ss");
            third && is_bare_verb_form(term) && at + 1 < terms.len()
        })
    };
    // "We row on Sundays", "the kids swim at noon".
    let plural = |at: &usize| {
        let (Some(before), Some(term)) = (terms.get(*at - 1), terms.get(*at)) else { return false };
        let many = before.is(&["we", "they"])
            || (before.first_person && !before.owner)
            || (before.text.ends_with('s') && !before.owner);
        many && is_bare_verb_form(term) && term.is_content()
    };
    let joins = |term: &Term| term.is(&["and", "that", "which", "who", "because", "so", "but"]);
    let first = terms.get(1..).unwrap_or_default().iter().position(|term| term.is_be());
    let first = first.map(|at| at + 1).filter(|at| {
        !terms.get(..*at).unwrap_or_default().iter().any(|term| joins(term) || term.is(PERFECT))
    });
    first
        .or_else(|| (1..terms.len()).find(known))
        .or_else(|| (1..terms.len()).find(formed))
        .or_else(|| (1..terms.len().saturating_sub(1)).find(plural))
}

fn is_auxiliary(term: &Term) -> bool {
    term.is_be() || term.is(&["has", "have", "had"])
}

fn is_bare_verb_form(term: &Term) -> bool {
    term.sort == Sort::Plain && !term.proper && !term.owner && term.article == Article::None
}

fn is_bare_verb(term: &Term) -> bool {
    is_bare_verb_form(term) && VERBS.contains(&term.key.as_str())
}

/// Whether `verb` is of the form that its subject asks for.
fn agrees(subject: &Term, verb: &Term) -> bool {
    let plural =
        subject.text.ends_with('s') && !subject.owner || subject.is(&["we", "they", "people"]);
    verb.past || verb.text.ends_with('s') || plural || (subject.first_person && !subject.owner)
}

/// Words in front of a form of "be" that isn't the verb itself.
const PERFECT: &[&str] = &["has", "have", "had", "to"];

const ADVERBS: &[&str] = &["now", "currently", "already", "still", "always", "not", "only"];

pub(super) const PREPOSITIONS: &[&str] = &[
    "in",
    "on",
    "at",
    "to",
    "for",
    "from",
    "by",
    "with",
    "into",
    "onto",
    "until",
    "till",
    "under",
    "over",
    "via",
    "as",
    "after",
    "before",
    "since",
    "within",
    "between",
    "near",
    "behind",
    "of",
    "without",
    "including",
    "per",
    "during",
    "through",
    "inside",
    "outside",
    "next",
    "against",
];

/// Verbs, by their stems, that tables of claims and of changes are about. Our own list.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "run", "listen", "liv", "own", "maintain", "lead", "manag", "us", "need", "support", "expir",
    "clos", "open", "begin", "end", "last", "tak", "goes", "go", "happen", "deploy", "sit", "sleep",
    "work", "report", "belong", "cost", "weigh", "drink", "eat", "speak", "lik", "lov", "prefer",
    "play", "know", "keep", "hold", "writ", "read", "send", "leav", "arriv", "meet", "stop", "hav",
    "choos", "pay", "build", "test", "host", "stor", "return", "allow", "accept", "cover", "includ",
    "contain", "depend", "attend", "visit", "touch", "teach", "driv", "handl", "review", "approv",
    "coordinat", "supervis", "stay", "study", "train", "coach", "connect", "point", "default",
    "import", "ship", "releas", "merg", "sign", "log", "cach", "track", "monitor", "invoic", "bill",
    "rent", "buy", "sell", "get", "giv", "tell", "pick", "wear", "cook", "practis", "learn", "bring",
    "charg", "earn", "invest", "bank", "subscrib", "answer", "chair", "head", "edit", "moderat",
    "organis", "organiz", "serv", "provid", "publish", "delet", "retain", "wait", "retry", "start",
    "fall", "com", "stand", "hang", "lie", "park", "land", "depart", "fly", "travel",     "commut", "order", "water", "clean", "smok", "receiv", "operat",
 "lint", "order", "water", "clean", "smok", "receiv", "operat",
];
