use super::clause::Clause;
use super::frames::{FRAMES, Frame};
use super::subject::{SELF, Subject, plain};
use super::value::{Takes, Value, is_definite};
use crate::claim::{About, Cardinality, Claim};
use memlith_text::{Article, Sort, Word};

use Cardinality::{Many, Single, Unknown};
use Takes::{Amount, Any, Moment};

/// The claim of a verb at `at`.
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let (before, _) = clause.words.split_at_checked(at)?;
    special(clause, before, at).or_else(|| {
        FRAMES.iter().find_map(|frame: &Frame| {
            let rest = clause.behind(at, frame.0)?;
            let mut value = Value::of(rest, frame.3)?;
            let subject = Subject::of(before)?;
            let predicate = match frame.1 {
                "when" => when(rest)?,
                moment if frame.3 == Moment => on_day(moment, rest),
                "place" => place(before, rest, at == 0)?.to_owned(),
                "works_for" if !is_employer(rest) => return None,
                "region" if !is_region(rest) => return None,
                "wants" if rest.first()?.is_in(&["to"]) => return None,
                predicate => predicate.to_owned(),
            };
            if frame.2 == Many {
                // Of many values each is its own slot, with all that is said of it.
                value.text = all(&value);
                value.detail.clear();
            }
            // One may have two sisters.
            let several = predicate == "name"
                && subject.entity.rsplit(' ').next().is_some_and(|last| SEVERAL.contains(&last));
            let cardinality = if several { Unknown } else { frame.2 };
            // Who doesn't hate it may not like it either.
            if predicate == "dislikes" && clause.negated {
                return None;
            }
            let claim = claim(clause, subject, &predicate, value, cardinality);
            Some(if predicate == "dislikes" { disliked(claim) } else { claim })
        })
    })
}

pub(crate) fn claim(
    clause: &Clause,
    subject: Subject,
    predicate: &str,
    value: Value,
    cardinality: Cardinality,
) -> Claim {
    // What the team does, the project has.
    let ours = subject.entity == "we" && OURS.contains(&predicate);
    Claim {
        entity: if ours { SELF.to_owned() } else { subject.entity },
        predicate: predicate.to_owned(),
        value: value.text,
        cardinality,
        negated: clause.negated,
        past: clause.past,
        detail: value.detail,
        about: subject.about,
    }
}

/// Which property a moment is: two of one kind exclude each other, and a day and an hour don't.
pub(crate) fn when(words: &[Word]) -> Option<String> {
    let sort = |sort: Sort| words.iter().any(|word| word.sort == sort);
    let every = words.iter().any(|word| word.is_in(&["every", "each"]));
    let found = [Sort::Clock, Sort::Day, Sort::Date, Sort::Often].map(sort);
    if found == [true, true, false, false] {
        return Some(on_day("time", words));
    }
    Some(
        match found {
            [true, false, false, false] if !every => "time",
            [false, true, false, false] => "day",
            [false, false, true, false] => "date",
            [false, false, false, true] => "frequency",
            [false, false, false, false] => return None,
            _ => "when",
        }
        .to_owned(),
    )
}

/// An hour of one day says nothing of the other days.
fn on_day(predicate: &str, words: &[Word]) -> String {
    let clock = words.iter().any(|word| word.sort == Sort::Clock);
    let days = words.iter().filter(|word| clock && word.sort == Sort::Day);
    days.fold(predicate.to_owned(), |name, day| format!("{name}_{}", day.text))
}

/// A person lives somewhere; a thing is kept there.
fn place(before: &[Word], rest: &[Word], elided: bool) -> Option<&'static str> {
    let person = before.first().is_some_and(|word| {
        (word.proper && word.article == Article::None)
            || word
                .is_in(&["i", "he", "she", "they", "my", "user", "contact", "customer", "client"])
    });
    let named = rest.iter().any(|word| word.proper)
        && rest.first().is_some_and(|word| word.article == Article::None)
        && !rest.iter().any(|word| word.is_in(DEPARTMENTS));
    match person || elided {
        true => named.then_some("lives_in"),
        false => Some("location"),
    }
}

/// Whether words are the name of a region as hosts have them: "eu-west-1".
fn is_region(words: &[Word]) -> bool {
    let digit = |word: &Word| word.text.ends_with(|c: char| c.is_ascii_digit());
    matches!(words, [one] if digit(one) && one.text.len() > 6)
}

