use super::attribute::Attribute;
use super::clause::Clause;
use super::nouns::Noun;
use super::subject::plain;
use super::word::Word;
use crate::claim::{Cardinality, Claim};

/// A claim that names the value first: "Dr. Chen is Paula's doctor".
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let (value, noun) = (clause.words.get(..at)?, clause.words.get(at + 1..)?);
    let first = value.first()?;
    let named = first.proper && !value.iter().any(|word| word.owner);
    let head_first = noun.iter().position(|word| word.is_in(&["of"])).unwrap_or(noun.len());
    let head = noun.get(..head_first)?.last()?;
    let one = noun.first().is_some_and(|word| word.article != super::word::Article::Indefinite);
    let owned = noun.iter().any(|word| word.owner || word.is_in(&["my", "his", "her", "of"]));
    if !named || !one || !owned || !is_role(head, noun) {
        return None;
    }
    let attribute = Attribute::of(noun).filter(|attribute| attribute.noun.is_some())?;
    Some(Claim {
        entity: attribute.subject.entity,
        predicate: attribute.predicate,
        value: plain(value)?,
        cardinality: Cardinality::Single,
        negated: clause.negated,
        past: clause.past,
        detail: String::new(),
        about: attribute.subject.about,
    })
}

fn is_role(head: &Word, noun: &[Word]) -> bool {
    let known = |name: &str| Noun::of(name).is_some();
    known(&head.lemma) || noun.last().is_some_and(|last| known(&last.lemma))
}
