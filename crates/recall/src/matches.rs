use memlith_event::Key;

use crate::Recall;
use crate::bm25::{BM25, Corpus, Documents};
use crate::item::{NONE, Traits};
use crate::near_matches::NearMatches;
use crate::neighbours::SAME;
use crate::passage::{PASSAGE, Passage, best, place_all};
use crate::pending::{Found, Pending, Sought};
use crate::posting::{Places, Posting};
use crate::question::{QueryTerm, Question};

/// A term finds no more items than so many of a cell, the newest ones: what a query costs
/// doesn't grow with the ledger. How rare the term is goes by all of them.
///
/// Source: ADR 0010, with what it does to recall.
pub(crate) const NEWEST: usize = 4_096;

/// Weight of a word that says the same as the query's, in tenths: it may be another.
///
/// Source: ADR 0040; with 5 dialogues lose 0.2 of R@10, agents as much.
const SAID_OTHERWISE: u16 = 8;

/// Matches of the terms of a query in the visible cells.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    /// Term after term.
    matches: Vec<Match>,
    /// By item, then by term: an item's number, and in the lower half a place in `matches`.
    order: Vec<u64>,
    /// Each item once, ascending.
    items: Vec<MatchedItem>,
    /// The terms near the query's own, in items.
    pub(crate) near: NearMatches,
    /// Each session once, ascending: its number, and its BM25.
    sessions: Vec<(u32, i64)>,
    /// The worth of each term of the query: its weight times its idf among items.
    pub(crate) worth: Vec<i64>,
    /// The highest BM25 of a primary item.
    pub(crate) best: i64,
    /// The highest BM25 of a session.
    pub(crate) best_session: i64,
    /// The statistics of the items.
    pub(crate) corpus: Corpus,
}

/// One term of the query in one item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    /// The item's number.
    pub(crate) item: u32,
    session: u32,
    /// The place of the term in the question.
    pub(crate) term: usize,
    /// How often it occurs, in fifths.
    pub(crate) frequency: u16,
    length: u16,
    /// Where it stands among the item's content words.
    pub(crate) places: Places,
    /// Whether the item is derived.
    pub(crate) derived: bool,
    /// Whether it is a word that says the same as the query's: it counts for its item alone.
    pub(crate) otherwise: bool,
}

/// An item that has at least one term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchedItem {
    /// Its number.
    pub(crate) item: u32,
    /// Its session's number.
    pub(crate) session: u32,
    /// Its best passage.
    pub(crate) passage: Passage,
    /// The worth of the terms in that passage.
    pub(crate) worth: i64,
    /// Its length.
    pub(crate) length: u16,
    /// Whether it is derived.
    pub(crate) derived: bool,
    /// Its places in the order.
    first_match: usize,
    matches: usize,
}

impl Matches {
    /// Reads the posting lists of the question's terms.
    pub(crate) fn gather(recall: &Recall, cells: &[Key], question: &Question) -> Matches {
        let mut found = Matches { corpus: recall.corpus(cells), ..Matches::default() };
        let terms = || question.terms.iter();
        let keys: Vec<Key> = (cells.iter())
            .flat_map(|cell| terms().map(|term| Posting::term(*cell, &term.term)))
            .collect();
        recall.postings.will_need(&keys);
        let pending = recall.pending_matches(cells, &question.sought());
        for (at, term) in question.terms.iter().enumerate() {
            let mut having = 0;
            for (place, said) in question.said_as(at, term) {
                let first = found.matches.len();
                let of_place = pending.iter().filter(|(_, one)| one.term == place);
                let pending: Vec<(Key, Match)> =
                    of_place.map(|(cell, one)| (*cell, Match { term: at, ..*one })).collect();
                let items = found.read_lists(recall, cells, (at, said), &pending);
                having += if place == at { items } else { 0 };
                found.discount(first, place != at, term.misspelt);
            }
            found.worth.push(term.tenths * found.corpus.items.idf(having));
        }
        found.score_items();
        found.score_sessions(recall, question);
        found.near = NearMatches::gather(recall, cells, question, &pending);
        found
    }

