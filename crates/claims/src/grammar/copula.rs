use super::attribute::Attribute;
use super::clause::{BECAME, Clause};
use super::frame::{claim, is_self, when};
use super::preference::LANGUAGES;
use super::roles;
use super::subject::Subject;
use super::value::{Takes, Value};
use crate::claim::{About, Cardinality, Claim};
use memlith_text::{Article, Sort, Word};

/// The claim of "is" at `at`: a state, a moment, a property named by a noun, a trade.
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let (before, mut rest) = (clause.words.get(..at)?, clause.words.get(at + 1..)?);
    let raised = clause.words.get(at).is_some_and(|word| BECAME.contains(&word.text.as_str()));
    if clause.matches(at, &["be"]) {
        if let [became, to, more @ ..] = rest
            && BECAME.contains(&became.text.as_str())
            && to.is_in(&["to", "at"])
        {
            rest = more;
        }
    } else if raised && clause.matches(at + 1, &["to"]) {
        rest = rest.get(1..)?;
    } else {
        return None;
    }
    if rest.is_empty() {
        return None;
    }
    roles::claim_at(clause, at)
        .or_else(|| located(clause, before, rest))
        .or_else(|| property(clause, before, rest))
        .or_else(|| measured(clause, before, rest))
        .or_else(|| trade(clause, before, rest))
        .or_else(|| colored(clause, before, rest))
        .or_else(|| state(clause, before, rest))
        .or_else(|| moment(clause, before, rest))
        .or_else(|| identity(clause, before, rest))
        .or_else(|| described(clause, before, rest))
}

/// "The runbook is in Confluence".
fn located(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let [first, place @ ..] = rest else { return None };
    let next = place.first()?;
    let kept = before.last().is_some_and(|word| KEPT.contains(&word.lemma.as_str()));
    let one = next.proper || next.article == Article::Definite || kept;
    if !first.is_in(&["in"]) || !one || next.is_moment() || is_language(next) {
        return None;
    }
    if before.last().is_some_and(|word| word.is_in(ELSEWHERE)) {
        return None;
    }
    let value = Value::of(place, Takes::Any).filter(|_| !IDIOMS.contains(&next.lemma.as_str()))?;
    Some(claim(clause, Subject::of(before)?, "location", value, Cardinality::Single))
}

/// "Lena is 34", "is 180 cm tall".
fn measured(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let (amount, unit) = rest.split_first()?;
    if amount.sort != Sort::Amount {
        return None;
    }
    let subject = Subject::of(before)?;
    let person = is_person(before, &subject);
    let value = |text: String| Value { text, detail: String::new() };
    let months =
        |years: &str| Some(format!("{} months", years.parse::<u32>().ok()?.checked_mul(12)?));
    match unit {
        [] if person && !amount.text.contains(' ') => {
            let age = months(&amount.text)?;
            Some(claim(clause, subject, "age", value(age), Cardinality::Single))
        }
        [old] if old.is_in(&["old"]) => {
            Some(claim(clause, subject, "age", value(amount.text.clone()), Cardinality::Single))
        }
        [tall] if tall.is_in(&["tall"]) => {
            Some(claim(clause, subject, "height", value(amount.text.clone()), Cardinality::Single))
        }
        _ => None,
    }
}

/// "Mara is a nurse", "Tom is married".
fn trade(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let subject = Subject::of(before)?;
    if !is_person(before, &subject) {
        return None;
    }
    let (last, modifiers) = rest.split_last()?;
    let value = Value::of(rest, Takes::Any)?;
    if modifiers.is_empty() && last.is_in(MARITAL) {
        return Some(claim(clause, subject, "marital_status", value, Cardinality::Single));
    }
    let indefinite = rest.first()?.article == Article::Indefinite;
    let known =
        TRADES.contains(&last.lemma.as_str()) && modifiers.iter().all(|word| word.is_in(GRADES));
    (indefinite && known).then(|| claim(clause, subject, "occupation", value, Cardinality::Single))
}

