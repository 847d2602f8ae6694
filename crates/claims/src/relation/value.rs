use super::fact::PREPOSITIONS;
use super::term::Term;
use crate::grammar::{Article, LANGUAGES, Sort};
use crate::opposites::{opposite_of, other_side};

/// What kind of value a part of a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Amount,
    Clock,
    Day,
    Date,
    Name,
    Words,
}

/// The kind of both, where two parts of sentences are values of one kind.
pub(super) fn common(old: &[Term], new: &[Term]) -> Option<Kind> {
    let phrases = |terms: &[Term]| terms.iter().skip(1).any(|term| term.is(PREPOSITIONS));
    let untyped =
        |terms: &[Term]| terms.iter().any(|term| term.is_content() && term.sort == Sort::Plain);
    // Another phrase with a preposition is another place or case, not a part of the value.
    if (phrases(old) && untyped(old)) || (phrases(new) && untyped(new)) {
        return None;
    }
    let (old, new) = (measured(core(old)), measured(core(new)));
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let differs = |(own, other): &(&&Term, &&Term)| own.key != other.key;
    let language =
        |terms: &[&Term]| terms.iter().any(|term| LANGUAGES.contains(&term.text.as_str()));
    if language(&old) != language(&new) {
        return None;
    }
    if old.len() == new.len() {
        let fits = |(own, other): (&&Term, &&Term)| own.key == other.key || is_like(own, other);
        if old.iter().zip(&new).all(fits) {
            let kinds: Vec<Kind> =
                old.iter().zip(&new).filter(differs).map(|(own, _)| kind_of(own)).collect();
            // Of a number and another noun it says how many of something else there are.
            let mixed =
                kinds.contains(&Kind::Words) && kinds.iter().any(|kind| *kind != Kind::Words);
            return kinds.first().copied().filter(|_| !mixed && !is_timetable(&old, &new));
        }
    }
    let named = |terms: &[&Term]| {
        terms.iter().any(|term| term.proper)
            && terms.iter().all(|term| term.proper || term.sort == Sort::Amount)
    };
    if named(&old) && named(&new) {
        return Some(Kind::Name);
    }
    let plain = |terms: &[&Term]| terms.iter().all(|term| term.sort == Sort::Plain);
    let one_named = named(&old) != named(&new);
    (plain(&old) && plain(&new) && !one_named).then_some(Kind::Words)
}

/// Whether both say what is so at a time of their own that comes again: "9:00 on weekdays" and
/// "10:00 on Sundays", "Monday in winter" and "Tuesday in summer".
fn is_timetable(old: &[&Term], new: &[&Term]) -> bool {
    let differing = || old.iter().zip(new).filter(|(own, other)| own.key != other.key);
    let again = |term: &Term| term.recurs || term.sort == Sort::Often;
    differing().count() > 1 && differing().any(|(own, other)| again(own) || again(other))
}

/// Without the word for what kind of number it is: "port 9000" is 9000.
fn measured(terms: Vec<&Term>) -> Vec<&Term> {
    match terms.as_slice() {
        [kind, one] if one.sort == Sort::Amount && kind.is(&["port", "version", "number"]) => {
            vec![*one]
        }
        _ => terms,
    }
}

/// The words of a value that say something.
pub(super) fn core(terms: &[Term]) -> Vec<&Term> {
    terms.iter().filter(|term| term.is_content()).collect()
}

/// Whether two words can stand in each other's place as values.
pub(super) fn is_like(own: &Term, other: &Term) -> bool {
    match (own.sort, other.sort) {
        (Sort::Plain, Sort::Plain) => own.proper == other.proper,
        (Sort::Amount, Sort::Amount) => one_unit(&own.key, &other.key),
        (Sort::Amount, Sort::Date) => is_bare(&own.key) && is_bare(&other.key),
        (Sort::Date, Sort::Amount) => is_bare(&own.key) && is_bare(&other.key),
        (Sort::Amount, Sort::Clock) => is_hour(&own.key, &other.key),
        (Sort::Clock, Sort::Amount) => is_hour(&other.key, &own.key),
        (own, other) => own == other,
    }
}

