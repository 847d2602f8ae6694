use crate::claim::About;
use memlith_text::{Article, Sort, Word};

/// The subject of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) entity: String,
    pub(crate) about: About,
}

/// The entity of the one whose notes these are.
pub(crate) const SELF: &str = "self";

/// A description of more words is more than a name.
const WORDS_MAX: usize = 5;

impl Subject {
    /// The one whose notes these are.
    pub(crate) fn reader() -> Subject {
        Subject { entity: SELF.to_owned(), about: About::Reader }
    }

    /// The subject that these words name: nothing at all, a pronoun, or a noun and its description.
    ///
    /// `None` where they are no name of one thing: indefinite, or with a preposition
    /// other than "of".
    pub(crate) fn of(words: &[Word]) -> Option<Subject> {
        if words.len() > WORDS_MAX || words.first().is_some_and(is_indefinite) {
            return None;
        }
        let [first, rest @ ..] = words else { return Some(Subject::reader()) };
        if rest.is_empty() {
            if let Some(about) = pronoun(first) {
                let entity = if about == About::Speaker { SELF } else { &first.text };
                return Some(Subject { entity: entity.to_owned(), about });
            }
            if is_reader(first) {
                return Some(Subject::reader());
            }
        }
        if let Some(of) = words.iter().position(|word| word.is_in(&["of"])) {
            let (head, tail) = (words.get(..of)?, words.get(of + 1..)?);
            if head.is_empty() || tail.is_empty() {
                return None;
            }
            let owner = Subject::of(tail)?;
            return Some(Subject { entity: under(&owner.entity, &plain(head)?), ..owner });
        }
        if let Some(with) = words.iter().position(|word| word.is_in(&["with"])) {
            let (head, tail) = (words.get(..with)?, words.get(with + 1..)?);
            let entity = format!("{} with {}", plain(head)?, plain(tail)?);
            return Some(Subject { entity, about: About::Named });
        }
        if let Some((owner, thing)) = owned(words) {
            return Some(match thing {
                [] => owner,
                thing => {
                    let entity = under(&owner.entity, &plain(thing)?);
                    Subject { entity, ..owner }
                }
            });
        }
        Some(Subject { entity: plain(words)?, about: About::Named })
    }
}

/// The owner that words begin with, by a possessive, and what it owns.
pub(crate) fn owned(words: &[Word]) -> Option<(Subject, &[Word])> {
    let [first, rest @ ..] = words else { return None };
    let about = match first.text.as_str() {
        "my" => Some((SELF.to_owned(), About::Speaker)),
        "his" => Some(("he".to_owned(), About::Pronoun)),
        "her" => Some(("she".to_owned(), About::Pronoun)),
        "their" => Some(("they".to_owned(), About::Pronoun)),
        _ => None,
    };
    if let Some((entity, about)) = about {
        return Some((Subject { entity, about }, rest));
    }
    if first.is_in(&["our"]) {
        return None;
    }
    let last = words.iter().rposition(|word| word.owner)?;
    let (owner, thing) = words.split_at_checked(last + 1)?;
    let subject = match owner {
        [one] if is_reader(one) => Subject::reader(),
        owner => Subject { entity: plain(owner)?, about: About::Named },
    };
    Some((subject, thing))
}

/// Words as one name, without prepositions.
pub(crate) fn plain(words: &[Word]) -> Option<String> {
    let rest = match words {
        [first, rest @ ..] if first.is_in(&["our"]) => rest,
        words => words,
    };
    let names = |word: &Word| match word.sort {
        Sort::Plain | Sort::Amount | Sort::Often | Sort::Clock | Sort::Day => {
            !word.is_in(LINKS) && !word.lemma.is_empty()
        }
        Sort::Date | Sort::Relative => false,
    };
    if rest.is_empty() || rest.len() > WORDS_MAX || !rest.iter().all(names) {
        return None;
    }
    if rest.iter().any(|word| pronoun(word).is_some()) {
        return None;
    }
    let lemmas: Vec<&str> = rest.iter().map(|word| word.lemma.as_str()).collect();
    Some(lemmas.join(" "))
}

fn under(owner: &str, thing: &str) -> String {
    format!("{owner} {thing}")
}

fn is_indefinite(word: &Word) -> bool {
    word.article == Article::Indefinite
        || word.is_in(&["every", "each", "any", "all", "many", "most", "several", "no", "old"])
}

fn is_reader(word: &Word) -> bool {
    word.article == Article::Definite && word.is_in(&["user", "contact", "customer", "client"])
        || word.proper && word.is_in(&["user", "contact"])
}

fn pronoun(word: &Word) -> Option<About> {
    match word.text.as_str() {
        _ if word.sort != Sort::Plain => None,
        "i" | "me" => Some(About::Speaker),
        "he" | "she" | "they" => Some(About::Pronoun),
        _ => None,
    }
}

/// Words that join other words: what has them is no plain name.
const LINKS: &[&str] = &[
    "in", "on", "at", "to", "for", "from", "by", "with", "without", "as", "than", "per", "of",
    "after", "before", "about", "under", "over", "into", "via", "be", "have", "can", "not",
    "there", "here", "then", "so", "like", "likes", "since", "during", "between", "my", "his",
    "her", "their",
];