/// "The API port is 8080", "Ana's home is in Pune".
fn property(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    if before.first()?.article == Article::Indefinite {
        return None;
    }
    let attribute = Attribute::of(before)?;
    // "The lead is heavy" says what it is like, not who it is. One has one favourite of a kind.
    let named = rest.first()?.article != Article::None || rest.first()?.proper;
    let favorite = named && attribute.predicate.starts_with("favorite_");
    if !favorite && !attribute.noun.is_some_and(|noun| noun.takes(rest)) {
        return None;
    }
    let value = Value::of(rest, Takes::Any)?;
    Some(claim(clause, attribute.subject, &attribute.predicate, value, Cardinality::Single))
}

/// "The build is green", "her car is red".
fn colored(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let [color] = rest else { return None };
    let one = before.first()?.article == Article::Definite
        || before.iter().any(|word| word.owner || word.is_in(&["my", "his", "her", "our"]));
    let known = one && COLORS.contains(&color.text.as_str());
    let value = Value { text: color.text.clone(), detail: String::new() };
    known
        .then(|| Subject::of(before))?
        .map(|subject| claim(clause, subject, "color", value, Cardinality::Single))
}

/// "The ticket is open", "debug mode is enabled in production".
fn state(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let joined = rest.get(..2).is_some_and(|two| {
        two.first().is_some_and(|one| one.is_in(&["in"]))
            && two.last().is_some_and(|one| one.is_in(PHASES))
    });
    let (state, more) = rest.split_at_checked(if joined { 2 } else { 1 })?;
    let word = state.last()?;
    let by_default =
        matches!(more, [by, default] if by.is_in(&["by"]) && default.is_in(&["default"]));
    let switch = word.is_in(&["on", "off", "up", "down"]);
    let known = joined || word.is_in(STATES) || (switch && (more.is_empty() || by_default));
    let goes_on = more.first().is_none_or(|word| {
        word.is_in(&["in", "on", "at", "by", "for", "during", "to"]) && more.len() <= 4
    });
    if !known || !goes_on || before.is_empty() {
        return None;
    }
    let rest: Vec<&str> = more.iter().map(|word| word.lemma.as_str()).collect();
    let predicate =
        if more.is_empty() { "state".to_owned() } else { format!("state_{}", rest.join("_")) };
    let value = Value { text: word.text.clone(), detail: String::new() };
    Some(claim(clause, Subject::of(before)?, &predicate, value, Cardinality::Single))
}

/// "Standup is at 9:30".
fn moment(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    if before.is_empty() {
        return None;
    }
    let value = Value::of(rest, Takes::Moment)?;
    Some(claim(clause, Subject::of(before)?, &when(rest)?, value, Cardinality::Single))
}

/// "Max connections is 200", "the winner is Ana": of an amount there is one; who or what is
/// named by a noun that is not known may be one of many.
fn identity(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let (first, last) = (before.first()?, before.last()?);
    let value_first = rest.first()?;
    let amount = value_first.sort == Sort::Amount;
    let definite = first.article == Article::Definite
        || first.text.contains('_')
        || first.is_in(&["my", "our", "his", "her", "their"])
        || before.iter().any(|word| word.owner);
    let one = last.lemma == last.text && !last.owner;
    let named = rest.len() <= 3
        && rest.iter().all(|word| word.proper || word.sort == Sort::Amount)
        && !is_language(value_first)
        && value_first.article == Article::None;
    let whole = rest.len() == 1 || rest.get(1).is_some_and(|word| word.is_in(&["per"]));
    let amount = amount && whole && (definite || before.len() > 1);
    let noun = last.sort == Sort::Plain && !first.is_in(&["there", "here"]);
    if first.article == Article::Indefinite || !noun || !(amount || (definite && one && named)) {
        return None;
    }
    let attribute = Attribute::of(before)?;
    let value = Value::of(rest, Takes::Any)?;
    let cardinality = if amount { Cardinality::Single } else { Cardinality::Unknown };
    Some(claim(clause, attribute.subject, &attribute.predicate, value, cardinality))
}

/// Claims that something is like this: of such values there may be any number.
fn described(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let value = Value::of(rest, Takes::Any).filter(|_| rest.len() <= 4)?;
    let subject = Subject::of(before)?;
    Some(claim(clause, subject, "is", value, Cardinality::Unknown))
}

