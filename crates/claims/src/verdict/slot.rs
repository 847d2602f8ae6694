use super::named::is_of_us;
use super::parsed::{Clause, Parsed};
use super::term::{Kind, Term};
use super::words::Section;
use crate::claim::{About, Cardinality, Claim};

/// Whether the grammar finds one slot in both.
pub(super) fn is_shared(old: &Parsed<'_>, new: &Parsed<'_>) -> bool {
    let new = new.claim().filter(|claim| claim.makes_slot());
    new.is_some_and(|new| old.claim().is_some_and(|old| old.same_slot(new)))
}

/// Whether two sentences give one property of one thing, by the grammar: two values of one
/// kind, where it has one value at a time, or a value and its denial.
///
/// The grammar reads a sentence whole, so that a place or a condition is a part of the value.
pub(super) fn ends(
    old: &Parsed<'_>,
    new: &Parsed<'_>,
    (before, after): (&Clause, &Clause),
) -> bool {
    let about_one = old.is_about_one() && new.is_about_one();
    let is_sure =
        |claim: &&Claim| claim.makes_slot() && (about_one || claim.about != About::Pronoun);
    // The new one is taken apart once for many.
    let Some(new) = new.claim().filter(is_sure) else { return false };
    let Some(old) = old.claim().filter(is_sure).filter(|old| old.same_slot(new)) else {
        return false;
    };
    // The grammar may have left out who or what it is about: "Chris from accounts".
    if has_more(before, after, &old.value) || has_more(after, before, &new.value) {
        return false;
    }
    let has_one = |claim: &Claim| claim.cardinality == Cardinality::Single && !claim.negated;
    match old.negated == new.negated {
        true => has_one(old) && has_one(new) && are_of_one_kind(&old.value, &new.value),
        false => old.value == new.value,
    }
}

/// Whether a clause has words beyond the other's, its value and one verb.
fn has_more(clause: &Clause, other: &Clause, value: &str) -> bool {
    let value = Term::all(value).unwrap_or_default();
    let is_value =
        |term: &Term| value.iter().any(|own| own.text == term.text || own.key == term.key);
    let own: Vec<&Term> = clause.beyond(other).into_iter().filter(|term| !is_value(term)).collect();
    let verb = |term: &Term| clause.may_be_verb(term);
    let first = clause.content().next();
    own.len() > 1
        || !own.into_iter().all(|term| verb(term) && (first != Some(term) || is_of_us(clause)))
}

/// Whether two values differ and are of one kind: as many of each kind in both.
fn are_of_one_kind(old: &str, new: &str) -> bool {
    let kinds = |value: &str| -> Option<Vec<Kind>> {
        let terms = Term::all(value)?;
        let mut kinds: Vec<Kind> = Vec::new();
        for term in terms.iter().filter(|term| term.content) {
            // The value is folded: a name is a word here.
            let kind = if term.is_typed() { term.kind.clone() } else { Kind::Plain };
            if kinds.last() != Some(&kind) {
                kinds.push(kind);
            }
        }
        Some(kinds)
    };
    let place = |value: &str| Term::all(value).unwrap_or_default().iter().skip(1).any(is_place);
    // "8080 on staging" and "80 on production" are numbers of two things.
    let worded = |value: &str| -> Vec<String> {
        let terms = Term::all(value).unwrap_or_default();
        terms
            .into_iter()
            .filter(|term| term.content && !term.is_typed())
            .map(|term| term.key)
            .collect()
    };
    let is_typed = |value: &str| Term::all(value).unwrap_or_default().iter().any(Term::is_typed);
    if (is_typed(old) || is_typed(new)) && worded(old) != worded(new) {
        return false;
    }
    old != new && kinds(old) == kinds(new) && !place(old) && !place(new)
}

/// A phrase with a preposition inside a value is another place or case, not a part of it.
fn is_place(term: &Term) -> bool {
    term.known.is(Section::Prepositions)
}
