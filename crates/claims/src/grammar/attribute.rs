use super::nouns::Noun;
use super::subject::{Subject, owned, plain};
use crate::claim::About;
use memlith_text::Word;

/// A property named by a noun, and what it is a property of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) subject: Subject,
    pub(crate) predicate: String,
    /// The noun, where it is one of those that have one value at a time.
    pub(crate) noun: Option<Noun>,
}

impl Attribute {
    /// The property that `words` name: "port of the API", "the API's port", "API port".
    pub(crate) fn of(words: &[Word]) -> Option<Attribute> {
        if let Some(of) = words.iter().position(|word| word.is_in(&["of", "for"])) {
            let (noun, owner) = (words.get(..of)?, words.get(of + 1..)?);
            let subject = Subject::of(owner).filter(|_| !owner.is_empty())?;
            return Attribute::with_owner(subject, noun);
        }
        if let Some((subject, noun)) = owned(words) {
            return Attribute::with_owner(subject, noun);
        }
        let noun = match words {
            [first, rest @ ..] if first.is_in(&["our"]) => rest,
            words => words,
        };
        let (modifiers, head) = split(noun)?;
        let known = Noun::of(&head);
        let preferred = known.is_some_and(|noun| noun.predicate == "preferred_contact");
        let modifiers = if preferred { &[] } else { modifiers };
        // "Favourite number" is a person's; "request timeout" is the requests'.
        let personal = modifiers.iter().all(|word| word.is_in(PERSONAL));
        if modifiers.is_empty() || personal {
            let predicate = joined(modifiers, known.map_or(head.as_str(), |noun| noun.predicate));
            return Some(Attribute { subject: Subject::reader(), predicate, noun: known });
        }
        let subject = Subject { entity: plain(modifiers)?, about: About::Named };
        let predicate = known.map_or(head.as_str(), |noun| noun.predicate).to_owned();
        Some(Attribute { subject, predicate, noun: known })
    }

    fn with_owner(subject: Subject, noun: &[Word]) -> Option<Attribute> {
        let (modifiers, head) = split(noun)?;
        plain(noun)?;
        let known = Noun::of(&head);
        let predicate = joined(modifiers, known.map_or(head.as_str(), |noun| noun.predicate));
        Some(Attribute { subject, predicate, noun: known })
    }
}

/// The noun itself, of one word or two, and what stands before it.
fn split(words: &[Word]) -> Option<(&[Word], String)> {
    let (last, before) = words.split_last()?;
    if let Some((second, rest)) = before.split_last() {
        let both = format!("{} {}", second.lemma, last.lemma);
        if Noun::of(&both).is_some() {
            return Some((rest, both));
        }
    }
    Some((before, last.lemma.clone()))
}

fn joined(modifiers: &[Word], head: &str) -> String {
    let mut name = String::new();
    for word in modifiers {
        name.push_str(&word.lemma);
        name.push('_');
    }
    name.push_str(&head.replace(' ', "_"));
    name
}

/// Modifiers that belong to a property of a person.
const PERSONAL: &[&str] = &[
    "favorite",
    "preferred",
    "goal",
    "target",
    "resting",
    "first",
    "last",
    "middle",
    "shoe",
    "current",
    "monthly",
    "annual",
    "preferred",
    "native",
];
