use super::fact::{Fact, keys};
use super::term::Term;
use super::value::one_head;
use crate::grammar::Article;

/// Whether `new` says that somebody left what `old` says they belong to: a firm, a team, a
/// part to play.
pub(super) fn replaces(old: &[Term], new: &[Term]) -> bool {
    let Some(fact) = Fact::of(old) else { return false };
    let named = fact.subject.iter().all(|term| term.proper) && !fact.subject.is_empty();
    // "Peter is our treasurer" is read as who our treasurer is.
    let turned = fact.is_copula() && fact.verb_at > 0 && !fact.value.is_empty();
    let person = old.get(..fact.verb_at).unwrap_or_default();
    if !(named || turned) || !person.iter().all(|term| term.proper) || person.is_empty() {
        return false;
    }
    is_back(old, person, new) || left(&fact, old, person, new) || joined(&fact, person, new)
}

/// "left", "quit", "resigned as", "stepped down as".
fn left(fact: &Fact, old: &[Term], person: &[Term], new: &[Term]) -> bool {
    let out = |at: usize| {
        let behind = new.get(at + 1..at + 3).unwrap_or_default();
        matches!(behind, [out, of] if out.is(&["out"]) && of.is(&["of"]))
    };
    let cue = |(at, term): (usize, &Term)| term.is(LEFT) || (term.is(&["moved"]) && out(at));
    let Some(at) = new.iter().enumerate().position(cue) else { return false };
    let before = new.get(..at).unwrap_or_default();
    if before.iter().any(|term| term.is(&["not", "never"])) || keys(before) != keys(person) {
        return false;
    }
    let rest = new.get(at + 1..).unwrap_or_default();
    let end = rest.iter().position(|term| term.is(&["and", "for", "after", "because"]));
    let rest = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let plain: Vec<Term> = rest.iter().filter(|term| !term.is(ASIDE)).cloned().collect();
    let gone = keys(&plain);
    let known = keys(old);
    let firm = |word: &String| FIRMS.contains(&word.as_str());
    let within = ["in", "at", "for", "with", "on"].contains(&fact.prep.as_str());
    let belongs = within
        || matches!(fact.verb.as_str(), "work" | "serv" | "employ")
        || old.get(fact.verb_at).is_some_and(Term::is_be);
    let special = gone.iter().any(|word| !firm(word));
    let covered = gone.iter().all(|word| known.contains(word) || (firm(word) && !is_team(word)));
    let at_work = fact.verb == "work" || is_role(old, fact);
    let stops = new.get(at).is_some_and(|term| !term.is(&["left"]));
    belongs && covered && (special || (at_work && (!gone.is_empty() || stops)))
}

/// Whether it is a part in a firm: "is the CFO", "is a nurse".
fn is_role(old: &[Term], fact: &Fact) -> bool {
    let after = old.get(fact.verb_at + 1);
    after.is_some_and(|term| term.article == Article::Definite || term.is(&["our"]))
}

fn is_team(word: &str) -> bool {
    word == "team"
}

/// "joined Globex" ends "works at Initech".
fn joined(fact: &Fact, person: &[Term], new: &[Term]) -> bool {
    let Some(at) = new.iter().position(|term| term.is(&["joined"])) else { return false };
    let before = new.get(..at).unwrap_or_default();
    let firm = new.get(at + 1..).unwrap_or_default();
    let is_firm = |terms: &[Term]| {
        !terms.is_empty() && terms.iter().all(|term| term.proper && term.article == Article::None)
    };
    let works = fact.verb == "work" && matches!(fact.prep.as_str(), "at" | "for");
    // "joined the Bravo team" ends "is in the Delta team".
    let member = fact.is_copula() || matches!(fact.verb.as_str(), "work" | "play");
    let one_kind = member
        && matches!(fact.prep.as_str(), "in" | "on" | "with")
        && one_head(&fact.value, firm)
        && firm.iter().any(|term| term.proper);
    if one_kind && keys(before) == keys(person) && keys(firm) != keys(&fact.value) {
        return true;
    }
    keys(before) == keys(person)
        && works
        && is_firm(firm)
        && is_firm(&fact.value)
        && fact.tail.is_empty()
        && keys(firm) != keys(&fact.value)
}

/// "is back from leave" ends "is on leave".
fn is_back(old: &[Term], person: &[Term], new: &[Term]) -> bool {
    let back = new.windows(2).position(|pair| {
        matches!(pair, [back, from]
            if (back.is(&["back", "returned"]) && from.is(&["from"]))
                || (back.is(&["out"]) && from.is(&["of"])))
    });
    let Some(at) = back else { return false };
    let before = new.get(..at).unwrap_or_default();
    let away = keys(new.get(at + 2..).unwrap_or_default());
    let on = old.iter().any(|term| term.is(&["on", "in", "at"]));
    on && keys(before) == keys(person) && !away.is_empty() && away.is_subset(&keys(old))
}

const LEFT: &[&str] = &["left", "quit", "resigned", "retired", "stepped", "departed", "withdrew"];

/// Words that say nothing of what was left.
const ASIDE: &[&str] = &[
    "his",
    "her",
    "their",
    "job",
    "last",
    "week",
    "month",
    "year",
    "yesterday",
    "today",
    "position",
    "post",
    "down",
    "recently",
    "now",
    "as",
    "from",
    "at",
    "role",
    "friday",
    "monday",
    "us",
    "out",
    "of",
    "me",
    "early_retirement",
];

/// Words for a firm that its name may stand for.
const FIRMS: &[&str] = &["company", "firm", "organisation", "organization", "busines", "team"];
