use memlith_event::Key;

use crate::Recall;
use crate::bm25::{Corpus, ITEM, SESSION, Shape};
use crate::item::{NONE, Traits};
use crate::pending::Sought;
use crate::posting::{Places, Posting};
use crate::question::Question;

/// A term finds no more items than so many of a cell, the newest ones: what a query costs
/// doesn't grow with the ledger. How rare the term is goes by all of them.
///
/// Source: ADR 0010, with what it does to recall.
pub(crate) const NEWEST: usize = 4_096;

/// What the terms of a query match in the visible cells.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    /// By item, then by term.
    matches: Vec<Match>,
    /// Each item once, ascending.
    items: Vec<MatchedItem>,
    /// Each session once, ascending: its number and its BM25.
    sessions: Vec<(u32, i64)>,
    /// What each term of the query is worth: its weight times its idf among items.
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
    item: u32,
    session: u32,
    /// The place of the term in the question.
    pub(crate) term: usize,
    /// How often it occurs, in fifths.
    pub(crate) frequency: u16,
    length: u16,
    derived: bool,
    places: Places,
}

impl Match {
    /// Where the term stands in the item.
    pub(crate) fn positions(&self) -> &[u16] {
        self.places.as_slice()
    }
}

/// An item that has at least one term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchedItem {
    /// Its number.
    pub(crate) item: u32,
    /// Its session's number.
    pub(crate) session: u32,
    /// Its BM25.
    pub(crate) score: i64,
    /// Whether it is derived.
    pub(crate) derived: bool,
    first_match: usize,
    matches: usize,
}

impl Matches {
    /// Reads the posting lists of the question's terms.
    pub(crate) fn gather(recall: &Recall, cells: &[Key], question: &Question) -> Matches {
        let mut found = Matches { corpus: recall.corpus(cells), ..Matches::default() };
        let pending = recall.pending_matches(cells, question);
        let mut in_sessions = Vec::new();
        for (at, term) in question.terms.iter().enumerate() {
            let (start, mut having) = (found.matches.len(), 0);
            for cell in cells {
                let key = Posting::term(*cell, &term.term);
                let pending = pending.iter().filter(|(own, one)| own == cell && one.term == at);
                let pending: Vec<Match> = pending.map(|(_, one)| *one).collect();
                having += recall.postings.counted(&key);
                having += pending.iter().filter(|one| !one.derived).count() as u64;
                found.read_list(recall, key, at, pending);
            }
            let primaries = || found.matches.iter().skip(start).filter(|found| !found.derived);
            let worth = term.tenths * found.corpus.items.idf(having);
            in_sessions.extend(
                primaries()
                    .filter(|found| found.session != NONE)
                    .map(|found| (found.session, at, u64::from(found.frequency))),
            );
            found.worth.push(worth);
        }
        found.score_items();
        found.score_sessions(recall, question, in_sessions);
        found
    }

    /// Takes in the newest matches of a term in a cell, the pending ones last.
    fn read_list(&mut self, recall: &Recall, key: Key, term: usize, pending: Vec<Match>) {
        let room = NEWEST.saturating_sub(pending.len());
        for posting in recall.postings.newest(&key, room) {
            self.matches.push(Match {
                item: posting.item,
                session: posting.session,
                term,
                frequency: posting.frequency,
                length: posting.length,
                derived: posting.derived,
                places: posting.places,
            });
        }
        let newest = pending.len().saturating_sub(NEWEST);
        self.matches.extend(pending.into_iter().skip(newest));
    }