/// Whether a bare number may be the hour of a clock, and isn't that of this one.
fn is_hour(number: &str, clock: &str) -> bool {
    let hour = number.parse::<u32>().ok().filter(|hour| (1..=24).contains(hour));
    hour.is_some_and(|hour| clock != format!("at {}", hour % 24 * 60))
}

fn is_bare(form: &str) -> bool {
    form.bytes().all(|letter| letter.is_ascii_digit())
}

/// Whether two amounts are of one unit.
pub(super) fn one_unit(own: &str, other: &str) -> bool {
    let (own, other) = (unit(own), unit(other));
    own == other || (other.is_empty() && ["usd", "eur", "gbp", "inr", "percent"].contains(&own))
}

pub(super) fn unit(form: &str) -> &str {
    form.split_once(' ').map_or("", |(_, unit)| unit)
}

fn kind_of(term: &Term) -> Kind {
    match term.sort {
        Sort::Amount => Kind::Amount,
        Sort::Clock => Kind::Clock,
        Sort::Day => Kind::Day,
        Sort::Date | Sort::Often | Sort::Relative => Kind::Date,
        Sort::Plain if term.proper => Kind::Name,
        Sort::Plain => Kind::Words,
    }
}

/// Whether a thing that is the one can't be the other: opposites, colours, states of work.
pub(super) fn excludes(old: &[Term], new: &[Term]) -> bool {
    let (old, new) = (core(old), core(new));
    let ([own], [other]) = (&old[..], &new[..]) else { return false };
    is_other_state(own, other)
}

/// Whether what is in the one state isn't in the other.
pub(super) fn is_other_state(own: &Term, other: &Term) -> bool {
    let listed =
        |row: &&[&str]| row.contains(&own.text.as_str()) && row.contains(&other.text.as_str());
    let un = |one: &Term, two: &Term| one.text.strip_prefix("un") == Some(two.text.as_str());
    own.key != other.key
        && (EXCLUSIVE.iter().any(listed)
            || is_opposite(own, other)
            || un(own, other)
            || un(other, own))
}

fn is_opposite(own: &Term, other: &Term) -> bool {
    let (own, other) = (opposite_of(&own.text), opposite_of(&other.text));
    own.zip(other).is_some_and(|(own, other)| other_side(&own) == other)
}

/// Whether two values are kinds of one thing: "a senior engineer" and "a staff engineer", "the
/// second floor" and "the third floor".
pub(super) fn one_head(old: &[Term], new: &[Term]) -> bool {
    let (old, new) = (core(old), core(new));
    let head = old.last().zip(new.last());
    let definite = |terms: &[&Term]| terms.first().map(|term| term.article == Article::Indefinite);
    definite(&old) == definite(&new) && head.is_some_and(|(own, other)| own.key == other.key)
}

/// Words of which one thing has one at a time. Our own list.
#[rustfmt::skip]
const EXCLUSIVE: &[&[&str]] = &[
    &["red", "green", "blue", "yellow", "white", "black", "grey", "gray", "orange", "purple",
      "pink", "brown", "beige", "turquoise", "amber", "teal", "navy", "maroon", "indigo", "olive"],
    &["open", "closed", "fixed", "resolved", "done", "blocked", "merged", "shipped", "abandoned",
      "rejected", "reopened", "shut", "finished", "cancelled", "canceled"],
    &["pending", "approved", "rejected", "declined", "granted", "denied"],
    &["draft", "published", "archived", "final"],
    &["single", "married", "engaged", "divorced", "widowed"],
    &["enabled", "disabled"], &["on", "off"], &["up", "down"], &["broken", "repaired", "fixed"],
    &["ongoing", "over", "resolved", "finished", "underway"], &["broken", "working", "repaired"],
    &["available", "unavailable"], &["vacant", "occupied", "taken", "let"],
    &["full", "empty"], &["alive", "dead"], &["ill", "sick", "well", "healthy"], &["free", "paid"], &["booked", "cancelled"],
    &["passing", "failing"], &["manual", "automatic", "automated"], &["public", "private"],
    &["optional", "mandatory", "required"], &["weekly", "monthly", "daily", "quarterly"],
    &["vegetarian", "vegan", "omnivore"], &["debug", "info", "warn", "warning", "error", "trace"],
    &["sunny", "rainy", "cloudy"], &["low", "medium", "high", "critical", "urgent"],
];
