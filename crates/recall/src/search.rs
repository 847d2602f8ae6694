use std::collections::{BTreeMap, BinaryHeap};

use memlith_event::Key;

use crate::bm25::{Documents, ITEM};
use crate::cell::cells_of;
use crate::days::Days;
use crate::item::{Item, NONE, Traits};
use crate::matches::{MatchedItem, Matches, NEWEST, score};
use crate::posting::Posting;
use crate::question::Question;
use crate::signals::ONE;
use crate::{Hit, Query, Recall, Signals};

/// So many of the best items by terms and session become candidates, and as many derived.
///
/// Source: specs/recall.md, the scorer, 8: among 200 are 96 of 100 items wanted.
const SEEDS_MAX: usize = 200;

/// How far around a seed its neighbours become candidates.
const REACH: usize = 2;

/// How far around an item its window goes. Source: `examples/fit.rs`; 3 costs 0.5 of R@10.
const WINDOW: usize = 4;

/// So many items of the days, or of the actors, that a query names become candidates.
const CIRCUMSTANCE_MAX: usize = 200;

/// Days that a query names make candidates only where they are no more than this.
const MONTH: i32 = 31;

/// The items that answer `query`, best first; equal ones in order of sequence.
///
/// No hit where no term, day or actor of the query matches, or the query has none.
/// What is scored are candidates: the best items by terms, their neighbours in the
/// session, and what happened on the days the query names.
///
/// Cost: O(postings of the query's terms in the visible cells, and candidates); never
/// a pass over all items.
#[must_use]
pub fn search(recall: &Recall, query: &Query<'_>) -> Vec<Hit> {
    let cells = cells_of(query.scope);
    let question = Question::of(recall, &cells, query);
    let matches = Matches::gather(recall, &cells, &question);
    let mut search = Search { recall, query, cells, question, matches, items: BTreeMap::new() };
    let mut hits: Vec<Hit> =
        search.candidates().into_iter().map(|item| search.hit(&item)).collect();
    hits.sort_unstable_by_key(|hit| (std::cmp::Reverse(hit.relevance), hit.seq));
    hits.truncate(query.limit);
    hits
}

struct Search<'a> {
    recall: &'a Recall,
    query: &'a Query<'a>,
    cells: Vec<Key>,
    question: Question,
    matches: Matches,
    /// The rows read so far.
    items: BTreeMap<u32, Option<Item>>,
}

