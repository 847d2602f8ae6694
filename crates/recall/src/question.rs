use memlith_event::Key;
use memlith_log::Timestamp;

use crate::Recall;
use crate::actor_name::ActorName;
use crate::analysis::{Stems, Token, Word, tokens};
use crate::days::{Days, day_of};
use crate::misspelt::Speller;
use crate::neighbours;
use crate::stop_words::is_weak_word;
use crate::synonyms;

/// A query taken apart.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its terms, each once, at most [`TERMS_MAX`].
    pub(crate) terms: Vec<QueryTerm>,
    /// The actors it names.
    pub(crate) actors: Vec<Key>,
    /// The words that name them, in lower case.
    pub(crate) names: Vec<String>,
    /// Whether it says nothing but their names.
    pub(crate) only_names: bool,
    /// The days it names.
    pub(crate) days: Option<Days>,
    /// The sort of answer it asks for.
    pub(crate) asks: Asks,
    /// Terms of words that mean about the same, at most [`NEAR_MAX`].
    pub(crate) near: Vec<NearTerm>,
}

/// A term that means about what one of the query's means.
#[derive(Debug)]
pub(crate) struct NearTerm {
    /// The term.
    pub(crate) term: String,
    /// The place of the query's own among its terms.
    pub(crate) of: usize,
    /// How near the two are, of [`crate::neighbours::SAME`].
    pub(crate) likeness: u8,
}

/// The place of no term: of one that gives a reason, and counts for nothing of its own.
pub(crate) const REASON: usize = 0xff;

/// Words by which a reason is given.
const REASONS: [&str; 6] = ["reason", "cause", "culprit", "due", "explain", "owing"];

/// The likeness of a term that says the same as the query's, and covers it; no neighbour is as
/// near.
pub(crate) const SYNONYM: u8 = u8::MAX;

/// One term of a query.
#[derive(Clone, Debug)]
pub(crate) struct QueryTerm {
    /// The term.
    pub(crate) term: String,
    /// Its weight, in tenths.
    pub(crate) tenths: i64,
    /// Whether it is what was meant, as it seems, by a word that was typed wrong.
    pub(crate) misspelt: bool,
}

/// The sort of answer a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Asks {
    /// A time.
    pub(crate) when: bool,
    /// How something ended.
    pub(crate) outcome: bool,
    /// A reason.
    pub(crate) reason: bool,
}

/// No query is searched for more terms: what one costs is bounded.
const TERMS_MAX: usize = 64;

/// The terms and those near them are together no more: one bit each says which a word may be.
const SOUGHT_MAX: usize = 64;

/// No query is searched for more terms that are near its own.
const NEAR_MAX: usize = 48;

/// Weight of a word of asking, in tenths. Source: specs/recall.md, the scorer, 1.
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
            names: Vec::new(),
            only_names: false,
            days,
            asks: Asks::default(),
            near: Vec::new(),
        }
    }

    /// The terms themselves, and nothing else.
    pub(crate) fn of_terms(terms: impl Iterator<Item = QueryTerm>) -> Question {
        Question {
            terms: terms.take(TERMS_MAX).collect(),
            actors: Vec::new(),
            names: Vec::new(),
            only_names: false,
            days: None,
            asks: Asks::default(),
            near: Vec::new(),
        }
    }

    /// `text` as the cells understand it; `now` is the instant that it was asked at.
    pub(crate) fn of(recall: &Recall, cells: &[Key], text: &str, now: Timestamp) -> Question {
        let mut question = Question {
            terms: Vec::new(),
            actors: Vec::new(),
            names: Vec::new(),
            only_names: false,
            days: Days::named_in(text, day_of(now)),
            asks: Asks::of(text),
            near: Vec::new(),
        };
        let (mut names, mut words) = (Vec::new(), Vec::new());
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
            let (word, stem) = (token.word.clone(), token.term.clone());
            let term = QueryTerm { misspelt, ..term_of(token) };
            question.names.extend((!topic).then(|| word.clone()));
            let list = if topic { &mut question.terms } else { &mut names };
            if list.len() < TERMS_MAX && !list.iter().any(|known| known.term == term.term) {
                list.push(term);
                words.extend(topic.then_some((word, stem)));
            }
            question.actors.extend(actors);
        }
        question.near = near(&words);
        if question.asks.reason {
            question.look_for_reasons();
        }
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

impl Question {
    fn look_for_reasons(&mut self) {
        let stems = Stems::new();
        let room = SOUGHT_MAX.saturating_sub(self.terms.len() + self.near.len());
        for lower in REASONS.into_iter().take(room) {
            let term = stems.term(&Word { lower, position: 0, whole: false, plain: true });
            self.near.push(NearTerm { term, of: REASON, likeness: SYNONYM });
        }
    }
}

/// The terms near those of the query, given as word and term, in order: as many of each.
fn near(words: &[(String, String)]) -> Vec<NearTerm> {
    let room = NEAR_MAX.min(SOUGHT_MAX.saturating_sub(words.len()));
    let each = room.checked_div(words.len()).unwrap_or_default();
    let stems = Stems::new();
    let mut near = Vec::new();
    for (of, (word, term)) in words.iter().enumerate() {
        let same = synonyms::of(&stems, term).into_iter().map(|same| (same, SYNONYM));
        let neighbours = neighbours::of(word, term).map(|(neighbour, likeness)| {
            let word = Word { lower: neighbour, position: 0, whole: false, plain: true };
            (stems.term(&word), likeness)
        });
        for (term, likeness) in same.chain(neighbours).take(each) {
            near.push(NearTerm { term, of, likeness });
        }
    }
    near
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
        let same = self.near.iter().enumerate();
        let same = same.filter(move |(_, near)| near.of == at && near.likeness == SYNONYM);
        let same = same.map(|(place, near)| (self.terms.len() + place, near.term.as_str()));
        std::iter::once((at, term.term.as_str())).chain(same)
    }

    /// All terms that are looked for: its own, then those near them.
    pub(crate) fn sought(&self) -> Vec<QueryTerm> {
        let near = self.near.iter().map(|near| near.term.clone());
        let near = near.map(|term| QueryTerm { term, tenths: 0, misspelt: false });
        self.terms.iter().cloned().chain(near).collect()
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
            reason: word("why") || word("reason") || pair("how", "come"),
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