    /// Takes in the newest matches of a term in all cells, as the question's of that place; says
    /// how many primary items have it.
    fn read_lists(
        &mut self,
        recall: &Recall,
        cells: &[Key],
        (at, said): (usize, &str),
        pending: &[(Key, Match)],
    ) -> u64 {
        let mut having = 0;
        for cell in cells {
            let key = Posting::term(*cell, said);
            let own = pending.iter().filter(|(own, _)| own == cell);
            let own: Vec<Match> = own.map(|(_, one)| *one).collect();
            let counted = recall.postings.counted(&key);
            self.matches.reserve(usize::try_from(counted).unwrap_or(NEWEST).min(NEWEST));
            having += counted;
            having += own.iter().filter(|one| !one.derived).count() as u64;
            self.read_list(recall, key, at, own);
        }
        having
    }

    /// Lets the matches from a place on count for less, where they are of another word than the
    /// query's, or of one that was typed wrong.
    fn discount(&mut self, first: usize, otherwise: bool, misspelt: bool) {
        for one in self.matches.iter_mut().skip(first).filter(|_| otherwise || misspelt) {
            one.otherwise = otherwise;
            one.frequency = one.frequency.saturating_mul(SAID_OTHERWISE) / 10;
        }
    }

    /// Takes in the newest matches of a term in a cell, the pending ones last.
    fn read_list(&mut self, recall: &Recall, key: Key, term: usize, pending: Vec<Match>) {
        let room = NEWEST.saturating_sub(pending.len());
        recall.postings.each_newest(&key, room, |posting| {
            self.matches.push(Match {
                item: posting.item,
                session: posting.session,
                term,
                frequency: posting.frequency,
                length: posting.length,
                places: posting.places,
                derived: posting.derived,
                otherwise: false,
            });
        });
        let newest = pending.len().saturating_sub(NEWEST);
        self.matches.extend(pending.into_iter().skip(newest));
    }

    fn score_items(&mut self) {
        let places = self.matches.iter().zip(0_u64..);
        self.order = places.map(|(found, at)| u64::from(found.item) << 32 | at).collect();
        // Every list ascends, so that a merge sort has little to do.
        self.order.sort();
        self.items.reserve(self.order.len());
        for (at, found) in in_order(&self.order, &self.matches).enumerate() {
            match self.items.last_mut() {
                Some(last) if last.item == found.item => last.matches += 1,
                Some(_) | None => self.items.push(MatchedItem {
                    item: found.item,
                    session: found.session,
                    passage: Passage::default(),
                    worth: 0,
                    length: found.length,
                    derived: found.derived,
                    first_match: at,
                    matches: 1,
                }),
            }
        }
        self.score_passages();
        let primaries = self.items.iter().filter(|item| !item.derived);
        self.best = primaries.map(|item| item.passage.score).max().unwrap_or_default().max(1);
    }

    /// Finds the best passage of each item.
    fn score_passages(&mut self) {
        let mut norms = Norms::new(passages(self.corpus.items));
        let of_passage = norms.of(PASSAGE);
        let (mut placed, mut by_term) = (Vec::new(), Vec::new());
        let mut items = std::mem::take(&mut self.items);
        for item in &mut items {
            let order = self.order.get(item.first_match..).and_then(|all| all.get(..item.matches));
            let found = in_order(order.unwrap_or_default(), &self.matches);
            item.passage = if item.length <= PASSAGE {
                let norm = norms.of(item.length);
                whole(found, &self.worth, norm)
            } else {
                place_all(found, &mut placed);
                best(&placed, &self.worth, of_passage, &mut by_term)
            };
            item.worth = worth_of(item.passage.terms, &self.worth);
        }
        self.items = items;
    }

