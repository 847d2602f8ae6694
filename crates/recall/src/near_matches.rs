use std::cmp::Reverse;
use std::collections::BinaryHeap;

use memlith_event::Key;

use crate::Recall;
use crate::matches::{Match, Matches};
use crate::posting::Posting;
use crate::question::{NearTerm, Question, REASON};

/// Matches of the terms near those of a query: by item, then by term of the query.
///
/// An item, whether it is derived, the place of the query's term, below 64, and how near one of
/// the item's is, are packed in a number each: there may be tens of thousands.
#[derive(Debug, Default)]
pub(crate) struct NearMatches(Vec<u64>);

/// A term finds no more items than so many of a cell, the newest ones.
///
/// Fewer than a term of the query itself: most of what these find is found by that as well.
const NEWEST: usize = 1_024;

impl NearMatches {
    /// Reads the posting lists of the terms near the question's; `pending` is what of all of
    /// them was found in pending items.
    pub(crate) fn gather(
        recall: &Recall,
        cells: &[Key],
        question: &Question,
        pending: &[(Key, Match)],
    ) -> NearMatches {
        let near = || question.near.iter();
        let keys: Vec<Key> = (cells.iter())
            .flat_map(|cell| near().map(|near| Posting::term(*cell, &near.term)))
            .collect();
        recall.postings.will_need(&keys);
        let mut found = Vec::new();
        for (key, near) in keys.iter().zip(cells.iter().flat_map(|_| near())) {
            recall.postings.each_newest(key, NEWEST, |posting| {
                found.push(packed((posting.item, posting.derived), near));
            });
        }
        for (_, own) in pending {
            let at = own.term.checked_sub(question.terms.len());
            let near = at.and_then(|at| question.near.get(at));
            found.extend(near.map(|near| packed((own.item, own.derived), near)));
        }
        // Every list ascends, so that a merge sort has little to do.
        found.sort();
        NearMatches(found)
    }

    /// The places of the query's terms that an item has one near of, with how near that is.
    pub(crate) fn of(&self, item: u32) -> impl Iterator<Item = (usize, u64)> {
        let first = self.0.partition_point(|packed| packed >> 32 < u64::from(item));
        let own = self.0.get(first..).unwrap_or_default().iter();
        let own = own.take_while(move |packed| **packed >> 32 == u64::from(item));
        own.map(|packed| (term_of(*packed), packed & 0xff))
    }

    /// Whether an item has a word by which a reason is given, where the query asks for one.
    pub(crate) fn gives_a_reason(&self, item: u32) -> bool {
        self.of(item).any(|(term, _)| term == REASON)
    }

    /// The items that have none of the query's terms, by how much is near of them: primary
    /// ones, derived ones.
    pub(crate) fn others(&self, matches: &Matches) -> [BinaryHeap<(i64, Reverse<u32>)>; 2] {
        let (mut primary, mut derived) = (Vec::new(), Vec::new());
        for own in self.0.chunk_by(|a, b| a >> 32 == b >> 32) {
            let Some(first) = own.first() else { continue };
            let Ok(item) = u32::try_from(first >> 32) else { continue };
            if matches.place_of(item).is_some() {
                continue;
            }
            // Of one term the nearest is the last.
            let nearest =
                own.chunk_by(|a, b| a >> 8 == b >> 8).filter_map(|of_term| of_term.last());
            let worth = |packed: &u64| {
                let worth = matches.worth.get(term_of(*packed)).copied().unwrap_or_default();
                worth * (packed & 0xff).cast_signed()
            };
            let list = if first & DERIVED == 0 { &mut primary } else { &mut derived };
            let worth: i64 = nearest.map(worth).sum();
            // A word of reasons is about nothing by itself.
            list.extend((worth > 0).then_some((worth, Reverse(item))));
        }
        [primary, derived].map(BinaryHeap::from)
    }
}

/// The bit of a derived item.
const DERIVED: u64 = 1 << 31;

fn packed((item, derived): (u32, bool), near: &NearTerm) -> u64 {
    let derived = if derived { DERIVED } else { 0 };
    u64::from(item) << 32 | derived | (near.of as u64 & 0xff) << 8 | u64::from(near.likeness)
}

fn term_of(packed: u64) -> usize {
    (packed >> 8 & 0xff) as usize
}
