use super::attribute::Attribute;
use super::clause::Clause;
use super::nouns::Noun;
use super::subject::plain;
use crate::claim::{Cardinality, Claim};
use memlith_text::{Article, Word};

/// A claim that names the value first: "Dr. Chen is Paula's doctor".
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let (value, noun) = (clause.words.get(..at)?, clause.words.get(at + 1..)?);
    let first = value.first()?;
    let named = first.proper && !value.iter().any(|word| word.owner);
    let head_first = noun.iter().position(|word| word.is_in(&["of"])).unwrap_or(noun.len());
    let head = noun.get(..head_first)?.last()?;
    let one = noun.first().is_some_and(|word| word.article != Article::Indefinite);
    let definite = first_article(noun) == Article::Definite && !head.is_in(ANYBODY);
    let owned = noun.iter().any(|word| word.owner || word.is_in(&["my", "his", "her", "of"]));
    let owned = owned || definite;
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

fn first_article(words: &[Word]) -> Article {
    words.first().map_or(Article::None, |word| word.article)
}

/// Roles of which it has to be said whose they are: a manager, a doctor.
const ANYBODY: &[&str] = &[
    "manager",
    "boss",
    "doctor",
    "dentist",
    "teacher",
    "partner",
    "wife",
    "husband",
    "spouse",
    "key",
    "name",
    "author",
    "director",
    "team",
    "city",
    "country",
    "band",
    "book",
    "song",
    "movie",
    "film",
    "car",
    "school",
    "bank",
    "model",
    "host",
    "path",
    "number",
    "limit",
    "home",
    "address",
    "color",
    "food",
    "animal",
    "game",
    "therapist",
    "physician",
    "supervisor",
    "provider",
    "restaurant",
    "airline",
    "artist",
    "database",
    "platform",
    "language",
    "plan",
    "framework",
    "editor",
    "browser",
    "shell",
    "job",
    "title",
    "role",
    "position",
    "format",
];

fn is_role(head: &Word, noun: &[Word]) -> bool {
    let known = |name: &str| Noun::of(name).is_some();
    known(&head.lemma) || noun.last().is_some_and(|last| known(&last.lemma))
}
