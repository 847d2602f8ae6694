use super::clause::Clause;
use super::frame::claim;
use super::subject::{Subject, plain};
use super::value::Value;
use crate::claim::{Cardinality, Claim};
use memlith_text::{Article, Sort, Word};

/// The preference for something that one can have only one of: a way to be reached, a theme, a
/// language, how often.
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let (before, rest) = (clause.words.get(..at)?, clause.words.get(at + 1..)?);
    let verb = clause.words.get(at)?;
    let prefers = verb.is_in(VERBS) || VERBS.contains(&verb.lemma.as_str());
    if !prefers || rest.is_empty() {
        return None;
    }
    let before = match before {
        [words @ .., would] if would.is_in(&["would"]) => words,
        words => words,
    };
    let subject = Subject::of(before)?;
    // To ask for a call is no wish to be called from then on.
    let asks = verb.lemma.starts_with("ask") || verb.lemma.starts_with("request");
    let once = rest.iter().any(|word| word.article == Article::Indefinite);
    let general = rest.iter().any(|word| word.is_in(&["be", "by", "via", "over"]));
    let asked = (asks && !general) || (verb.lemma == "want" && once);
    let switches = verb.is_in(&["switched", "use", "uses"]);
    let (predicate, value) = match channel(rest).filter(|_| !switches && !asked) {
        Some(channel) => ("preferred_contact".to_owned(), channel.to_owned()),
        None => theme(rest)
            .or_else(|| language(rest).filter(|_| !switches))
            .or_else(|| manner(rest).filter(|_| !switches))
            .or_else(|| rhythm(rest).filter(|_| !switches))
            .or_else(|| career(rest).filter(|_| verb.lemma == "want"))?,
    };
    let cardinality =
        if predicate == "aims_at" { Cardinality::Unknown } else { Cardinality::Single };
    let value = Value { text: value, detail: String::new() };
    Some(claim(clause, subject, &predicate, value, cardinality))
}

/// The one way to be reached that all the words are about.
fn channel(words: &[Word]) -> Option<&'static str> {
    let mut found = None;
    for word in words {
        if word.is_in(GLUE) || GLUE.contains(&word.lemma.as_str()) {
            continue;
        }
        let channel = CHANNELS.iter().find(|names| {
            names.contains(&word.text.as_str()) || names.contains(&word.lemma.as_str())
        })?;
        let name = channel.first()?;
        if found.is_some_and(|found| found != *name) {
            return None;
        }
        found = Some(*name);
    }
    found
}

/// "dark mode".
fn theme(words: &[Word]) -> Option<(String, String)> {
    let words = match words {
        [to, rest @ ..] if to.is_in(&["to"]) => rest,
        words => words,
    };
    let [value, noun] = words else { return None };
    let known = value.is_in(&["dark", "light"]) && noun.is_in(&["mode", "theme"]);
    known.then(|| ("theme".to_owned(), value.text.clone()))
}

/// "reports in German".
fn language(words: &[Word]) -> Option<(String, String)> {
    let (what, [preposition, language]) = words.split_last_chunk::<2>()?;
    let what = match what {
        [his, rest @ ..] if his.is_in(&["his", "her", "their", "my"]) => rest,
        what => what,
    };
    if !preposition.is_in(&["in"]) || language.is_moment() {
        return None;
    }
    let kind = match LANGUAGES.contains(&language.text.as_str()) {
        true => "language",
        false if matches!(what, [one] if DELIVERED.contains(&one.lemma.as_str())) => "format",
        false => return None,
    };
    Some((format!("{}_{kind}", plain(what)?.replace(' ', "_")), language.text.clone()))
}

/// "short answers", "morning meetings", "the summary in bullet points".
fn manner(words: &[Word]) -> Option<(String, String)> {
    if let [what, preposition, one, two] = words
        && preposition.is_in(&["in"])
        && DELIVERED.contains(&what.lemma.as_str())
    {
        let value = plain(&[one.clone(), two.clone()])?;
        return Some((format!("{}_format", what.lemma), value));
    }
    let [how, what] = words else { return None };
    if how.sort == Sort::Clock && !how.text.starts_with("at ") && what.lemma == "meeting" {
        return Some(("meeting_time".to_owned(), how.text.clone()));
    }
    let (kind, value, _) = MANNERS.iter().find(|(_, _, words)| how.is_in(words))?;
    let delivered = DELIVERED.contains(&what.lemma.as_str());
    delivered.then(|| (format!("{}_{kind}", what.lemma), (*value).to_owned()))
}

/// "weekly updates".
fn rhythm(words: &[Word]) -> Option<(String, String)> {
    let [often, what @ ..] = words else { return None };
    if often.sort != Sort::Often || what.is_empty() {
        return None;
    }
    Some((format!("{}_frequency", plain(what)?.replace(' ', "_")), often.text.clone()))
}

/// "a management track": what one may want several of.
fn career(words: &[Word]) -> Option<(String, String)> {
    let last = words.last()?;
    let known = last.is_in(&["role", "track", "position", "job", "career", "title"]);
    known.then(|| plain(words).map(|value| ("aims_at".to_owned(), value)))?
}

const VERBS: &[&str] = &[
    "prefer",
    "like",
    "want",
    "ask",
    "asked",
    "rather",
    "request",
    "requested",
    "love",
    "switched",
    "use",
    "choose",
    "wish",
    "ask",
];

/// Words around the name of a way to be reached.
const GLUE: &[&str] = &[
    "be",
    "being",
    "to",
    "by",
    "via",
    "over",
    "through",
    "contacted",
    "contact",
    "reached",
    "followup",
    "follow",
    "up",
    "from",
    "on",
    "message",
    "notified",
    "notification",
    "only",
    "for",
    "rather",
    "communication",
    "get",
    "as",
    "communicate",
    "way",
    "best",
    "of",
    "prefer",
    "reach",
    "out",
    "updates",
];

/// Things that one gets from others, in one form or another.
const DELIVERED: &[&str] = &[
    "summary",
    "answer",
    "report",
    "response",
    "output",
    "reply",
    "explanation",
    "message",
    "result",
    "list",
    "update",
    "note",
    "documentation",
    "comment",
];

/// Ways in which one can have it, of which each kind excludes the other.
const MANNERS: &[(&str, &str, &[&str])] = &[
    ("length", "short", &["short", "brief", "concise", "terse", "shorter"]),
    ("length", "long", &["long", "detailed", "verbose", "thorough", "longer"]),
    ("tone", "formal", &["formal"]),
    ("tone", "informal", &["informal", "casual"]),
];

/// Ways to be reached, the name of each first.
const CHANNELS: &[&[&str]] = &[
    &["email", "emailed", "emailing", "mail"],
    &["phone", "call", "called", "calling", "phoned", "calls", "ring", "rung"],
    &["text", "texted", "sms", "texting"],
    &["letter", "post"],
    &["slack"],
    &["whatsapp"],
    &["signal"],
    &["telegram"],
    &["zoom"],
];

#[rustfmt::skip]
pub(crate) const LANGUAGES: &[&str] = &[
    "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "polish",
    "russian", "ukrainian", "chinese", "mandarin", "japanese", "korean", "hindi", "arabic",
    "turkish", "swedish", "danish", "norwegian", "finnish", "greek", "czech", "hungarian",
    "romanian", "catalan", "hebrew", "thai", "vietnamese", "marathi", "bengali", "tamil",
    "american", "british", "canadian", "australian", "indian", "irish", "swiss", "austrian",
];