impl Search<'_> {
    /// The eligible items worth scoring, in order of their numbers.
    ///
    /// Derived items are counted apart: none of them takes a primary item's place.
    fn candidates(&mut self) -> Vec<Item> {
        let mut numbers = Vec::new();
        for derived in [false, true] {
            let ranked = self.matches.items().iter().filter(|item| item.derived == derived);
            let mut ranked: BinaryHeap<_> =
                ranked.map(|item| (self.first_score(item), std::cmp::Reverse(item.item))).collect();
            let mut seeds = 0;
            while let Some((_, std::cmp::Reverse(number))) = ranked.pop() {
                if seeds >= SEEDS_MAX.max(self.query.limit) {
                    break;
                }
                if self.item(number).is_some_and(|item| (self.query.eligible)(item.seq)) {
                    seeds += 1;
                    numbers.push(number);
                    numbers.extend(self.around(number, REACH));
                }
            }
        }
        numbers.extend(self.circumstantial());
        numbers.sort_unstable();
        numbers.dedup();
        let items: Vec<Item> = numbers.into_iter().filter_map(|number| self.item(number)).collect();
        let eligible = items.into_iter().filter(|item| (self.query.eligible)(item.seq));
        eligible.map(|item| self.recall.read(item)).collect()
    }

    /// By what seeds are chosen: terms, and the session's prior.
    fn first_score(&self, item: &MatchedItem) -> i64 {
        let session = share(self.matches.session_score(item.session), self.matches.best_session);
        share(item.score, self.matches.best) + session * 6 / 10
    }

    /// The last eligible items of the days that the query names and, where it says
    /// nothing else, of the actors.
    fn circumstantial(&mut self) -> Vec<u32> {
        let days = self.question.days.filter(|days| !days.any_year && days.length() <= MONTH);
        let days = days.map_or(0..0, |days| days.first..days.last.saturating_add(1));
        let actors = self.question.actors.iter().filter(|_| self.question.only_names);
        let keys = self.cells.iter().flat_map(|cell| {
            let of_actors = actors.clone().map(|actor| Posting::actor(*cell, *actor));
            days.clone().map(|day| Posting::day(*cell, day)).chain(of_actors)
        });
        let recall = self.recall;
        let postings = keys.flat_map(|key| recall.postings.newest(&key, NEWEST));
        let mut found: Vec<(bool, u32)> =
            postings.map(|posting| (posting.derived, posting.item)).collect();
        let pending = recall.pending.iter().filter(|pending| self.cells.contains(&pending.cell));
        for item in pending.filter_map(|pending| recall.items.get(&pending.number)) {
            if days.contains(&item.day) || actors.clone().any(|actor| *actor == item.actor) {
                found.push((item.traits.has(Traits::DERIVED), item.number));
            }
        }
        found.sort_unstable();
        found.dedup();
        let mut numbers = Vec::new();
        for of_one_sort in found.chunk_by(|a, b| a.0 == b.0) {
            let eligible = of_one_sort.iter().rev().map(|(_, number)| *number).filter(|number| {
                self.item(*number).is_some_and(|item| (self.query.eligible)(item.seq))
            });
            numbers.extend(eligible.take(CIRCUMSTANCE_MAX));
        }
        numbers
    }

    fn hit(&mut self, item: &Item) -> Hit {
        let signals = self.signals(item);
        Hit { seq: item.seq, relevance: signals.relevance(), signals }
    }

    fn signals(&mut self, item: &Item) -> Signals {
        let previous = self.item(item.previous).map(|item| self.recall.read(item));
        let before = previous.as_ref().map_or(NONE, |previous| previous.previous);
        let is = |holds: bool| if holds { ONE } else { 0 };
        let after_question = previous.is_some_and(|previous| previous.traits.has(Traits::QUESTION));
        let terms = |number| share(self.matches.score(number), self.matches.best);
        let actor = is(self.question.actors == [item.actor]);
        let asks = self.question.asks;
        let mut signals = Signals {
            terms: terms(item.number),
            coverage: self.coverage([item.number, item.previous, before]),
            adjacency: self.adjacency(item.number),
            session: share(self.matches.session_score(item.session), self.matches.best_session),
            actor,
            first_person: actor * i64::from(item.first_person.min(4)) / 4,
            question: is(item.traits.has(Traits::QUESTION)),
            when: is(asks.when && item.traits.has(Traits::TIME)),
            number: is(asks.number && item.traits.has(Traits::NUMBER)),
            ..Signals::default()
        };
        signals.answer = if after_question { terms(item.previous) } else { 0 };
        if let Some(days) = self.question.days {
            signals.day = nearness(days.gap(Days::day(item.day)));
            let named = item.named_days().map_or(0, |named| nearness(days.gap(named)));
            signals.named_day = named.max(signals.day);
        }
        signals.window = self.window(item);
        signals
    }

    /// The share of the query's worth that the first of three items has, or the
    /// second (at 0.8), or the third (at 0.6). Source: specs/recall.md, the scorer, 4,
    /// with exact matches alone.
    fn coverage(&self, items: [u32; 3]) -> i64 {
        let mut covered = vec![0; self.matches.worth.len()];
        for (item, tenths) in items.into_iter().zip([10, 8, 6]) {
            for found in self.matches.of(item) {
                if let Some(best) = covered.get_mut(found.term) {
                    *best = tenths.max(*best);
                }
            }
        }
        let worth = || self.matches.worth.iter();
        let sum: i64 = covered.iter().zip(worth()).map(|(tenths, worth)| tenths * worth).sum();
        share(sum / 10, worth().sum::<i64>().max(1))
    }

    /// The share of the query's pairs of adjacent terms that are adjacent in the item too.
    fn adjacency(&self, item: u32) -> i64 {
        let found = self.matches.of(item);
        let at = |term: usize| found.iter().find(|found| found.term == term);
        let place = |term: usize| self.question.terms.get(term).map(|term| term.position);
        let (mut have, mut all) = (0, 0);
        for second in 1..self.question.terms.len() {
            let first = second - 1;
            if place(first).map(|place| place.saturating_add(1)) != place(second) {
                continue;
            }
            let worth = [first, second].map(|at| self.matches.worth.get(at).copied().unwrap_or(0));
            let worth: i64 = worth.iter().sum();
            all += worth;
            let (Some(first), Some(second)) = (at(first), at(second)) else { continue };
            let seconds = second.positions();
            let adjacent = first.positions().iter();
            if adjacent.copied().any(|place| seconds.contains(&place.saturating_add(1))) {
                have += worth;
            }
        }
        share(have, all.max(1))
    }

    /// BM25 of the items around `item` as one document.
    fn window(&mut self, item: &Item) -> i64 {
        let mut numbers = self.around(item.number, WINDOW);
        numbers.push(item.number);
        let length: u64 = numbers
            .iter()
            .filter_map(|number| self.item(*number))
            .map(|item| u64::from(item.length))
            .sum();
        let items = self.matches.corpus.items;
        let items_in_window = 2 * WINDOW as u64 + 1;
        let windows = Documents { length: items.length.saturating_mul(items_in_window), ..items };
        let mut frequencies = vec![0_u64; self.matches.worth.len()];
        for found in numbers.iter().flat_map(|number| self.matches.of(*number)) {
            if let Some(frequency) = frequencies.get_mut(found.term) {
                *frequency += u64::from(found.frequency);
            }
        }
        let norm = ITEM.norm(length, windows);
        let score = score(ITEM, norm, &self.matches.worth, frequencies.into_iter().enumerate());
        share(score, self.matches.best)
    }

    /// The items up to `reach` before and after `number` in its session.
    fn around(&mut self, number: u32, reach: usize) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(2 * reach);
        let steps: [fn(&Item) -> u32; 2] = [|item| item.previous, |item| item.next];
        for step in steps {
            let mut at = number;
            for _ in 0..reach {
                at = self.item(at).map_or(NONE, |item| step(&item));
                if at == NONE {
                    break;
                }
                numbers.push(at);
            }
        }
        numbers
    }

    fn item(&mut self, number: u32) -> Option<Item> {
        if number == NONE {
            return None;
        }
        let read = || self.recall.items.get(&number);
        self.items.entry(number).or_insert_with(read).clone()
    }
}

/// `part` of `whole` in millionths.
fn share(part: i64, whole: i64) -> i64 {
    let share = i128::from(part) * i128::from(ONE) / i128::from(whole.max(1));
    i64::try_from(share).unwrap_or(i64::MAX)
}

/// 1 on the day itself, a half three days away, and so on.
fn nearness(gap_days: i32) -> i64 {
    ONE * 3 / (3 + i64::from(gap_days))
}
