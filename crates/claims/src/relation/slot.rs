use super::term::Term;
use super::value::{Kind, common};
use super::{Parsed, Said};
use crate::claim::{About, Cardinality, Claim};

/// Whether two sentences give one property of one thing, by the grammar: two values of one
/// kind, where it has one value at a time, or a value and its denial.
///
/// The grammar reads a sentence whole, so that a place or a condition is a part of the value.
pub(super) fn replaces(old: &Parsed<'_>, new: &Parsed<'_>) -> bool {
    let about_one = old.said.about_one && new.said.about_one;
    let (Some(old), Some(new)) = (old.claim(), new.claim()) else { return false };
    let is_sure =
        |claim: &Claim| claim.makes_slot() && (about_one || claim.about != About::Pronoun);
    if !is_sure(old) || !is_sure(new) || !old.same_slot(new) {
        return false;
    }
    let has_one = |claim: &Claim| claim.cardinality == Cardinality::Single && !claim.negated;
    match old.negated == new.negated {
        true => has_one(old) && has_one(new) && kind(&old.value, &new.value).is_some(),
        false => old.value == new.value,
    }
}

/// The kind of both values, where they differ and are of one.
fn kind(old: &str, new: &str) -> Option<Kind> {
    let words = |text| Term::all(&Said { text, speaker: "", about_one: false });
    let (before, after) = words(old).zip(words(new))?;
    common(&before, &after).filter(|_| old != new)
}