/// Whether words name who one can work for, and not what one can join.
fn is_employer(words: &[Word]) -> bool {
    let named = words.iter().all(|word| word.proper && word.article == Article::None);
    named && words.len() <= 3 && !words.iter().any(|word| word.is_in(DEPARTMENTS))
}

fn all(value: &Value) -> String {
    let space = if value.detail.is_empty() { "" } else { " " };
    format!("{}{space}{}", value.text, value.detail)
}

fn disliked(claim: Claim) -> Claim {
    Claim { predicate: "likes".to_owned(), negated: !claim.negated, ..claim }
}

/// The claim of a verb that has a form of its own.
fn special(clause: &Clause, before: &[Word], at: usize) -> Option<Claim> {
    let rest = clause.words.get(at + 1..)?;
    let word = clause.words.get(at)?;
    if word.sort != Sort::Plain {
        return None;
    }
    match word.lemma.as_str() {
        "like" | "prefer" => choice(clause, before, rest),
        "have" => had(clause, before, rest),
        "own" | "lead" => ruled(clause, word, before, rest),
        "take" => dose(clause, before, rest),
        "callback" | "call" if at == 0 => callback(clause, rest),
        "keep" | "store" | "retain" | "save" => kept(clause, before, rest),
        "deploy" | "release" | "ship" => {
            let team = before.iter().all(|word| word.is_in(&["we"])) && before.len() < 2;
            let value = Value::of(rest, Moment).filter(|_| team)?;
            let subject = Subject { entity: word.lemma.clone(), about: About::Named };
            Some(claim(clause, subject, &when(rest)?, value, Single))
        }
        "be" | "run" => every(clause, before, rest),
        _ => None,
    }
}

/// "The job runs every 15 minutes".
fn every(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let [every, often @ ..] = rest else { return None };
    let unit = |word: &Word| {
        word.sort == Sort::Amount
            || word.is_in(&["minute", "hour", "day", "week", "month", "night", "quarter", "year"])
            || (word.sort == Sort::Clock && !word.text.starts_with("at "))
    };
    if !every.is_in(&["every", "each"]) || often.is_empty() || !often.iter().all(unit) {
        return None;
    }
    let value = Value::of(often, Any)?;
    Some(claim(clause, Subject::of(before)?, "frequency", value, Single))
}

/// "has three nodes", "has a peanut allergy", "has the Pro plan", "has a dog".
fn had(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let subject = Subject::of(before)?;
    let (last, middle) = rest.split_last()?;
    let of = |text: String| Value { text, detail: String::new() };
    if last.lemma == "allergy" && !middle.is_empty() {
        return Some(claim(clause, subject, "allergic_to", of(plain(middle)?), Many));
    }
    if last.lemma == "plan" && !middle.is_empty() {
        return Some(claim(clause, subject, "plan", of(plain(middle)?), Single));
    }
    let (first, counted) = rest.split_first()?;
    if first.sort == Sort::Amount {
        let counted = match counted {
            [of, rest @ ..] if of.is_in(&["of"]) => rest,
            counted => counted,
        };
        let predicate = format!("{}_count", plain(counted)?.replace(' ', "_"));
        return Some(claim(clause, subject, &predicate, of(first.text.clone()), Single));
    }
    if let [one, two, value] = rest
        && one.lemma == "blood"
        && two.lemma == "type"
    {
        return Some(claim(clause, subject, "blood_type", of(value.text.clone()), Single));
    }
    Some(claim(clause, subject, "has", of(plain(rest)?), Many))
}

/// "Dana owns the search service": the service has one owner. "Owns a boat": one of many.
fn ruled(clause: &Clause, verb: &Word, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let named = |words: &[Word]| {
        let subject = words.first()?;
        (subject.proper || subject.is_in(&["team"])).then(|| plain(words)).flatten()
    };
    let definite = rest.first()?.article == Article::Definite
        || rest.iter().any(|word| word.owner)
        || rest.first()?.is_in(&["our", "team"])
        || (before.first()?.is_in(&["team"]) && rest.first()?.article == Article::None);
    let single = |word: &Word| word.text == word.lemma || verb.lemma == "lead";
    if definite && rest.last().is_some_and(single) {
        let predicate = if verb.lemma == "own" { "owner" } else { "lead" };
        let value = Value { text: named(before)?, detail: String::new() };
        return Some(claim(clause, Subject::of(rest)?, predicate, value, Single));
    }
    if verb.lemma == "own" && is_definite(before) {
        let value = Value { text: plain(rest)?, detail: String::new() };
        return Some(claim(clause, Subject::of(before)?, "has", value, Many));
    }
    None
}

