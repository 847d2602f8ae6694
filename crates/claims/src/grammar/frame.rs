use super::clause::Clause;
use super::subject::{SELF, Subject, plain};
use super::value::{Takes, Value, is_definite};
use super::word::{Article, Sort, Word};
use crate::claim::{About, Cardinality, Claim};

/// A verb with its preposition: the words, the property, its values, what it takes.
struct Frame(&'static str, &'static str, Cardinality, Takes);

use Cardinality::{Many, Single, Unknown};
use Takes::{Amount, Any, Moment, Proper};

/// The claim of a verb at `at`.
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let (before, _) = clause.words.split_at_checked(at)?;
    special(clause, before, at).or_else(|| {
        FRAMES.iter().find_map(|frame| {
            let pattern: Vec<&str> = frame.0.split(' ').collect();
            let rest = clause.words.get(at + pattern.len()..)?;
            if !clause.matches(at, &pattern) {
                return None;
            }
            let mut value = Value::of(rest, frame.3)?;
            let subject = Subject::of(before)?;
            let predicate = match frame.1 {
                "when" => when(rest)?,
                "place" => place(before, rest, at == 0)?.to_owned(),
                "works_for" if !is_employer(rest) => return None,
                "wants" if rest.first()?.is_in(&["to"]) => return None,
                predicate => predicate.to_owned(),
            };
            if frame.2 == Many {
                // Of many values each is its own slot, with all that is said of it.
                value.text = all(&value);
                value.detail.clear();
            }
            // What is read or said by somebody unnamed could be anybody's.
            let claim = claim(clause, subject, &predicate, value, frame.2);
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

/// What is said in a form of its own.
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
            let team = matches!(before, [we] if we.is_in(&["we"]));
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

/// The verbs that are known; of two for the same words the first that fits is taken.
///
/// Source: our own. A property is `Single` only where a second value, said in the same
/// form, takes the first one's place for nearly everybody; a doubt makes it `Many`.
#[rustfmt::skip]
const FRAMES: &[Frame] = &[
    Frame("be listening on port", "port", Single, Amount),
    Frame("be available on port", "port", Single, Amount),
    Frame("be exposed on port", "port", Single, Amount),
    Frame("be served on port", "port", Single, Amount),
    Frame("be moved to port", "port", Single, Amount),
    Frame("be running on port", "port", Single, Amount),
    Frame("be on port", "port", Single, Amount),
    Frame("listen on port", "port", Single, Amount),
    Frame("listen on", "port", Single, Amount),
    Frame("listen at port", "port", Single, Amount),
    Frame("run on port", "port", Single, Amount),
    Frame("bind to port", "port", Single, Amount),
    Frame("moved to port", "port", Single, Amount),
    Frame("use port", "port", Single, Amount),
    Frame("moved to", "when", Single, Moment),
    Frame("be moved to", "when", Single, Moment),
    Frame("be rescheduled to", "when", Single, Moment),
    Frame("be postponed to", "when", Single, Moment),
    Frame("live in", "place", Single, Any),
    Frame("live at", "place", Single, Any),
    Frame("be living in", "place", Single, Any),
    Frame("be based in", "place", Single, Any),
    Frame("reside in", "place", Single, Any),
    Frame("be home in", "place", Single, Any),
    Frame("moved to", "place", Single, Any),
    Frame("be moved to", "place", Single, Any),
    Frame("relocated to", "place", Single, Any),
    Frame("work for", "works_for", Single, Proper),
    Frame("work at", "works_for", Single, Proper),
    Frame("be employed by", "works_for", Single, Proper),
    Frame("be employed at", "works_for", Single, Proper),
    Frame("joined", "works_for", Single, Proper),
    Frame("work in", "works_in", Single, Proper),
    Frame("work as", "occupation", Single, Any),
    Frame("report to", "manager", Single, Proper),
    Frame("be married to", "spouse", Single, Proper),
    Frame("be engaged to", "fiance", Single, Proper),
    Frame("be born on", "birthday", Single, Moment),
    Frame("be born in", "birthplace", Single, Proper),
    Frame("weigh", "weight", Single, Amount),
    Frame("weighs", "weight", Single, Amount),
    Frame("like to be called", "name", Single, Proper),
    Frame("prefer to be called", "name", Single, Proper),
    Frame("want to be called", "name", Single, Proper),
    Frame("be called", "name", Single, Any),
    Frame("be named", "name", Single, Any),
    Frame("be known as", "name", Single, Proper),
    Frame("be renamed to", "name", Single, Any),
    Frame("go by", "name", Single, Proper),
    Frame("goes by", "name", Single, Proper),
    Frame("call me", "name", Single, Proper),
    Frame("drive", "car", Single, Proper),
    Frame("commute by", "commute", Single, Any),
    Frame("be led by", "lead", Single, Any),
    Frame("be owned by", "owner", Single, Any),
    Frame("belong to", "owner", Single, Any),
    Frame("be maintained by", "maintainer", Single, Any),
    Frame("be written in", "written_in", Single, Proper),
    Frame("be licensed under", "license", Single, Any),
    Frame("be released under", "license", Single, Any),
    Frame("be hosted on", "hosting", Single, Any),
    Frame("be hosted at", "hosting", Single, Any),
    Frame("be hosted by", "hosting", Single, Any),
    Frame("be stored in", "location", Single, Any),
    Frame("be kept in", "location", Single, Any),
    Frame("be saved in", "location", Single, Any),
    Frame("be located in", "location", Single, Any),
    Frame("be located at", "location", Single, Any),
    Frame("be stored on", "location", Single, Any),
    Frame("be kept for", "retention", Single, Amount),
    Frame("be retained for", "retention", Single, Amount),
    Frame("be stored for", "retention", Single, Amount),
    Frame("time out after", "timeout", Single, Amount),
    Frame("expire after", "ttl", Single, Amount),
    Frame("be capped at", "limit", Single, Amount),
    Frame("be limited to", "limit", Single, Amount),
    Frame("be at version", "version", Single, Amount),
    Frame("be at version", "version", Single, Any),
    Frame("be on version", "version", Single, Any),
    Frame("be due", "deadline", Single, Moment),
    Frame("be scheduled for", "when", Single, Moment),
    Frame("be planned for", "when", Single, Moment),
    Frame("take place", "when", Single, Moment),
    Frame("happen", "when", Single, Moment),
    Frame("occur", "when", Single, Moment),
    Frame("start", "when", Single, Moment),
    Frame("begin", "when", Single, Moment),
    Frame("run", "when", Single, Moment),
    Frame("be held", "when", Single, Moment),
    Frame("be open until", "closing_time", Single, Moment),
    Frame("be open till", "closing_time", Single, Moment),
    Frame("leave", "departure", Single, Moment),
    Frame("depart", "departure", Single, Moment),
    Frame("arrive", "arrival", Single, Moment),
    Frame("open", "opening_time", Single, Moment),
    Frame("close", "closing_time", Single, Moment),
    Frame("get up", "wakes", Single, Moment),
    Frame("wake up", "wakes", Single, Moment),
    Frame("go to bed", "bedtime", Single, Moment),
    Frame("goes to bed", "bedtime", Single, Moment),
    Frame("be renewed", "renewal", Single, Any),
    Frame("renew", "renewal", Single, Any),
    Frame("indent with", "indentation", Single, Any),
    Frame("cost", "price", Single, Amount),
    Frame("take", "duration", Single, Amount),
    Frame("last", "duration", Single, Amount),
    Frame("can be reached at", "reached_at", Single, Any),
    Frame("be allergic to", "allergic_to", Many, Any),
    Frame("allergic to", "allergic_to", Many, Any),
    Frame("be fluent in", "speaks", Many, Proper),
    Frame("speak fluent", "speaks", Many, Proper),
    Frame("can speak", "speaks", Many, Proper),
    Frame("speak", "speaks", Many, Proper),
    Frame("can eat", "eats", Many, Any),
    Frame("eat", "eats", Many, Any),
    Frame("drink", "drinks", Many, Any),
    Frame("like", "likes", Many, Any),
    Frame("love", "likes", Many, Any),
    Frame("enjoy", "likes", Many, Any),
    Frame("hate", "dislikes", Many, Any),
    Frame("dislike", "dislikes", Many, Any),
    Frame("prefer", "prefers", Many, Any),
    Frame("want", "wants", Many, Any),
    Frame("use", "uses", Many, Any),
    Frame("know", "knows", Many, Any),
    Frame("play", "plays", Many, Any),
    Frame("support", "supports", Many, Any),
    Frame("require", "requires", Many, Any),
    Frame("contribute to", "contributes_to", Many, Any),
    Frame("interested in", "aims_at", Unknown, Any),
    Frame("be interested in", "aims_at", Unknown, Any),
    Frame("run on", "runs_on", Unknown, Proper),
    Frame("can", "can", Many, Any),
];

/// What one joins or moves to without another employer or home.
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

/// Properties of a project that its team speaks of as its own.
const OURS: &[&str] =
    &["hosting", "indentation", "written_in", "license", "ci", "budget", "meeting_room"];

/// Whether the entity is the one whose notes these are.
pub(crate) fn is_self(subject: &Subject) -> bool {
    subject.entity == SELF
}