    /// How often each term is in each session, by session, then by term.
    fn in_sessions(&self) -> Vec<(u32, usize, u64)> {
        let found = self
            .matches
            .iter()
            .filter(|found| !found.derived && found.session != NONE && !found.otherwise);
        let sessions = found.clone().map(|found| found.session);
        let (Some(first), Some(last)) = (sessions.clone().min(), sessions.max()) else {
            return Vec::new();
        };
        // Common words are in nearly every session: a place for each is quicker than a sort.
        let terms = self.worth.len();
        let places = (u64::from(last - first) + 1) * terms as u64;
        let few = usize::try_from(places).ok().filter(|places| *places <= self.matches.len() * 4);
        let Some(places) = few else {
            let mut lines: Vec<(u32, usize, u64)> =
                found.map(|one| (one.session, one.term, u64::from(one.frequency))).collect();
            lines.sort_unstable();
            lines.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                kept.2 += if same { next.2 } else { 0 };
                same
            });
            return lines;
        };
        let mut frequencies = vec![0_u64; places];
        for found in found {
            let place = (found.session - first) as usize * terms + found.term;
            if let Some(frequency) = frequencies.get_mut(place) {
                *frequency += u64::from(found.frequency);
            }
        }
        let by_session = (first..=last).zip(frequencies.chunks(terms.max(1)));
        let lines = by_session.flat_map(|(session, frequencies)| {
            let lines = frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0);
            lines.map(move |(term, frequency)| (session, term, *frequency))
        });
        lines.collect()
    }

    fn score_sessions(&mut self, recall: &Recall, question: &Question) {
        let found = self.in_sessions();
        let mut sessions = vec![0_u64; question.terms.len()];
        for (_, term, _) in &found {
            if let Some(sessions) = sessions.get_mut(*term) {
                *sessions += 1;
            }
        }
        let worth: Vec<i64> = (question.terms.iter().zip(sessions))
            .map(|(term, sessions)| term.tenths * self.corpus.sessions.idf(sessions))
            .collect();
        for lines in found.chunk_by(|a, b| a.0 == b.0) {
            let Some((number, ..)) = lines.first() else { continue };
            let norm = BM25.norm(recall.session(*number).length, self.corpus.sessions);
            let score = score(norm, &worth, lines.iter().map(|line| (line.1, line.2)));
            self.sessions.push((*number, score));
        }
        self.best_session =
            self.sessions.iter().map(|line| line.1).max().unwrap_or_default().max(1);
    }

    /// The items with at least one term, ascending.
    pub(crate) fn items(&self) -> &[MatchedItem] {
        &self.items
    }

    /// The item at a place, if there is one.
    pub(crate) fn at(&self, place: usize) -> Option<&MatchedItem> {
        self.items.get(place)
    }

    /// Where an item stands among those of [`Matches::items`], if it does.
    pub(crate) fn place_of(&self, item: u32) -> Option<usize> {
        self.items.binary_search_by_key(&item, |found| found.item).ok()
    }

    /// The matches of the item at a place, by term.
    pub(crate) fn of(&self, place: Option<usize>) -> impl Iterator<Item = &Match> + Clone {
        let order = place.and_then(|place| {
            let item = self.items.get(place)?;
            self.order.get(item.first_match..)?.get(..item.matches)
        });
        in_order(order.unwrap_or_default(), &self.matches)
    }

    /// The worth of the query's terms of these bits.
    pub(crate) fn worth_of(&self, terms: u64) -> i64 {
        worth_of(terms, &self.worth)
    }

    /// The worth of the terms of an item, with those near the query's as far as they are.
    pub(crate) fn worth_with_near(&self, item: &MatchedItem) -> i64 {
        self.with_near(item.item, item.passage.terms)
    }

    /// The worth of some terms of the query, given as one bit each, with those that an item has
    /// a near one of as far as that is near.
    pub(crate) fn with_near(&self, item: u32, terms: u64) -> i64 {
        let same = SAME.cast_signed();
        let mut sum = worth_of(terms, &self.worth) * same;
        let mut term_before = None;
        let near: Vec<(usize, u64)> = self.near.of(item).collect();
        // Of one term the nearest is the last.
        for (term, likeness) in near.into_iter().rev() {
            if term_before != Some(term) && terms >> (term & 63) & 1 == 0 {
                sum += self.worth.get(term).copied().unwrap_or_default() * likeness.cast_signed();
            }
            term_before = Some(term);
        }
        sum / same
    }

    /// The BM25 of the item at a place.
    pub(crate) fn score(&self, place: Option<usize>) -> i64 {
        place.and_then(|place| self.items.get(place)).map_or(0, |item| item.passage.score)
    }

    /// The BM25 of a session.
    pub(crate) fn session_score(&self, number: u32) -> i64 {
        let line = |at: usize| self.sessions.get(at).filter(|line| line.0 == number);
        // A common word is in nearly all of them.
        let first = self.sessions.first().map_or(NONE, |line| line.0);
        let close = number.checked_sub(first).and_then(|at| line(usize::try_from(at).ok()?));
        let found = close
            .or_else(|| line(self.sessions.binary_search_by_key(&number, |line| line.0).ok()?));
        found.map_or(0, |line| line.1)
    }
}

