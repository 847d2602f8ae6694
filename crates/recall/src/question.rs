use memlith_event::Key;
use memlith_log::Timestamp;

use crate::Recall;
use crate::actor_name::ActorName;
use crate::analysis::{Stems, Token, tokens};
use crate::days::{Days, day_of};
use crate::misspelt::Speller;
use crate::stop_words::is_weak_word;
use crate::synonyms;

/// A query taken apart.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its terms, each once, at most [`TERMS_MAX`].
    pub(crate) terms: Vec<QueryTerm>,
    /// The actors it names.
    pub(crate) actors: Vec<Key>,
    /// Whether it says nothing but their names.
    pub(crate) only_names: bool,
    /// The days it names.
    pub(crate) days: Option<Days>,
    /// What sort of answer it asks for.
    pub(crate) asks: Asks,
    /// Terms that say the same as its own, at most [`SYNONYMS_MAX`].
    pub(crate) synonyms: Vec<Synonym>,
}

/// A term that is said instead of one of the query's.
#[derive(Debug)]
pub(crate) struct Synonym {
    /// The term.
    pub(crate) term: String,
    /// The place of the query's own among its terms.
    pub(crate) of: usize,
}

/// One term of a query.
#[derive(Clone, Debug)]
pub(crate) struct QueryTerm {
    /// The term.
    pub(crate) term: String,
    /// What it counts for, in tenths.
    pub(crate) tenths: i64,
    /// Whether it is what was meant, as it seems, by a word that was typed wrong.
    pub(crate) misspelt: bool,
}

/// What sort of answer a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Asks {
    /// A time.
    pub(crate) when: bool,
    /// How something ended.
    pub(crate) outcome: bool,
}

/// No query is searched for more terms: what one costs is bounded.
const TERMS_MAX: usize = 64;

/// No more terms are looked for: one bit each says which a word may be.
const SOUGHT_MAX: usize = 64;

/// No query is searched for more terms that say the same as its own.
const SYNONYMS_MAX: usize = 48;

/// What a word of asking counts for, in tenths. Source: specs/recall.md, the scorer, 1.
const WEAK_TENTHS: i64 = 4;

impl Question {
    /// The words of `text`, each once, whoever is called so; identifiers in parts.
    pub(crate) fn plain(text: &str, now: Timestamp) -> Question {
        let mut terms: Vec<QueryTerm> = Vec::new();
        for term in tokens(text).into_iter().filter(|token| !token.whole).map(term_of) {
            if terms.len() < TERMS_MAX && !terms.iter().any(|known| known.term == term.term) {
                terms.push(term);
            }
        }
        let days = Days::named_in(text, day_of(now));
        Question {
            terms,
            actors: Vec::new(),
            only_names: false,
            days,
            asks: Asks::default(),
            synonyms: Vec::new(),
        }
    }

    /// The terms themselves, and nothing else.
    pub(crate) fn of_terms(terms: impl Iterator<Item = QueryTerm>) -> Question {
        Question {
            terms: terms.take(TERMS_MAX).collect(),
            actors: Vec::new(),
            only_names: false,
            days: None,
            asks: Asks::default(),
            synonyms: Vec::new(),
        }
    }

    /// `text` as the cells understand it; `now` is the instant that it was asked at.
    pub(crate) fn of(recall: &Recall, cells: &[Key], text: &str, now: Timestamp) -> Question {
        let mut question = Question {
            terms: Vec::new(),
            actors: Vec::new(),
            only_names: false,
            days: Days::named_in(text, day_of(now)),
            asks: Asks::of(text),
            synonyms: Vec::new(),
        };
        let (mut names, mut stems) = (Vec::new(), Vec::new());
        let mut speller = Speller::new(recall, cells);
        for token in tokens(text) {
            let actors = recall.actors_called(cells, &token.term);
            let topic = actors.is_empty();
            let right = Some(&token).filter(|token| topic && !token.whole);
            let right = right.and_then(|token| speller.put_right(&token.word, &token.term));
            let misspelt = right.is_some();
            let token = match right {
                Some(term) => Token { word: term.clone(), term, ..token },
                None => token,
            };
            let stem = token.term.clone();
            let term = QueryTerm { misspelt, ..term_of(token) };
            let list = if topic { &mut question.terms } else { &mut names };
            if list.len() < TERMS_MAX && !list.iter().any(|known| known.term == term.term) {
                list.push(term);
                stems.extend(topic.then_some(stem));
            }
            question.actors.extend(actors);
        }
        question.synonyms = synonyms_of(&stems);
        question.actors.sort_unstable();
        question.actors.dedup();
        // A name says whose words are meant; only where nothing else is said is it the topic.
        if question.terms.is_empty() {
            question.only_names = !names.is_empty();
            question.terms = names;
        }
        question
    }
}

/// The synonyms of terms, in their order: as many of each.
fn synonyms_of(terms: &[String]) -> Vec<Synonym> {
    let each = SYNONYMS_MAX.checked_div(terms.len()).unwrap_or_default();
    let stems = Stems::new();
    let of = |(of, term): (usize, &String)| {
        let same = synonyms::of(&stems, term).into_iter().take(each);
        same.map(|term| Synonym { term, of }).collect::<Vec<_>>()
    };
    terms.iter().enumerate().flat_map(of).collect()
}

fn term_of(token: Token) -> QueryTerm {
    let tenths = if is_weak_word(&token.word) { WEAK_TENTHS } else { 10 };
    QueryTerm { term: token.term, tenths, misspelt: false }
}

impl Question {
    /// The places among [`Question::sought`] of what says the term at `at`: itself, and what is
    /// said instead of it.
    pub(crate) fn said_as<'a>(
        &'a self,
        at: usize,
        term: &'a QueryTerm,
    ) -> impl Iterator<Item = (usize, &'a str)> {
        let same = self.synonyms.iter().enumerate().filter(move |(_, same)| same.of == at);
        let same = same.map(|(place, same)| (self.terms.len() + place, same.term.as_str()));
        std::iter::once((at, term.term.as_str())).chain(same)
    }

    /// All terms that are looked for: its own, then what is said instead of them.
    pub(crate) fn sought(&self) -> Vec<QueryTerm> {
        let same = self.synonyms.iter().map(|same| same.term.clone());
        let same = same.map(|term| QueryTerm { term, tenths: 0, misspelt: false });
        self.terms.iter().cloned().chain(same).take(SOUGHT_MAX).collect()
    }
}

impl Asks {
    fn of(text: &str) -> Asks {
        let lower = text.chars().take(1_000).collect::<String>().to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let pair = |first, second| {
            words.windows(2).any(|pair| matches!(pair, [a, b] if *a == first && *b == second))
        };
        let word = |wanted| words.contains(&wanted);
        Asks {
            when: word("when")
                || pair("what", "date")
                || pair("how", "long")
                || word("year")
                || word("month"),
            outcome: word("outcome")
                || word("outcomes")
                || pair("come", "of")
                || pair("came", "of")
                || word("how")
                    && ["end", "ended", "ends", "finish", "finished"].into_iter().any(word),
        }
    }
}

impl Recall {
    /// The actors whose names have `term` in them.
    fn actors_called(&self, cells: &[Key], term: &str) -> Vec<Key> {
        let words = cells.iter().map(|cell| ActorName::word(*cell, term));
        words
            .flat_map(|word| self.actors.range((word, Key::default())..=(word, Key::MAX)))
            .map(|row| row.actor)
            .collect()
    }
}