fn is_person(before: &[Word], subject: &Subject) -> bool {
    let name = before.len() <= 2
        && !before.is_empty()
        && before.iter().all(|word| word.proper && word.article == Article::None);
    name || is_self(subject) || subject.about == About::Pronoun
}

fn is_language(word: &Word) -> bool {
    LANGUAGES.contains(&word.text.as_str())
}

/// Things that are somewhere without an article.
const KEPT: &[&str] = &[
    "key",
    "secret",
    "token",
    "credential",
    "runbook",
    "doc",
    "document",
    "config",
    "file",
    "backup",
    "log",
    "certificate",
    "spec",
    "note",
];

/// Things that live elsewhere in the grammar, and things that there may be several of.
const ELSEWHERE: &[&str] = &[
    "home",
    "hometown",
    "bug",
    "problem",
    "issue",
    "error",
    "leak",
    "fix",
    "typo",
    "question",
    "answer",
    "difference",
    "clue",
    "test",
    "change",
    "failure",
    "mistake",
    "crash",
];

/// Words that follow "in" where nothing is anywhere.
const IDIOMS: &[&str] = &[
    "charge", "love", "favor", "need", "touch", "use", "trouble", "doubt", "danger", "fact",
    "general", "order", "question", "sync", "line", "beta", "review", "progress", "process",
    "middle", "way", "mood", "case", "shape", "conflict", "business", "loop", "making",
];

const MARITAL: &[&str] = &["single", "married", "divorced", "engaged", "widowed", "unmarried"];

const COLORS: &[&str] = &[
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black", "white",
    "grey", "gray", "silver", "amber",
];

/// Phases that one is in.
const PHASES: &[&str] = &[
    "progress",
    "review",
    "alpha",
    "beta",
    "production",
    "staging",
    "development",
    "testing",
    "planning",
    "draft",
    "maintenance",
    "preview",
    "qa",
];

/// States that exclude each other.
const STATES: &[&str] = &[
    "open",
    "closed",
    "merged",
    "done",
    "blocked",
    "enabled",
    "disabled",
    "active",
    "inactive",
    "paused",
    "running",
    "stopped",
    "approved",
    "rejected",
    "pending",
    "cancelled",
    "canceled",
    "online",
    "offline",
    "locked",
    "unlocked",
    "public",
    "private",
    "finished",
    "complete",
    "completed",
    "archived",
    "resolved",
    "encrypted",
    "unencrypted",
    "stable",
    "unstable",
    "mandatory",
    "optional",
    "indoors",
    "outdoors",
    "synchronous",
    "asynchronous",
    "allowed",
    "forbidden",
    "passing",
    "failing",
    "broken",
    "draft",
    "published",
    "live",
    "shipped",
    "delivered",
    "started",
    "deprecated",
];

/// Words before a trade that are part of it.
const GRADES: &[&str] = &[
    "senior",
    "junior",
    "lead",
    "staff",
    "principal",
    "chief",
    "head",
    "software",
    "data",
    "product",
    "project",
    "frontend",
    "backend",
    "mechanical",
    "civil",
    "registered",
    "primary",
    "school",
    "research",
    "security",
    "sales",
    "marketing",
    "graphic",
    "web",
    "systems",
];

/// Trades that people have; a person is taken to have one.
#[rustfmt::skip]
const TRADES: &[&str] = &[
    "nurse", "doctor", "teacher", "engineer", "developer", "programmer", "designer", "lawyer",
    "architect", "accountant", "chef", "cook", "paramedic", "pilot", "electrician", "plumber",
    "carpenter", "manager", "analyst", "scientist", "researcher", "professor", "lecturer",
    "consultant", "journalist", "editor", "dentist", "pharmacist", "surgeon", "physician",
    "veterinarian", "vet", "baker", "barista", "waiter", "waitress", "driver", "mechanic",
    "librarian", "translator", "interpreter", "photographer", "recruiter", "salesperson",
    "administrator", "secretary", "receptionist", "firefighter", "policeman", "soldier", "farmer",
    "gardener", "psychologist", "therapist", "physiotherapist", "economist", "statistician",
    "chemist", "physicist", "biologist", "judge", "notary", "banker", "broker", "cashier",
];
