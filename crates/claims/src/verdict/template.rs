use super::denial::is_negative;
use super::parsed::Clause;
use super::term::{Kind, Term};
use super::words::Section;

/// Whether two clauses say another value of one kind in the same words.
///
/// Every word of the new one that is neither its value nor a word of change stands in the old one,
/// and the other way round, but for the old one's verb.
pub(super) fn ends(old: &Clause, new: &Clause) -> bool {
    // One likes many things, of which each is a value of its own.
    if old.terms.iter().any(|term| term.known.is_form_of(Section::Likes)) {
        return false;
    }
    let (before, after) = (old.beyond(new), without_agent(old, new));
    let shared = old.content().count() - before.len();
    if before.is_empty()
        || after.is_empty()
        || old.is_event()
        || is_negative(old) != is_negative(new)
    {
        return false;
    }
    // A moment that only says since when is no part of the value.
    let dated = before.iter().any(|term| term.is_moment());
    let after: Vec<&Term> =
        after.into_iter().filter(|term| dated || !is_since(new, term)).collect();
    if after.is_empty() {
        return false;
    }
    if after.iter().all(|term| term.is_typed()) {
        let verb = |term: &&&Term| !term.is_typed();
        let (verbs, values): (Vec<&Term>, Vec<&Term>) = before.iter().partition(|term| verb(term));
        let first = old.content().next();
        let place = |term: &Term| old.terms.iter().position(|one| std::ptr::eq(one, term));
        let before_value =
            |term: &Term| values.first().is_none_or(|value| place(term) < place(value));
        let is_verb =
            |term: &Term| first != Some(term) && before_value(term) && old.may_be_verb(term);
        let foreign = verbs.len() > 1 || !verbs.iter().all(|term| is_verb(term));
        // Of two codes one may be beside the other: "we use libfoo2", "we use libbar3".
        let sure = values.iter().all(|value| value.kind != Kind::Code || is_version(value))
            || lead(old, &values) == Some("is")
            || new.declares
            || new.corrects;
        return shared > 0
            && sure
            && !foreign
            && (states(old, &values, shared) || new.declares || new.corrects || changes(new))
            && are_alike(&values, &after)
            && values.iter().chain([]).all(|value| !is_identifier(old, value))
            && after.iter().all(|value| !is_identifier(new, value));
    }
    // "A new replica in Mumbai" is one more.
    let mut pairs = new.terms.iter().zip(new.terms.iter().skip(1));
    if pairs.any(|(article, next)| article.is(&["a", "an"]) && next.is(&["new"])) {
        return false;
    }
    let named =
        |terms: &[&Term]| terms.iter().all(|term| matches!(term.kind, Kind::Name | Kind::Code));
    let worded = |terms: &[&Term]| terms.iter().all(|term| term.kind == Kind::Plain);
    let one_kind =
        (named(&before) && named(&after)) || (new.corrects && worded(&before) && worded(&after));
    (new.corrects || new.declares)
        && shared > 0
        && one_kind
        && is_one_run(old, &before)
        && is_one_run(new, &after)
        && tail(old, &before).is_some_and(|rest| {
            // Only a correction says which of the words it is about.
            (new.corrects || rest.is_empty()) && tail(new, &after) == Some(rest)
        })
        && lead(old, &before) == lead(new, &after)
}

/// Whether the words stand side by side: one value, and not one and who it is for.
fn is_one_run(clause: &Clause, words: &[&Term]) -> bool {
    let place = |word: &&Term| clause.terms.iter().position(|one| std::ptr::eq(one, *word));
    let places: Vec<usize> = words.iter().filter_map(place).collect();
    places.windows(2).all(|pair| matches!(pair, [a, b] if a + 1 == *b))
}

/// The words that the old one lacks, without those for who made the change: "the doctor put me on".
fn without_agent<'c>(old: &Clause, new: &'c Clause) -> Vec<&'c Term> {
    let own = new.beyond(old);
    // "The proxy's new port" is the proxy's.
    let made = |term: &Term| {
        term.known.is_form_of(Section::Change) && !term.is(&["new", "latest", "current", "now"])
    };
    let change = new.terms.iter().position(made);
    let subject = new.terms.iter().position(|term| term.content && old.has(&term.key));
    let Some(change) = change.filter(|change| subject > Some(*change)) else { return own };
    let stands_before = |term: &&Term| {
        let at = new.terms.iter().position(|one| std::ptr::eq(one, *term));
        let begins = new.terms.iter().take_while(|term| !term.content);
        at < Some(change) && !term.is_typed() && begins.clone().all(|first| !is_condition(first))
    };
    own.into_iter().filter(|term| !stands_before(term)).collect()
}

