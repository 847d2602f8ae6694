use std::cmp::Reverse;
use std::collections::BinaryHeap;

use memlith_event::{Key, Scope};
use memlith_log::{Seq, Timestamp};

use crate::cell::cells_of;
use crate::item::{Item, NONE, Traits};
use crate::matches::{MatchedItem, Matches, NEWEST};
use crate::nearness::Nearness;
use crate::passage::Placed;
use crate::posting::Posting;
use crate::proper::proper;
use crate::question::Question;
use crate::requests::Requests;
use crate::rows::Rows;
use crate::share::share;
use crate::{Hit, ModelVector, Query, Recall};

/// Number of the best items by terms and session that become candidates, and of derived ones.
///
/// Source: specs/recall.md, the scorer, 8: among 200 are 96 of 100 items wanted.
const SEEDS_MAX: usize = 200;

/// How far around a seed its neighbours become candidates.
const REACH: usize = 2;

/// Maximum number of candidates by the days, or by the actors, that a query names.
const CIRCUMSTANCE_MAX: usize = 200;

/// Maximum number of candidates that have nothing but terms near the query's, and of those that
/// are found by their vectors alone; and as many derived of each.
const OTHERS_MAX: usize = 50;

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
    let mut search = Search::of(recall, query.text, query.scope, query.now);
    search.hits(query.limit, query.eligible, &|_| {})
}

/// Matches of a query, to be searched for the hits of several kinds of items.
///
/// The postings are read and scored once, whatever is asked of them.
#[derive(Debug)]
pub struct Search<'a> {
    pub(crate) recall: &'a Recall,
    cells: Vec<Key>,
    pub(crate) question: Question,
    pub(crate) matches: Matches,
    /// The matched items by [`Search::first_score`]: primary ones, derived ones.
    ranked: [BinaryHeap<(i64, Reverse<u32>)>; 2],
    /// The items with nothing but terms near the query's, by how much: primary, derived ones.
    others: [BinaryHeap<(i64, Reverse<u32>)>; 2],
    pub(crate) rows: Rows,
    /// The items that began the sessions in which most of the query is met.
    pub(crate) requests: Requests,
    /// The rows around the candidate that is scored: before it, and after it, the nearest
    /// first.
    pub(crate) around: [Vec<usize>; 2],
    /// A figure for each term, for the moment.
    pub(crate) by_term: Vec<u64>,
    /// The places of the query's terms in an item, for the moment.
    pub(crate) placed: Vec<Placed>,
    /// How near the query's vector is, where it has one.
    pub(crate) nearness: Option<Nearness<'a>>,
}

