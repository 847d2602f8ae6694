use crate::Hit;
use crate::bm25::BM25;
use crate::days::Days;
use crate::item::{Item, NONE, Traits};
use crate::matches::{passages, score};
use crate::passage::{self, PASSAGE, Passage, WORDS, place_all};
use crate::requests::Request;
use crate::rows::FoundRow;
use crate::search::Search;
use crate::share::{nearness, share, sharpened};
use crate::signals::{ONE, Signals};

/// Length up to which a passage and the items around it count, in units of four bytes.
const CONTEXT: u16 = 2 * PASSAGE;

/// No more items on either side are looked at for that.
const AROUND_MAX: usize = 6;

/// Items around a passage count for one part in this number.
///
/// Source: `memlith-bench recall` on both development sets, where 2 and 4 are within the noise.
const AROUND_PART: u64 = 3;

/// A word that was meant, as it seems, by one that was typed wrong counts for so much, in tenths.
const MEANT_TENTHS: i64 = 8;

impl Search<'_> {
    /// The hit that the row at `place` makes.
    pub(crate) fn hit(&mut self, place: usize) -> Option<Hit> {
        self.look_around(place, AROUND_MAX);
        let row = self.rows.read(self.recall, place)?.clone();
        let signals = self.signals(&row);
        let Item { seq, number, session, .. } = row.item;
        let relevance = signals.relevance();
        let is_named = self.question.actors == [row.item.actor];
        let is_question = row.item.traits.has(Traits::QUESTION);
        let has = self.matches.of(row.matched).fold(0, |has, found| has | 1 << (found.term & 63));
        let own = self.coverage(&[(self.passage_of(row.matched).terms, 10)]);
        Some(Hit { seq, relevance, signals, own, is_named, is_question, has, number, session })
    }

    /// The signals of a row around which was looked.
    fn signals(&mut self, row: &FoundRow) -> Signals {
        let item = &row.item;
        let passage = self.passage_of(row.matched);
        let is = |holds: bool| if holds { ONE } else { 0 };
        let is_about = self.question.actors == [item.actor];
        let asks = self.question.asks;
        let is_work = self.is_work(item);
        let request = self.requests.of(item).filter(|_| is_work);
        let in_session = self.matches.session_score(item.session);
        let days = self.question.days;
        Signals {
            context: self.context(row, passage),
            coverage: self.coverage_of(row, passage),
            meaning: self.meaning(row, passage),
            session: share(in_session, self.matches.best_session),
            near: self.near(row, passage),
            answer: self.answer(row),
            reply: self.reply(),
            about: if is_about { of_itself(item) } else { 0 },
            when: is(asks.when && item.is_short() && item.traits.has(Traits::TIME)),
            day: days.map_or(0, |days| nearness(days.gap(Days::day(item.day)))),
            request: request.map_or(0, |request| request.asked),
            cause: self.cause(row, passage, request),
            reason: is(is_work && self.matches.near.gives_a_reason(item.number)),
            opening: is(is_work && item.begins_session() && !item.traits.has(Traits::MEMORY)),
            outcome: is(is_work && asks.outcome && item.session != NONE && item.next == NONE),
            vector: self.vector(item),
        }
    }

    /// BM25 of a passage with a part of what stands around it in its session.
    fn context(&mut self, row: &FoundRow, passage: Passage) -> i64 {
        self.by_term.clear();
        self.by_term.resize(self.matches.worth.len(), 0);
        let worth_of = |found: &crate::matches::Match| u64::from(found.frequency);
        for found in self.matches.of(row.matched) {
            let places = found.places.as_slice();
            let inside = places.iter().filter(|place| passage.has(**place)).count() as u64;
            if let Some(sum) = self.by_term.get_mut(found.term) {
                *sum += AROUND_PART * worth_of(found) * inside / (places.len() as u64).max(1);
            }
        }
        let length = row.item.length.min(PASSAGE);
        let room = CONTEXT.saturating_sub(length);
        let [before, after] = &self.around;
        let both = before.len().min(after.len());
        let sides =
            before.iter().zip(after).flat_map(|(before, after)| [(before, true), (after, false)]);
        let rest = before.iter().skip(both).map(|at| (at, true));
        let rest = rest.chain(after.iter().skip(both).map(|at| (at, false)));
        let mut around = 0;
        for (at, is_before) in sides.chain(rest) {
            let Some(other) = self.rows.at(*at).filter(|_| around < room) else { break };
            let taken = other.item.length.min(room - around);
            around += taken;
            let nearest = Nearest::of(&other.item, taken, is_before);
            for found in self.matches.of(other.matched).filter(|found| !found.otherwise) {
                let places = found.places.as_slice();
                let inside = places.iter().filter(|place| nearest.has(**place)).count() as u64;
                if let Some(sum) = self.by_term.get_mut(found.term) {
                    *sum += worth_of(found) * inside / (places.len() as u64).max(1);
                }
            }
        }
        let all = u64::from(length) + u64::from(around) / AROUND_PART;
        let norm = BM25.norm(all, passages(self.matches.corpus.items));
        let frequencies = self.by_term.iter().map(|parts| parts / AROUND_PART).enumerate();
        share(score(norm, &self.matches.worth, frequencies), self.matches.best)
    }

    /// How much of the query stands close together in a passage.
    fn near(&mut self, row: &FoundRow, passage: Passage) -> i64 {
        place_all(self.matches.of(row.matched), &mut self.placed);
        let near = passage::nearness(&self.placed, passage, &self.matches.worth);
        share(near, self.matches.worth.iter().sum::<i64>().max(1))
    }

    /// The share of the query that a passage has; of a short item with what the two short items
    /// before it have.
    fn coverage_of(&self, row: &FoundRow, passage: Passage) -> i64 {
        let [before, _] = &self.around;
        let short = |at: usize| {
            let place = before.get(at).filter(|_| row.item.is_short());
            let row = place.and_then(|place| self.rows.at(*place));
            let matched = row.filter(|row| row.item.is_short()).and_then(|row| row.matched);
            self.passage_of(matched).terms
        };
        self.coverage(&[(passage.terms, 10), (short(0), 8), (short(1), 6)])
    }

    /// The coverage with words that mean about the same as the query's, where the item is short:
    /// of a long text nearly every word is near one.
    fn meaning(&self, row: &FoundRow, passage: Passage) -> i64 {
        let coverage = self.coverage_of(row, passage);
        if !row.item.is_short() {
            return coverage;
        }
        let worth = self.matches.with_near(row.item.number, passage.terms);
        coverage.max(share(worth, self.matches.worth.iter().sum::<i64>().max(1)))
    }

    /// The share of the query's worth in some passages, each given by its terms and what they count
    /// for there, in tenths: of a term the most.
    fn coverage(&self, passages: &[(u64, i64)]) -> i64 {
        let most = |term: usize| {
            let has = passages.iter().filter(|(terms, _)| terms >> term & 1 == 1);
            let tenths = has.map(|(_, tenths)| *tenths).max().unwrap_or_default();
            let misspelt = self.question.terms.get(term).is_some_and(|term| term.misspelt);
            tenths * if misspelt { MEANT_TENTHS } else { 10 }
        };
        let worth = || self.matches.worth.iter();
        let sum: i64 = worth().enumerate().map(|(term, worth)| worth * most(term)).sum();
        share(sum / 100, worth().sum::<i64>().max(1))
    }

    /// BM25 of the item before, where that is a question and both are short.
    fn answer(&mut self, row: &FoundRow) -> i64 {
        let [before, _] = &self.around;
        let previous = before.first().copied().filter(|_| row.item.is_short());
        let previous = previous.and_then(|at| self.rows.read(self.recall, at));
        let asked =
            previous.filter(|row| row.item.is_short() && row.item.traits.has(Traits::QUESTION));
        let matched = asked.and_then(|row| row.matched);
        share(self.matches.score(matched), self.matches.best)
    }

    /// BM25 of the item behind, where that is longer than a passage.
    fn reply(&self) -> i64 {
        let [_, after] = &self.around;
        let next = after.first().and_then(|at| self.rows.at(*at));
        let matched = next.filter(|next| !next.item.is_short()).and_then(|next| next.matched);
        share(self.matches.score(matched), self.matches.best)
    }

    /// How far what is asked for led to this one, by what both have of the query and what of it the
    /// request says in other words.
    fn cause(&mut self, row: &FoundRow, passage: Passage, request: Option<Request>) -> i64 {
        let Some(request) = request else {
            // Nothing came before it: it says all that it rests on itself.
            let memory = row.item.traits.has(Traits::MEMORY);
            return if memory { sharpened(self.meaning(row, passage)) } else { 0 };
        };
        let place = self.place_of(request.item);
        let matched = place.and_then(|at| self.rows.at(at)?.matched);
        let asked = self.passage_of(matched).terms;
        let both = passage.terms | asked;
        let near = self.matches.with_near(request.item, both) - self.matches.worth_of(both);
        let near = share(near * 9 / 10, self.matches.worth.iter().sum::<i64>().max(1));
        sharpened((self.coverage(&[(passage.terms, 10), (asked, 9)]) + near).min(ONE))
    }

    /// Whether an item is of a session in which tools work, as far as is looked around: there what
    /// is asked for is said once, and what came of it doesn't repeat it.
    fn is_work(&self, item: &Item) -> bool {
        let around = self.around.iter().flatten().filter_map(|at| self.rows.at(*at));
        let mut all = around.map(|row| row.item.traits).chain([item.traits]);
        all.any(|traits| traits.has(Traits::TOOL))
    }

    fn vector(&self, item: &Item) -> i64 {
        let derived = item.traits.has(Traits::DERIVED);
        let nearness = self.nearness.as_ref();
        nearness.map_or(0, |nearness| nearness.cosine(self.recall, item.number, derived).max(0))
    }

    /// The best passage of a matched item.
    fn passage_of(&self, matched: Option<usize>) -> Passage {
        matched.and_then(|at| self.matches.at(at)).map(|found| found.passage).unwrap_or_default()
    }
}

/// How much an item speaks of its own actor: a tool's of nothing else.
fn of_itself(item: &Item) -> i64 {
    match item.traits.has(Traits::TOOL) {
        true => ONE,
        false => i64::from(item.first_person.min(4)) * ONE / 4,
    }
}

/// The content words of an item that stand nearest to its neighbour.
struct Nearest {
    first: u32,
    last: u32,
}

impl Nearest {
    /// Those in so many units of the item's length: its last ones where it stands before.
    fn of(item: &Item, taken: u16, is_before: bool) -> Nearest {
        let words = |length: u16| u32::from(WORDS) * u32::from(length) / u32::from(PASSAGE);
        match (taken == item.length, is_before) {
            (true, _) => Nearest { first: 0, last: u32::MAX },
            (false, true) => {
                let first = words(item.length).saturating_sub(words(taken));
                Nearest { first, last: u32::MAX }
            }
            (false, false) => Nearest { first: 0, last: words(taken) },
        }
    }

    fn has(&self, place: u16) -> bool {
        (self.first..self.last).contains(&u32::from(place))
    }
}
