use std::collections::BTreeMap;

use crate::evidence::Bits;
use crate::sessions::Word;
use crate::{Ending, Sessions};

/// The steps that are mined, as numbers: those of sessions that did not fail.
///
/// A step that failed, and one whose verb is in too few sessions, is [`Token::NONE`]: it
/// takes up its place and is part of nothing. Tokens are numbered by their verbs' order,
/// so that what is mined doesn't depend on which verb came first.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The token at each place, all sessions one after the other.
    tokens: Vec<Token>,
    /// The session of each place.
    owners: Vec<u32>,
    /// Where each session ends, and its number among the [`Sessions`].
    runs: Vec<Run>,
    /// By token.
    columns: Vec<Column>,
}

/// A verb that is mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Token(pub(crate) u32);

/// A session that is mined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) session: usize,
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// The place of its first step among all steps of the [`Sessions`].
    origin: usize,
}

/// Where a token stands.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) word: Word,
    pub(crate) places: Vec<u32>,
    /// In which runs, and how often, by ascending run.
    pub(crate) counts: Vec<(u32, u32)>,
}

impl Token {
    pub(crate) const NONE: Token = Token(u32::MAX);
}

impl Run {
    /// The place among all steps of the [`Sessions`].
    pub(crate) fn outside(&self, place: usize) -> usize {
        self.origin + (place - self.first)
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.first
    }
}

impl Corpus {
    /// The most tokens; the verbs of the most sessions are taken.
    const TOKENS_MAX: usize = 1 << 16;

    /// The sessions that did not fail, with the verbs of at least `support_min` of them.
    pub(crate) fn of(sessions: &Sessions, support_min: u32) -> Corpus {
        Corpus::with(sessions, false, &frequent(sessions, support_min))
    }

    /// The sessions that failed, with the verbs of this one; steps that failed as well.
    pub(crate) fn of_failed(&self, sessions: &Sessions) -> Corpus {
        let words: Vec<Word> = self.columns.iter().map(|column| column.word).collect();
        Corpus::with(sessions, true, &words)
    }

    fn with(sessions: &Sessions, failed: bool, words: &[Word]) -> Corpus {
        let numbers: BTreeMap<Word, Token> = words.iter().copied().zip((0..).map(Token)).collect();
        let columns =
            words.iter().map(|word| Column { word: *word, places: Vec::new(), counts: Vec::new() });
        let mut corpus = Corpus {
            tokens: Vec::new(),
            owners: Vec::new(),
            runs: Vec::new(),
            columns: columns.collect(),
        };
        for session in (0..sessions.len()).filter(|session| is_failed(sessions, *session) == failed)
        {
            corpus.push(sessions, session, failed, &numbers);
        }
        corpus
    }

    pub(crate) fn token(&self, place: usize) -> Token {
        self.tokens.get(place).copied().unwrap_or(Token::NONE)
    }

    /// The number of the run that a place is in.
    pub(crate) fn owner(&self, place: usize) -> usize {
        self.owners.get(place).map_or(0, |owner| *owner as usize)
    }

    pub(crate) fn run(&self, run: usize) -> Option<&Run> {
        self.runs.get(run)
    }

    /// The run that a place is in.
    pub(crate) fn run_of(&self, place: usize) -> Option<&Run> {
        self.runs.get(self.owner(place))
    }

    pub(crate) fn runs(&self) -> &[Run] {
        &self.runs
    }

    pub(crate) fn column(&self, token: Token) -> Option<&Column> {
        self.columns.get(token.0 as usize)
    }

    /// The verb of a token; the first word of one that isn't there.
    pub(crate) fn word(&self, token: Token) -> Word {
        self.column(token).map_or(Word(0), |column| column.word)
    }

    pub(crate) fn tokens(&self) -> impl Iterator<Item = Token> + use<> {
        (0..self.columns.len()).map(|number| Token(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    pub(crate) fn places_len(&self) -> usize {
        self.tokens.len()
    }

    /// Information needed to name a token: minus the binary logarithm of its frequency.
    pub(crate) fn information(&self, token: Token) -> Bits {
        let count = self.column(token).map_or(0, |column| column.places.len()) as u64;
        let all = Bits::of_choices(self.places_len() as u64);
        Bits(all.0.saturating_sub(Bits::of_choices(count).0))
    }

    /// How often a token stands in a run.
    pub(crate) fn count(&self, token: Token, run: usize) -> u64 {
        let Some(column) = self.column(token) else { return 0 };
        let Ok(run) = u32::try_from(run) else { return 0 };
        let found = column.counts.binary_search_by_key(&run, |(run, _)| *run);
        let count = found.ok().and_then(|place| column.counts.get(place));
        count.map_or(0, |(_, count)| u64::from(*count))
    }

    fn push(
        &mut self,
        sessions: &Sessions,
        session: usize,
        with_failed_steps: bool,
        numbers: &BTreeMap<Word, Token>,
    ) {
        let range = sessions.range(session);
        let first = self.tokens.len();
        let owner = u32::try_from(self.runs.len()).unwrap_or(u32::MAX);
        for outside in range.clone() {
            let counts = with_failed_steps || sessions.ok(outside) != Some(false);
            let token = sessions.verb(outside).filter(|_| counts);
            let token = token.and_then(|word| numbers.get(&word)).copied();
            let place = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
            let column = token.and_then(|token| self.columns.get_mut(token.0 as usize));
            if let Some(column) = column {
                column.places.push(place);
                match column.counts.last_mut() {
                    Some((run, count)) if *run == owner => *count += 1,
                    _ => column.counts.push((owner, 1)),
                }
            }
            self.tokens.push(token.unwrap_or(Token::NONE));
            self.owners.push(owner);
        }
        let end = self.tokens.len();
        self.runs.push(Run { session, first, end, origin: range.start });
    }
}

fn is_failed(sessions: &Sessions, session: usize) -> bool {
    sessions.ending(session) == Ending::Failed
}

/// The verbs of at least so many sessions that did not fail, in the order of their texts.
fn frequent(sessions: &Sessions, support_min: u32) -> Vec<Word> {
    let mut met: Vec<(u32, Option<usize>)> = vec![(0, None); sessions.words_len()];
    for session in 0..sessions.len() {
        if is_failed(sessions, session) {
            continue;
        }
        for place in sessions.range(session) {
            let word = sessions.verb(place).filter(|_| sessions.ok(place) != Some(false));
            let count = word.and_then(|word| met.get_mut(word.0 as usize));
            if let Some((count, last)) = count.filter(|(_, last)| *last != Some(session)) {
                *count += 1;
                *last = Some(session);
            }
        }
    }
    let counted = (0..).map(Word).zip(met.into_iter().map(|(count, _)| count));
    let mut words: Vec<(Word, u32)> =
        counted.filter(|(_, count)| *count >= support_min.max(1)).collect();
    words.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), sessions.text(*word)));
    words.truncate(Corpus::TOKENS_MAX);
    let mut words: Vec<Word> = words.into_iter().map(|(word, _)| word).collect();
    words.sort_by_key(|word| sessions.text(*word));
    words
}
