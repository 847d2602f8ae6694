use std::cmp::Reverse;

use memlith_event::{Key, Scope};
use memlith_log::Seq;
use memlith_state::Found;

use crate::cell::cells_of;
use crate::matches::Match;
use crate::posting::Posting;
use crate::question::{QueryTerm, Question};
use crate::sketch::Sketch;
use crate::{Recall, Wording};

/// So many of a text's terms are looked up, the first by letters.
const TERMS_MAX: usize = 64;

/// So many of them, the rarest, are followed to the memories that have them.
const FOLLOWED_MAX: usize = 8;

/// So many entries are read of all their lists together, of each cell: the rarest term's
/// first, of each list the newest, and of none more than half of what is left.
///
/// Source: ADR 0021, with what it does to what is found.
const READ_MAX: usize = 512;

/// Memories that have the terms of a text.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Alike {
    /// Their numbers, for [`Recall::seqs`]: first those with most of the rarest terms, of equal
    /// ones the first written.
    pub items: Vec<u32>,
    /// How many entries of lists were read for it.
    pub postings: usize,
}

/// A term of a text, and the memories that have it.
struct Followed<'a> {
    worth: i64,
    /// Its place in the question.
    at: usize,
    /// How many have it.
    having: usize,
    /// Its list in each cell.
    lists: Vec<Found<'a, Posting>>,
}

/// A pending memory that has a term.
struct Waiting {
    /// The term's place in the question.
    term: usize,
    item: u32,
    sketch: Sketch,
}

impl Recall {
    /// The memories, not derived, that have most of the rarest terms of `wording`, in the cells
    /// that `scope` sees, without those that by their sketches neither have all its terms nor
    /// have no others. Rare is a term that few memories have.
    ///
    /// One that says all of the text has its rarest term, so it is found unless 256 newer ones
    /// of its cell have that term too.
    ///
    /// Cost: bounded, however long the log: 64 counts, and 512 entries for each cell.
    #[must_use]
    pub fn alike(&self, wording: &Wording, scope: &Scope<'_>) -> Alike {
        let cells = cells_of(scope);
        let terms = wording.distinct().iter().take(TERMS_MAX);
        let question = Question::of_terms(terms.map(|term| QueryTerm {
            term: term.clone(),
            position: 0,
            tenths: 10,
        }));
        let pending = self.pending_matches(&cells, &question.terms);
        let is_memory = |one: &Match| self.pending(one.item).is_some_and(|one| one.memory);
        let pending: Vec<_> = pending.into_iter().filter(|(_, one)| is_memory(one)).collect();
        let mut terms = self.by_rarity(&cells, &question, &pending);
        // What no memory has every one of them lacks.
        let lacked = terms.iter().filter(|term| term.having == 0).count();
        let Some(lacking_max) = wording.missing_max().checked_sub(lacked) else {
            return Alike::default();
        };
        terms.retain(|term| term.having > 0);
        // What lacks no more than it may has one of so many.
        terms.truncate(FOLLOWED_MAX.min(lacking_max + 1));
        let mut found = Alike::default();
        let mut sums: Vec<(Reverse<i64>, u32)> = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            let of_cell = |(own, one): &(Key, Match)| {
                let sketch = self.sketch_of(self.pending(one.item).filter(|_| own == cell)?);
                Some(Waiting { term: one.term, item: one.item, sketch })
            };
            let pending: Vec<Waiting> = pending.iter().filter_map(of_cell).collect();
            let keys = wording.distinct().iter().map(|term| Posting::term(*cell, term));
            let sketch = keys.fold(Sketch::default(), Sketch::with);
            sums.extend(in_cell(&terms, at, sketch, &pending, &mut found.postings));
        }
        sums.sort_unstable();
        found.items = sums.into_iter().map(|(_, number)| number).collect();
        found
    }

    /// The terms of the question, the rarest among memories first.
    fn by_rarity(
        &self,
        cells: &[Key],
        question: &Question,
        pending: &[(Key, Match)],
    ) -> Vec<Followed<'_>> {
        let documents = self.corpus(cells).items;
        let followed = |(at, term): (usize, &QueryTerm)| {
            let list = |cell: &Key| {
                let key = Posting::of_memories(Posting::term(*cell, &term.term));
                self.postings.found(key)
            };
            let lists: Vec<Found<'_, Posting>> = cells.iter().map(list).collect();
            let settled: u64 = lists.iter().map(Found::counted).sum();
            let having = settled + pending.iter().filter(|(_, one)| one.term == at).count() as u64;
            let worth = documents.idf(having);
            Followed { worth, at, having: usize::try_from(having).unwrap_or(usize::MAX), lists }
        };
        let mut terms: Vec<Followed<'_>> =
            question.terms.iter().enumerate().map(followed).collect();
        terms.sort_by_key(|term| (term.having, term.at));
        terms
    }

    /// The sequences of the items of these numbers, in their order.
    #[must_use]
    pub fn seqs(&self, numbers: &[u32]) -> Vec<Seq> {
        self.items.will_need(numbers);
        numbers.iter().filter_map(|number| Some(self.items.get(number)?.seq)).collect()
    }
}

/// The memories of one cell that have one of the terms and by their sketches may say what a
/// text of this sketch says, with what the terms are worth that they have.
fn in_cell(
    terms: &[Followed<'_>],
    cell: usize,
    sketch: Sketch,
    pending: &[Waiting],
    postings: &mut usize,
) -> Vec<(Reverse<i64>, u32)> {
    let (mut left, mut having): (usize, Vec<(u32, i64)>) = (READ_MAX, Vec::new());
    for term in terms {
        let room = left.div_ceil(2);
        let newest: Vec<&Waiting> = pending.iter().filter(|one| one.term == term.at).collect();
        let mut read = newest.len().min(room);
        if let Some(list) = term.lists.get(cell) {
            list.each_newest(room - read, |posting| {
                read += 1;
                *postings += 1;
                if Sketch(posting.session).may_hold(sketch) {
                    having.push((posting.item, term.worth));
                }
            });
        }
        let newest = newest.iter().skip(newest.len().saturating_sub(room));
        let newest = newest.filter(|one| one.sketch.may_hold(sketch));
        having.extend(newest.map(|one| (one.item, term.worth)));
        left -= read;
    }
    having.sort_unstable();
    let of_item = having.chunk_by(|a, b| a.0 == b.0).filter_map(|lines| {
        let worth: i64 = lines.iter().map(|(_, worth)| worth).sum();
        Some((Reverse(worth), lines.first()?.0))
    });
    of_item.collect()
}
