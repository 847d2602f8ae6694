use std::cmp::Reverse;

use memlith_event::{Key, Scope};
use memlith_log::Seq;

use crate::matches::Match;
use crate::posting::Posting;
use crate::question::{QueryTerm, Question};
use crate::{Recall, Wording};

/// Maximum number of terms of a text that are looked up, the first in alphabetical order.
const TERMS_MAX: usize = 64;

/// Maximum number of these terms, the rarest, that are followed to the memories that have them.
const FOLLOWED_MAX: usize = 8;

/// Number of memories, the newest, that are looked at of each term.
const NEWEST: usize = 1_024;

/// Maximum number of memories that share terms and are looked at for those that a caller wants.
const LOOKED_AT_MAX: usize = 2_048;

/// Number of rows that are let come at a time.
const WAVE: usize = 256;

impl Recall {
    /// The first `limit` memories of the room that `scope` writes to that `wanted` gives
    /// something for, by the rarest terms of `wording` that they share: first those with most,
    /// of equal ones the last written, since what stands is newer than what it replaced.
    ///
    /// A memory behind 1,024 newer ones with each of those terms is not found, nor one behind
    /// 2,048 that share more and aren't wanted.
    ///
    /// Cost: bounded, however long the log: the lists of eight terms, and what `wanted` costs
    /// for 2,048 memories.
    pub fn sharing<T>(
        &self,
        wording: &Wording,
        scope: &Scope<'_>,
        limit: usize,
        wanted: &mut dyn FnMut(Seq) -> Option<T>,
    ) -> Vec<T> {
        let mut sums = self.sums(wording, scope.room());
        sums.sort_unstable_by_key(|(worth, number)| (*worth, Reverse(*number)));
        sums.truncate(LOOKED_AT_MAX);
        let mut found = Vec::new();
        for numbers in sums.chunks(WAVE) {
            let numbers: Vec<u32> = numbers.iter().map(|(_, number)| *number).collect();
            for seq in self.seqs(&numbers) {
                found.extend(wanted(seq));
                if found.len() >= limit {
                    return found;
                }
            }
        }
        found
    }

    /// The memories of a cell that share terms with `wording`, with what these are worth.
    fn sums(&self, wording: &Wording, cell: Key) -> Vec<(Reverse<i64>, u32)> {
        let terms = wording.distinct().iter().take(TERMS_MAX);
        let question = Question::of_terms(terms.map(|term| QueryTerm {
            term: term.clone(),
            tenths: 10,
            misspelt: false,
        }));
        let pending = self.pending_matches(&[cell], &question.terms);
        let is_memory = |one: &Match| self.pending(one.item).is_some_and(|one| one.memory);
        let pending: Vec<Match> =
            pending.into_iter().map(|(_, one)| one).filter(is_memory).collect();
        let mut having: Vec<(u32, i64)> = Vec::new();
        for (Reverse(worth), at) in self.rarest(cell, &question, &pending) {
            let Some(term) = question.terms.get(at) else { continue };
            let newest = pending.iter().filter(|one| one.term == at).map(|one| one.item);
            let newest: Vec<u32> = newest.collect();
            let list = self.postings.found(of_memories(cell, term));
            list.each_newest(NEWEST.saturating_sub(newest.len()), |posting| {
                having.push((posting.item, worth));
            });
            let past = newest.len().saturating_sub(NEWEST);
            having.extend(newest.into_iter().skip(past).map(|item| (item, worth)));
        }
        having.sort_unstable();
        let items = having.chunk_by(|a, b| a.0 == b.0);
        let sums = items.filter_map(|lines| {
            let worth: i64 = lines.iter().map(|line| line.1).sum();
            Some((Reverse(worth), lines.first()?.0))
        });
        sums.collect()
    }

    /// The worth of the rarest terms among the memories of a cell, with their places in the
    /// question; the rarest first.
    fn rarest(
        &self,
        cell: Key,
        question: &Question,
        pending: &[Match],
    ) -> Vec<(Reverse<i64>, usize)> {
        let documents = self.corpus(&[cell]).items;
        let mut rarest: Vec<(Reverse<i64>, usize)> = Vec::new();
        for (at, term) in question.terms.iter().enumerate() {
            let settled = self.postings.counted(&of_memories(cell, term));
            let having = settled + pending.iter().filter(|one| one.term == at).count() as u64;
            if having > 0 {
                rarest.push((Reverse(documents.idf(having)), at));
            }
        }
        rarest.sort_unstable();
        rarest.truncate(FOLLOWED_MAX);
        rarest
    }
}

fn of_memories(cell: Key, term: &QueryTerm) -> Key {
    Posting::of_memories(Posting::term(cell, &term.term))
}
