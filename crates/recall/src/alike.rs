use std::cmp::Reverse;

use memlith_event::{Key, Scope};
use memlith_log::Seq;

use crate::cell::cells_of;
use crate::matches::Match;
use crate::posting::Posting;
use crate::question::{QueryTerm, Question};
use crate::{Recall, Wording};

/// So many of a text's terms are looked up, the first by letters.
const TERMS_MAX: usize = 64;

/// So many of them, the rarest, are followed to the items that have them.
const FOLLOWED_MAX: usize = 8;

/// So many items, the newest, are looked at of each term in each cell.
const NEWEST: usize = 1_024;

/// So many items are given.
const GIVEN_MAX: usize = 256;

/// So many items that share terms are looked at for those that a caller wants.
const LOOKED_AT_MAX: usize = 2_048;

impl Recall {
    /// The primary items that have most of the rarest terms of `wording`, in the cells that
    /// `scope` sees: first those with most, of equal ones the first written; at most 256.
    ///
    /// An item behind 1,024 newer ones with each of those terms is not found.
    ///
    /// Cost: bounded, however long the log: 64 counts, and 8 lists of at most 1,024 entries
    /// for each cell.
    #[must_use]
    pub fn alike(&self, wording: &Wording, scope: &Scope<'_>) -> Vec<Seq> {
        let mut sums: Vec<(Reverse<i64>, u32)> = self.sharing(wording, &cells_of(scope));
        sums.sort_unstable();
        sums.truncate(GIVEN_MAX);
        let numbers: Vec<u32> = sums.into_iter().map(|(_, number)| number).collect();
        self.items.will_need(&numbers);
        numbers.iter().filter_map(|number| Some(self.items.get(number)?.seq)).collect()
    }

    /// The first `limit` primary items of the room that `scope` writes to that `wanted` gives
    /// something for, by the rarest terms of `wording` that they share: first those with most,
    /// of equal ones the last written, since what stands is newer than what it replaced.
    ///
    /// An item behind 1,024 newer ones with each of those terms is not found, nor one behind
    /// 2,048 that share more and aren't wanted.
    ///
    /// Cost: bounded, however long the log: that of [`Recall::alike`] in one cell, and what
    /// `wanted` costs for 2,048 items.
    pub fn alike_here<T>(
        &self,
        wording: &Wording,
        scope: &Scope<'_>,
        limit: usize,
        wanted: &mut dyn FnMut(Seq) -> Option<T>,
    ) -> Vec<T> {
        let mut sums = self.sharing(wording, &[scope.room()]);
        sums.sort_unstable_by_key(|(worth, number)| (*worth, Reverse(*number)));
        sums.truncate(LOOKED_AT_MAX);
        let mut found = Vec::new();
        for numbers in sums.chunks(GIVEN_MAX) {
            let numbers: Vec<u32> = numbers.iter().map(|(_, number)| *number).collect();
            self.items.will_need(&numbers);
            for number in numbers {
                found.extend(self.items.get(&number).and_then(|item| wanted(item.seq)));
                if found.len() >= limit {
                    return found;
                }
            }
        }
        found
    }

    /// What the primary items of `cells` share with `wording`, by their numbers, and its worth.
    fn sharing(&self, wording: &Wording, cells: &[Key]) -> Vec<(Reverse<i64>, u32)> {
        let terms = wording.distinct().iter().take(TERMS_MAX);
        let question = Question::of_terms(terms.map(|term| QueryTerm {
            term: term.clone(),
            position: 0,
            tenths: 10,
        }));
        let documents = self.corpus(cells).items;
        let pending = self.pending_matches(cells, &question.terms);
        let pending: Vec<_> = pending.into_iter().filter(|(_, one)| !one.derived).collect();
        let mut rarest: Vec<(Reverse<i64>, usize)> = Vec::new();
        for (at, term) in question.terms.iter().enumerate() {
            let counts =
                cells.iter().map(|cell| self.postings.counted(&Posting::term(*cell, &term.term)));
            let having = counts.sum::<u64>()
                + pending.iter().filter(|(_, one)| one.term == at).count() as u64;
            if having > 0 {
                rarest.push((Reverse(documents.idf(having)), at));
            }
        }
        rarest.sort_unstable();
        rarest.truncate(FOLLOWED_MAX);
        let mut having: Vec<(u32, i64)> = Vec::new();
        for (Reverse(worth), at) in rarest {
            let Some(term) = question.terms.get(at) else { continue };
            for cell in cells {
                let newest = |(own, one): &&(_, Match)| own == cell && one.term == at;
                let newest: Vec<u32> =
                    pending.iter().filter(newest).map(|(_, one)| one.item).collect();
                let room = NEWEST.saturating_sub(newest.len());
                self.postings.each_newest(&Posting::term(*cell, &term.term), room, |posting| {
                    if !posting.derived {
                        having.push((posting.item, worth));
                    }
                });
                let past = newest.len().saturating_sub(NEWEST);
                having.extend(newest.into_iter().skip(past).map(|item| (item, worth)));
            }
        }
        having.sort_unstable();
        let items = having.chunk_by(|a, b| a.0 == b.0);
        let sums = items.filter_map(|lines| {
            let worth: i64 = lines.iter().map(|line| line.1).sum();
            Some((Reverse(worth), lines.first()?.0))
        });
        sums.collect()
    }
}