impl<'a> Search<'a> {
    /// Reads what `text` matches: see [`Query`].
    #[must_use]
    pub fn of(recall: &'a Recall, text: &str, scope: &Scope<'_>, now: Timestamp) -> Search<'a> {
        let cells = cells_of(recall, scope);
        let question = Question::of(recall, &cells, text, now);
        let matches = Matches::gather(recall, &cells, &question);
        let mut ranked = [Vec::with_capacity(matches.items().len()), Vec::new()];
        for item in matches.items() {
            let [primary, derived] = &mut ranked;
            let ranked = if item.derived { derived } else { primary };
            ranked.push((first_score(&matches, item), Reverse(item.item)));
        }
        let ranked = ranked.map(BinaryHeap::from);
        let (around, by_term, placed) = (<[Vec<usize>; 2]>::default(), Vec::new(), Vec::new());
        let others = matches.near.others(&matches);
        let mut rows = Rows::new();
        let [primary, _] = &ranked;
        let mut primary = primary.clone();
        let first = std::iter::from_fn(|| primary.pop().map(|(_, Reverse(number))| number));
        let requests = Requests::among(first.take(SEEDS_MAX), recall, &matches, &mut rows);
        let nearness = None;
        Search {
            recall,
            cells,
            question,
            matches,
            ranked,
            others,
            rows,
            requests,
            around,
            by_term,
            placed,
            nearness,
        }
    }

    /// Searches also with a vector of what is asked: it re-scores what the words find, and
    /// in a scope of few vectors of its model finds what shares no word with them.
    #[must_use]
    pub fn with_vector(mut self, vector: &'a ModelVector) -> Search<'a> {
        self.nearness = Some(Nearness::of(self.recall, &self.cells, vector));
        self
    }

    /// Searches as for a question about the actor of this key: whom its "I" means.
    #[must_use]
    pub fn about(mut self, actor: Key) -> Search<'a> {
        if let Err(place) = self.question.actors.binary_search(&actor) {
            self.question.actors.insert(place, actor);
        }
        self
    }

    /// The names and identifiers of `text`, which is what is asked, that none of `hits` has.
    #[must_use]
    pub fn nowhere<'h>(&self, text: &str, hits: impl IntoIterator<Item = &'h Hit>) -> Vec<String> {
        let had = hits.into_iter().fold(0_u64, |had, hit| had | hit.has);
        let terms = &self.question.terms;
        let is_missing = |term: &String| {
            let place = terms.iter().position(|one| one.term == *term);
            place.is_some_and(|place| had >> (place & 63) & 1 == 0)
        };
        let missing = proper(text).into_iter().filter(|one| one.terms.iter().any(is_missing));
        missing.map(|one| one.word).collect()
    }

    /// The words by which the query names an actor, in lower case; none where it names several.
    #[must_use]
    pub fn only_name(&self) -> &[String] {
        let is_one = self.question.actors.len() == 1;
        if is_one { &self.question.names } else { &[] }
    }

    /// The hits among the items that are `eligible`, as [`search`] gives them.
    ///
    /// `expect` is told for which items that is asked soon, all of them at once: a hint.
    pub fn hits(
        &mut self,
        limit: usize,
        eligible: &dyn Fn(Seq) -> bool,
        expect: &dyn Fn(&[Seq]),
    ) -> Vec<Hit> {
        let candidates = self.candidates(limit, eligible, expect);
        let hits: Vec<Hit> = candidates.into_iter().filter_map(|place| self.hit(place)).collect();
        let order = hits.iter().enumerate().map(|(at, hit)| (Reverse(hit.relevance), hit.seq, at));
        let mut order: Vec<_> = order.collect();
        order.sort_unstable();
        order.truncate(limit);
        order.into_iter().filter_map(|(.., at)| hits.get(at).cloned()).collect()
    }

    /// The places of the eligible items worth scoring, in order of their numbers.
    ///
    /// Derived items are counted apart: none of them takes a primary item's place.
    fn candidates(
        &mut self,
        limit: usize,
        eligible: &dyn Fn(Seq) -> bool,
        expect: &dyn Fn(&[Seq]),
    ) -> Vec<usize> {
        let mut found: Vec<(u32, usize)> = Vec::new();
        let seeds_max = SEEDS_MAX.max(limit);
        for mut ranked in self.ranked.clone() {
            let mut next = || ranked.pop().map(|(_, Reverse(number))| number);
            let first: Vec<u32> = std::iter::from_fn(&mut next).take(seeds_max).collect();
            self.expect(&first, expect);
            let mut seeds = 0;
            for number in first.into_iter().chain(std::iter::from_fn(next)) {
                if seeds >= seeds_max {
                    break;
                }
                let Some(place) = self.eligible(number, eligible) else { continue };
                seeds += 1;
                found.push((number, place));
                self.look_around(place, REACH);
                let around = self.around.iter().flatten();
                found.extend(around.filter_map(|at| Some((self.rows.at(*at)?.item.number, *at))));
            }
        }
        found.extend(self.circumstantial(eligible));
        for mut others in self.others.clone() {
            let mut next = || others.pop().map(|(_, Reverse(number))| number);
            let places = std::iter::from_fn(&mut next)
                .filter_map(|number| Some((number, self.eligible(number, eligible)?)));
            found.extend(places.take(OTHERS_MAX));
        }
        for nearest in self.nearness.as_ref().map(Nearness::nearest).into_iter().flatten() {
            self.expect(&nearest, expect);
            let places = nearest.into_iter();
            let places =
                places.filter_map(|number| Some((number, self.eligible(number, eligible)?)));
            found.extend(places.take(OTHERS_MAX));
        }
        found.sort_unstable();
        found.dedup_by_key(|(number, _)| *number);
        let rows = &self.rows;
        let places = found.into_iter().map(|(_, place)| place);
        places.filter(|place| rows.at(*place).is_some_and(|row| eligible(row.item.seq))).collect()
    }

    /// Lets come what is read of these items, in two waves: their rows, and what is known of
    /// them elsewhere.
    fn expect(&mut self, numbers: &[u32], expect: &dyn Fn(&[Seq])) {
        self.recall.items.will_need(numbers);
        let places = numbers.iter().filter_map(|number| self.place_of(*number));
        let places: Vec<usize> = places.collect();
        let seqs = places.into_iter().filter_map(|place| Some(self.rows.at(place)?.item.seq));
        expect(&seqs.collect::<Vec<Seq>>());
    }

    /// The place of an item, if it is eligible.
    fn eligible(&mut self, number: u32, eligible: &dyn Fn(Seq) -> bool) -> Option<usize> {
        let place = self.place_of(number)?;
        self.rows.at(place).filter(|row| eligible(row.item.seq)).map(|_| place)
    }

    /// The last eligible items of the days that the query names and, where it says
    /// nothing else, of the actors; by number.
    fn circumstantial(&mut self, eligible: &dyn Fn(Seq) -> bool) -> Vec<(u32, usize)> {
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
        let mut places = Vec::new();
        for of_one_sort in found.chunk_by(|a, b| a.0 == b.0) {
            let newest = of_one_sort.iter().rev().map(|(_, number)| *number);
            let newest =
                newest.filter_map(|number| Some((number, self.eligible(number, eligible)?)));
            places.extend(newest.take(CIRCUMSTANCE_MAX));
        }
        places
    }

    /// Notes the items up to `reach` before and after that at `place` in its session.
    pub(crate) fn look_around(&mut self, place: usize, reach: usize) {
        let steps: [fn(&Item) -> u32; 2] = [|item| item.previous, |item| item.next];
        for (side, step) in steps.into_iter().enumerate() {
            let mut found = self.around.get_mut(side).map(std::mem::take).unwrap_or_default();
            found.clear();
            let mut at = place;
            for _ in 0..reach {
                let next = self.rows.at(at).map_or(NONE, |row| step(&row.item));
                let Some(next) = self.place_of(next) else { break };
                found.push(next);
                at = next;
            }
            if let Some(side) = self.around.get_mut(side) {
                *side = found;
            }
        }
    }

    pub(crate) fn place_of(&mut self, number: u32) -> Option<usize> {
        self.rows.find(self.recall, &self.matches, number)
    }
}

/// By what seeds are chosen: terms, and the session's prior.
fn first_score(matches: &Matches, item: &MatchedItem) -> i64 {
    let session = share(matches.session_score(item.session), matches.best_session);
    share(item.passage.score, matches.best) + session * 6 / 10
}