    fn score_items(&mut self) {
        // Every list ascends, so that a merge sort has little to do.
        self.matches.sort_by_key(|found| found.item);
        for (at, found) in self.matches.iter().enumerate() {
            let worth = self.worth.get(found.term).copied().unwrap_or_default();
            let norm = ITEM.norm(u64::from(found.length), self.corpus.items);
            let gain = worth * ITEM.saturate(u64::from(found.frequency), norm);
            match self.items.last_mut() {
                Some(last) if last.item == found.item => {
                    last.score += gain;
                    last.matches += 1;
                }
                Some(_) | None => self.items.push(MatchedItem {
                    item: found.item,
                    session: found.session,
                    score: gain,
                    derived: found.derived,
                    first_match: at,
                    matches: 1,
                }),
            }
        }
        let primaries = self.items.iter().filter(|item| !item.derived);
        self.best = primaries.map(|item| item.score).max().unwrap_or_default().max(1);
    }

    fn score_sessions(
        &mut self,
        recall: &Recall,
        question: &Question,
        mut found: Vec<(u32, usize, u64)>,
    ) {
        // One line per session and term.
        found.sort_unstable();
        found.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            same
        });
        let worth: Vec<i64> = (question.terms.iter().enumerate())
            .map(|(at, term)| {
                let sessions = found.iter().filter(|line| line.1 == at).count() as u64;
                term.tenths * self.corpus.sessions.idf(sessions)
            })
            .collect();
        for lines in found.chunk_by(|a, b| a.0 == b.0) {
            let Some((number, ..)) = lines.first() else { continue };
            let norm = SESSION.norm(recall.session(*number).length, self.corpus.sessions);
            let score = score(SESSION, norm, &worth, lines.iter().map(|line| (line.1, line.2)));
            self.sessions.push((*number, score));
        }
        self.best_session =
            self.sessions.iter().map(|line| line.1).max().unwrap_or_default().max(1);
    }

    /// The items with at least one term, ascending.
    pub(crate) fn items(&self) -> &[MatchedItem] {
        &self.items
    }

    /// What matched in `item`, by term.
    pub(crate) fn of(&self, item: u32) -> &[Match] {
        self.find(item)
            .and_then(|found| self.matches.get(found.first_match..)?.get(..found.matches))
            .unwrap_or_default()
    }

    /// The BM25 of `item`.
    pub(crate) fn score(&self, item: u32) -> i64 {
        self.find(item).map_or(0, |found| found.score)
    }

    /// The BM25 of a session.
    pub(crate) fn session_score(&self, number: u32) -> i64 {
        let at = self.sessions.binary_search_by_key(&number, |line| line.0).ok();
        at.and_then(|at| self.sessions.get(at)).map_or(0, |line| line.1)
    }

    fn find(&self, item: u32) -> Option<&MatchedItem> {
        let at = self.items.binary_search_by_key(&item, |found| found.item).ok()?;
        self.items.get(at)
    }
}

/// BM25 of one document: `frequencies` has a term and how often it occurs, in fifths.
pub(crate) fn score(
    shape: Shape,
    norm: i64,
    worth: &[i64],
    frequencies: impl Iterator<Item = (usize, u64)>,
) -> i64 {
    frequencies
        .map(|(term, frequency)| {
            worth.get(term).copied().unwrap_or_default() * shape.saturate(frequency, norm)
        })
        .sum()
}

impl Recall {
    /// What of the question is in the pending items of some cells, each with its cell; by
    /// item, then by term.
    fn pending_matches(&self, cells: &[Key], question: &Question) -> Vec<(Key, Match)> {
        let sought = Sought::new(&question.terms);
        let mut matches = Vec::new();
        if memlith_log::planted!("pending-forgotten") {
            return matches;
        }
        for pending in self.pending.iter().filter(|pending| cells.contains(&pending.cell)) {
            let Some(item) = self.items.get(&pending.number) else { continue };
            for (term, found) in sought.in_item(&pending.texts).into_iter().enumerate() {
                let Some(found) = found else { continue };
                matches.push((
                    pending.cell,
                    Match {
                        item: item.number,
                        session: item.session,
                        term,
                        frequency: found.frequency,
                        length: item.length,
                        derived: item.traits.has(Traits::DERIVED),
                        places: found.places,
                    },
                ));
            }
        }
        matches
    }

    /// The statistics of some cells together.
    fn corpus(&self, cells: &[Key]) -> Corpus {
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