/// A short item as a passage: of a term that is said in two words the first counts.
fn whole<'a>(found: impl Iterator<Item = &'a Match>, worth: &[i64], norm: i64) -> Passage {
    let (mut score, mut terms) = (0, 0_u64);
    for one in found {
        let bit = 1 << (one.term & 63);
        if terms & bit == 0 {
            let worth = worth.get(one.term).copied().unwrap_or_default();
            score += worth * BM25.saturate(u64::from(one.frequency), norm);
            terms |= bit;
        }
    }
    Passage { score, terms, first: 0, last: u16::MAX }
}

/// The lengths of passages, as far as those of items tell: no average is longer than one.
pub(crate) fn passages(items: Documents) -> Documents {
    let longest = items.documents.saturating_mul(u64::from(PASSAGE));
    Documents { length: items.length.min(longest), ..items }
}

/// The sum of the worth of the terms of these bits.
fn worth_of(terms: u64, worth: &[i64]) -> i64 {
    worth.iter().enumerate().filter(|(at, _)| terms >> at & 1 == 1).map(|(_, worth)| worth).sum()
}

/// The matches at the places that an order names.
fn in_order<'a>(order: &'a [u64], matches: &'a [Match]) -> impl Iterator<Item = &'a Match> + Clone {
    order.iter().filter_map(|at| matches.get((at & 0xffff_ffff) as usize))
}

/// The norms of items, each length's worked out once.
struct Norms {
    among: Documents,
    known: Vec<Option<i64>>,
}

impl Norms {
    fn new(among: Documents) -> Norms {
        Norms { among, known: Vec::new() }
    }

    fn of(&mut self, length: u16) -> i64 {
        let at = usize::from(length);
        if let Some(Some(norm)) = self.known.get(at) {
            return *norm;
        }
        let norm = BM25.norm(u64::from(length), self.among);
        self.known.resize(self.known.len().max(at + 1), None);
        if let Some(slot) = self.known.get_mut(at) {
            *slot = Some(norm);
        }
        norm
    }
}

/// BM25 of one document: `frequencies` has a term and how often it occurs, in fifths.
pub(crate) fn score(
    norm: i64,
    worth: &[i64],
    frequencies: impl Iterator<Item = (usize, u64)>,
) -> i64 {
    frequencies
        .map(|(term, frequency)| {
            worth.get(term).copied().unwrap_or_default() * BM25.saturate(frequency, norm)
        })
        .sum()
}

impl Recall {
    /// Matches of some terms in the pending items of some cells, each with its cell; by item,
    /// then by term.
    pub(crate) fn pending_matches(&self, cells: &[Key], terms: &[QueryTerm]) -> Vec<(Key, Match)> {
        let mut matches = Vec::new();
        for (at, term, found) in found_in(&self.pending, cells, terms) {
            let Some(pending) = self.pending.get(at) else { continue };
            let Some(item) = self.items.get(&pending.number) else { continue };
            matches.push((
                pending.cell,
                Match {
                    item: item.number,
                    session: item.session,
                    term,
                    frequency: found.frequency,
                    length: item.length,
                    places: found.places,
                    derived: item.traits.has(Traits::DERIVED),
                    otherwise: false,
                },
            ));
        }
        matches
    }

    /// The statistics of some cells together.
    pub(crate) fn corpus(&self, cells: &[Key]) -> Corpus {
        let mut corpus = Corpus::default();
        for cell in cells.iter().map(|cell| self.cell(*cell)) {
            corpus.items.documents += cell.items;
            corpus.items.length += cell.length;
            corpus.sessions.documents += cell.sessions;
            corpus.sessions.length += cell.session_length;
        }
        corpus
    }
}

/// Matches of the terms in the pending items of the cells: the item's place, the term's, and how it
/// is in it; by item, then by term.
fn found_in<'a>(
    pending: &'a [Pending],
    cells: &'a [Key],
    terms: &'a [QueryTerm],
) -> impl Iterator<Item = (usize, usize, Found)> + use<'a> {
    let sought = Sought::new(terms);
    let seen = pending.iter().enumerate().filter(|(_, pending)| cells.contains(&pending.cell));
    seen.flat_map(move |(at, pending)| {
        let found = sought.in_item(&pending.texts).into_iter().enumerate();
        found.filter_map(move |(term, found)| Some((at, term, found?)))
    })
}