/// Whether a word begins what holds in some case alone: "with coverage", "at night".
fn is_condition(term: &Term) -> bool {
    term.known.is(Section::Prepositions)
}

/// Whether a moment only says since when: "last night", "on 3 May".
fn is_since(clause: &Clause, term: &Term) -> bool {
    let before = clause.terms.iter().take_while(|one| !std::ptr::eq(*one, term)).last();
    let since = before.is_some_and(|before| before.is(&["last", "this", "since", "as", "from"]));
    term.is(&["today", "yesterday"]) || (term.is_moment() && since)
}

/// Whether two lists of values are of the same kinds: each moment of the old one has one of its
/// kind.
fn are_alike(old: &[&Term], new: &[&Term]) -> bool {
    if old.is_empty() || new.is_empty() {
        return false;
    }
    let moments = |terms: &[&Term]| terms.iter().all(|term| term.is_moment());
    // "9:00 on weekdays" and "10:00 on Sundays" are two lines of one timetable.
    let again = |terms: &[&Term]| terms.iter().any(|term| term.recurs);
    if (again(old) || again(new)) && (old.len() > 1 || new.len() > 1 || again(old) != again(new)) {
        return false;
    }
    if moments(old) && moments(new) {
        return old.iter().all(|own| new.iter().any(|other| other.kind == own.kind));
    }
    // "20 GB" and "15.99" may be of two things.
    let loses_its_unit = |own: &Term, other: &Term| matches!((&own.kind, &other.kind), (Kind::Amount(own), Kind::Amount(other)) if !own.is_empty() && other.is_empty());
    let alike = |own: &Term, other: &Term| is_like(own, other) && !loses_its_unit(own, other);
    old.len() == 1 && new.len() == 1 && old.iter().zip(new).all(|(own, other)| alike(own, other))
}

pub(super) fn is_like(own: &Term, other: &Term) -> bool {
    match (&own.kind, &other.kind) {
        (Kind::Amount(own), Kind::Amount(other)) => {
            own == other || own.is_empty() || other.is_empty()
        }
        (own, other) => own == other,
    }
}

/// Whether a clause states its one value: "gym on Monday" is one of several, and so is each line of
/// a timetable; "invoice 4711" is a name.
fn states(old: &Clause, values: &[&Term], shared: usize) -> bool {
    let is_be = |term: &Term| term.known.is(Section::Be);
    let worded = shared > 1 || old.terms.iter().any(is_be);
    values.len() < 2 && worded
}

/// Whether a word of change stands in a clause.
fn changes(clause: &Clause) -> bool {
    clause.terms.iter().any(|term| term.known.is_form_of(Section::Change))
}

/// Whether a code is a version: "1.2.0", "v3".
pub(super) fn is_version(term: &Term) -> bool {
    term.key.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether a value names one of several things: "invoice 1041 is paid", "room 204 has a sink".
pub(super) fn is_identifier(clause: &Clause, value: &Term) -> bool {
    let Some(at) = clause.terms.iter().position(|term| term == value) else { return false };
    let next = clause.terms.get(at + 1).filter(|next| !next.broken);
    let before = at.checked_sub(1).and_then(|at| clause.terms.get(at));
    // "Sprint Q3 12" goes by a quarter and a number, "task P0 7" by a code and one.
    let is_named =
        |term: &Term| matches!(term.kind, Kind::Plain | Kind::Name | Kind::Code | Kind::Date);
    let names = before.is_some_and(|before| before.content && is_named(before) && !value.broken);
    let goes_on = next.is_some_and(|next| !next.is(&["now", "instead", "anymore", "today"]));
    (names && goes_on) || (at == 0 && next.is_some())
}

/// The words behind the values, where these stand together: "for packages".
fn tail<'c>(clause: &'c Clause, values: &[&Term]) -> Option<Vec<&'c str>> {
    let words: Vec<&Term> = clause.content().collect();
    let first = values.first()?;
    let at = words.iter().position(|term| std::ptr::eq(*term, *first))?;
    let together =
        words.iter().skip(at).zip(values).all(|(word, value)| std::ptr::eq(*word, *value));
    let rest = words.iter().skip(at + values.len()).map(|term| term.key.as_str());
    together.then(|| rest.collect())
}

/// The word before the values, but for words of change: "at", "is".
pub(super) fn lead<'c>(clause: &'c Clause, values: &[&Term]) -> Option<&'c str> {
    let first = values.first()?;
    let at = clause.terms.iter().position(|term| term == *first)?;
    let light = ["a", "an", "the", "now", "new", "our", "my", "just", "not"];
    let before = clause.terms.get(..at)?.iter().rev().find(|term| !term.is(&light));
    before.map(|term| match term.text.as_str() {
        "are" | "was" | "were" | "am" => "is",
        _ => term.key.as_str(),
    })
}
