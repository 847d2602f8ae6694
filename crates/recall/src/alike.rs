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

/// Maximum number of terms of a text that are looked up, the first in alphabetical order.
const TERMS_MAX: usize = 64;

/// Maximum number of these terms, the rarest, that are followed to the memories that have them.
const FOLLOWED_MAX: usize = 8;

/// Maximum number of entries read of all their lists together, of each cell: the rarest term's
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

/// The terms that a memory of one cell must have to say what a text says: all terms of the
/// text and not many more, or no others.
struct Sought {
    /// The sketch of all of the text's terms; `None` if no memory has one of them.
    whole: Option<Sketch>,
    /// The sketch of those of its terms that any memory has.
    had: Sketch,
    /// It has no more terms.
    terms_max: usize,
}

/// A memory that has one of the terms.
struct Line {
    item: u32,
    /// The place of the term among those that are followed.
    term: usize,
    worth: i64,
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
        let cells = cells_of(self, scope);
        let terms = wording.distinct().iter().take(TERMS_MAX);
        let question = Question::of_terms(terms.map(|term| QueryTerm {
            term: term.clone(),
            tenths: 10,
            misspelt: false,
        }));
        let pending = self.pending_matches(&cells, &question.terms);
        let is_memory = |one: &Match| self.pending(one.item).is_some_and(|one| one.memory);
        let pending: Vec<_> = pending.into_iter().filter(|(_, one)| is_memory(one)).collect();
        let mut terms = self.by_rarity(&cells, &question, &pending);
        // What no memory has every one of them lacks.
        let lacked: Vec<usize> =
            terms.iter().filter(|term| term.having == 0).map(|term| term.at).collect();
        let Some(lacking_max) = wording.missing_max().checked_sub(lacked.len()) else {
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
            let sought = Sought::of(wording, *cell, &lacked);
            sums.extend(sought.among(&terms, at, &pending, &mut found.postings));
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

impl Sought {
    /// `lacked`: the places of the terms that no memory has.
    fn of(wording: &Wording, cell: Key, lacked: &[usize]) -> Sought {
        let (mut whole, mut had) = (Sketch::default(), Sketch::default());
        for (at, term) in wording.distinct().iter().enumerate() {
            let key = Posting::term(cell, term);
            whole = whole.with(key);
            if !lacked.contains(&at) {
                had = had.with(key);
            }
        }
        let whole = lacked.is_empty().then_some(whole);
        Sought { whole, had, terms_max: wording.alike_max() }
    }

    /// Whether a memory may have all terms of the text, and not too many more.
    fn may_be_said_by(&self, memory: Sketch) -> bool {
        memory.terms_min() <= self.terms_max && self.whole.is_some_and(|own| memory.may_hold(own))
    }

    /// Whether a memory may have no other terms than the text.
    fn may_say(&self, memory: Sketch) -> bool {
        self.had.may_hold(memory)
    }

    /// The memories of one cell that have one of the terms and may say what the text says, with
    /// what the terms are worth that they have.
    fn among(
        &self,
        terms: &[Followed<'_>],
        cell: usize,
        pending: &[Waiting],
        postings: &mut usize,
    ) -> Vec<(Reverse<i64>, u32)> {
        let (mut left, mut lines): (usize, Vec<Line>) = (READ_MAX, Vec::new());
        // From which number on it is known of each term which memories have it.
        let mut known_from: Vec<u32> = Vec::with_capacity(terms.len());
        for (term, followed) in terms.iter().enumerate() {
            let room = left.div_ceil(2);
            let newest: Vec<&Waiting> =
                pending.iter().filter(|one| one.term == followed.at).collect();
            let newest = newest.get(newest.len().saturating_sub(room)..).unwrap_or_default();
            let (mut read, mut first) = (0, None);
            let mut take = |item: u32, sketch: Sketch| {
                read += 1;
                first.get_or_insert(item);
                if self.may_say(sketch) || self.may_be_said_by(sketch) {
                    lines.push(Line { item, term, worth: followed.worth, sketch });
                }
            };
            if let Some(list) = followed.lists.get(cell) {
                list.each_newest(room - newest.len(), |posting| {
                    *postings += 1;
                    take(posting.item, Sketch(posting.session));
                });
            }
            newest.iter().for_each(|one| take(one.item, one.sketch));
            known_from.push(if read < room { 0 } else { first.unwrap_or(u32::MAX) });
            left -= read;
        }
        lines.sort_unstable_by_key(|line| (line.item, line.term));
        let of_item = lines.chunk_by(|a, b| a.item == b.item).filter_map(|lines| {
            let first = lines.first()?;
            let has = |term: usize| lines.iter().any(|line| line.term == term);
            let lacks = |(term, from): (usize, &u32)| first.item >= *from && !has(term);
            // What has other terms than the text has to have all of the text's.
            let out = !self.may_say(first.sketch) && known_from.iter().enumerate().any(lacks);
            let worth: i64 = lines.iter().map(|line| line.worth).sum();
            (!out).then_some((Reverse(worth), first.item))
        });
        of_item.collect()
    }
}