/// "prefers tea over coffee", "likes tea better than coffee".
fn choice(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let at =
        rest.iter().position(|word| word.is_in(&["over", "better", "more", "to", "rather"]))?;
    let (what, other) = (rest.get(..at)?, rest.get(at + 1..)?);
    let other = match other {
        [than, other @ ..] if than.is_in(&["than"]) => other,
        other if rest.get(at)?.is_in(&["over", "to"]) => other,
        _ => return None,
    };
    let text = format!("{} over {}", plain(what)?, plain(other)?);
    let value = Value { text, detail: String::new() };
    Some(claim(clause, Subject::of(before)?, "prefers", value, Many))
}

/// "takes 500 mg of metformin".
fn dose(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let [amount, of, what @ ..] = rest else { return None };
    if amount.sort != Sort::Amount || !of.is_in(&["of"]) {
        return None;
    }
    let predicate = format!("{}_dose", plain(what)?.replace(' ', "_"));
    let value = Value { text: amount.text.clone(), detail: String::new() };
    Some(claim(clause, Subject::of(before)?, &predicate, value, Single))
}

/// "Call me after 6pm": when to call.
fn callback(clause: &Clause, rest: &[Word]) -> Option<Claim> {
    let rest = match rest {
        [me, rest @ ..] if me.is_in(&["me", "back"]) => rest,
        rest => rest,
    };
    let [how, time] = rest else { return None };
    let known = how.is_in(&["after", "before", "at", "around"]) && time.sort == Sort::Clock;
    let value = Value { text: format!("{} {}", how.text, time.text), detail: String::new() };
    known.then(|| claim(clause, Subject::reader(), "callback_time", value, Single))
}

/// "We keep logs for 30 days", "we store secrets in Vault".
fn kept(clause: &Clause, before: &[Word], rest: &[Word]) -> Option<Claim> {
    let keeper = before.first().is_some_and(|word| word.is_in(&["we", "i"]));
    let at = rest.iter().position(|word| word.is_in(&["for", "in"]))?;
    let (what, value) = (rest.get(..at)?, rest.get(at + 1..)?);
    if !keeper || before.len() != 1 || what.is_empty() {
        return None;
    }
    let (predicate, takes) =
        if rest.get(at)?.is_in(&["for"]) { ("retention", Amount) } else { ("location", Any) };
    Some(claim(clause, Subject::of(what)?, predicate, Value::of(value, takes)?, Single))
}

/// Departments that one joins or moves to without another employer or home.
const DEPARTMENTS: &[&str] = &[
    "marketing",
    "sales",
    "engineering",
    "product",
    "design",
    "finance",
    "hr",
    "support",
    "ops",
    "operations",
    "legal",
    "team",
    "teams",
    "platform",
    "infrastructure",
    "security",
    "research",
    "slack",
    "zoom",
    "discord",
    "github",
    "zone",
    "office",
    "department",
    "group",
    "project",
    "plan",
    "phase",
    "call",
    "meeting",
    "sprint",
    "jira",
    "linux",
    "windows",
    "mac",
    "python",
    "rust",
];

/// Of whom one may have several.
const SEVERAL: &[&str] = &[
    "sister",
    "brother",
    "son",
    "daughter",
    "child",
    "kid",
    "cousin",
    "friend",
    "colleague",
    "aunt",
    "uncle",
    "neighbor",
    "neighbour",
    "roommate",
    "student",
    "coworker",
    "twin",
    "grandchild",
    "nephew",
    "niece",
    "client",
    "customer",
];

/// Properties of a project that its team speaks of as its own.
const OURS: &[&str] =
    &["hosting", "indentation", "written_in", "license", "ci", "budget", "meeting_room", "region"];

/// Whether the entity is the one whose notes these are.
pub(crate) fn is_self(subject: &Subject) -> bool {
    subject.entity == SELF
}
