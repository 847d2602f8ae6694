use super::Said;
use super::lemma::lemma;
use super::spelling::spelled_out;
use crate::grammar::{Article, Sort, Word};
use crate::token::tokens;

/// A word of a sentence, in the form in which two sentences are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// As it is written, in lower case.
    pub(super) text: String,
    /// The same for all its endings; of a number or a moment its exact form.
    pub(super) key: String,
    pub(super) sort: Sort,
    pub(super) article: Article,
    /// Whether it stands in the possessive.
    pub(super) owner: bool,
    /// Whether it is written as a name.
    pub(super) proper: bool,
    /// Whether it is the form of what was.
    pub(super) past: bool,
    /// Whether a comma, a colon or the end of a sentence stands before it.
    pub(super) broken: bool,
    /// Whether a colon does.
    pub(super) colon: bool,
    /// Whether it is a day that comes each week, or a time of year: "Mondays", "in winter".
    pub(super) recurs: bool,
    /// Whether the speaker is meant.
    pub(super) first_person: bool,
}

/// A longer sentence says more than one thing.
const TERMS_MAX: usize = 48;

/// The speaker nobody named.
const NOBODY: &str = "@i";

impl Term {
    /// The words of what is said; none where that is too long.
    pub(super) fn all(said: &Said<'_>) -> Option<Vec<Term>> {
        let text = spelled_out(said.text);
        let tokens = tokens(&text, TERMS_MAX)?;
        let mut terms: Vec<Term> = Vec::new();
        let (mut article, mut broken, mut after_colon) = (Article::None, false, false);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let colon = at > 0 && is_after_colon(&text, token.range.start);
            after_colon |= colon;
            broken |= token.broken || token.first || colon;
            let (word, count) = Word::at(&tokens, at)?;
            at += count;
            match word.text.as_str() {
                "the" | "this" | "these" if at < tokens.len() => article = Article::Definite,
                "a" | "an" if at < tokens.len() => article = Article::Indefinite,
                _ => {
                    let mut term = Term::of(&word, article, said.speaker);
                    // "iOS" is a name as well.
                    let written = text.get(token.range.clone()).unwrap_or_default();
                    term.proper |=
                        term.sort == Sort::Plain && written.chars().skip(1).any(char::is_uppercase);
                    term.recurs = recurs(&term, &token.lower);
                    terms.push(Term { broken, colon: after_colon, ..term });
                    (article, broken, after_colon) = (Article::None, false, false);
                }
            }
        }
        Some(terms)
    }

    fn of(word: &Word, article: Article, speaker: &str) -> Term {
        let plain = word.sort == Sort::Plain;
        let first_person = plain && FIRST_PERSON.contains(&word.text.as_str());
        let (text, key, past) = if first_person {
            let name = bare(speaker);
            (name.clone(), lemma(&name).0, false)
        } else if plain {
            let (key, past) = lemma(&word.text);
            (word.text.clone(), key, past)
        } else {
            (word.text.clone(), word.text.clone(), false)
        };
        let owner = word.owner || (first_person && matches!(word.text.as_str(), "my" | "mine"));
        let proper = first_person || (plain && word.proper);
        let sort = word.sort;
        Term {
            text,
            key,
            sort,
            article,
            owner,
            proper,
            past,
            broken: false,
            colon: false,
            recurs: false,
            first_person,
        }
    }

    /// "is", where a colon stands for it.
    pub(super) fn be() -> Term {
        let word = Word::of("is".to_owned(), Sort::Plain);
        Term::of(&word, Article::None, "")
    }

    /// "to".
    pub(super) fn to() -> Term {
        let word = Word::of("to".to_owned(), Sort::Plain);
        Term::of(&word, Article::None, "")
    }

    /// Whether it is one of these words.
    pub(super) fn is(&self, words: &[&str]) -> bool {
        self.sort == Sort::Plain && words.contains(&self.text.as_str())
    }

    /// Whether it says something about a thing by itself.
    pub(super) fn is_content(&self) -> bool {
        !self.is(FUNCTION_WORDS)
    }

    /// Whether it is one of the forms of "be".
    pub(super) fn is_be(&self) -> bool {
        self.is(BE)
    }
}

/// Whether a colon and a blank stand before `start`.
fn is_after_colon(text: &str, start: usize) -> bool {
    text.get(..start).is_some_and(|before| before.trim_end().ends_with(':'))
}

/// Whether a moment is one of many: a day of each week, a time of the year or the day.
fn recurs(term: &Term, written: &str) -> bool {
    let days = term.sort == Sort::Day && (written.ends_with('s') || written.starts_with("week"));
    days || matches!(written, "spring" | "summer" | "autumn" | "winter" | "fall" | "term-time")
}

/// "user:ana" is Ana.
fn bare(speaker: &str) -> String {
    let name = speaker.rsplit(':').next().unwrap_or_default().trim().to_lowercase();
    if name.is_empty() { NOBODY.to_owned() } else { name }
}

const FIRST_PERSON: &[&str] = &["i", "me", "my", "mine", "myself"];

pub(super) const BE: &[&str] = &["is", "are", "am", "be", "was", "were", "been", "being"];

/// Words that hold a sentence together, and what only says that it is so at present.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "is", "are", "am", "be", "was", "were", "been", "being", "has", "have", "had", "having",
    "do", "does", "did", "got", "get", "gets", "we", "our", "us", "ours", "they", "their", "them",
    "it", "its", "he", "she", "his", "her", "him", "you", "your", "in", "on", "at", "to", "of",
    "for", "from", "by", "with", "into", "onto", "as", "over", "off", "out", "up", "down", "and",
    "than", "that", "there", "now", "currently", "just", "already", "finally", "recently",
    "officially", "so", "then", "until", "till", "under", "via", "not", "no", "any", "more",
    "longer", "instead", "both", "one", "ones", "own", "next", "back", "about", "per",
    "each", "every", "some", "s", "but", "rather", "than",
];
