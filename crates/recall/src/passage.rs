use crate::bm25::BM25;
use crate::item::Item;
use crate::matches::Match;

/// The best passage of an item for a question: the part of it by which it ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Passage {
    /// Its BM25.
    pub(crate) score: i64,
    /// Which of the question's terms are in it, one bit each.
    pub(crate) terms: u64,
    /// The place of its first content word that is met; of a short item the first there is.
    pub(crate) first: u16,
    /// The place of the last one.
    pub(crate) last: u16,
}

/// The length of a passage, in units of four bytes. A longer item is searched for its best one.
///
/// Source: ADR 0056.
pub(crate) const PASSAGE: u16 = 120;

/// About so many content words are a passage.
pub(crate) const WORDS: u16 = 48;

/// A term of the question at a place of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    pub(crate) place: u16,
    pub(crate) term: usize,
    /// The weight of the term there, in fifths.
    pub(crate) fifths: u16,
}

/// The places of some terms in an item, ascending, into `placed`.
pub(crate) fn place_all<'a>(matches: impl Iterator<Item = &'a Match>, placed: &mut Vec<Placed>) {
    placed.clear();
    for found in matches {
        let places = found.places.as_slice();
        let count = u16::try_from(places.len()).unwrap_or(u16::MAX).max(1);
        let fifths = (found.frequency / count).max(1);
        let one = |place: &u16| Placed { place: *place, term: found.term, fifths };
        placed.extend(places.iter().map(one));
    }
    placed.sort_unstable();
}

/// The part of [`WORDS`] content words whose terms are worth most together; the first of equal
/// ones. `by_term` is written over.
///
/// Cost: a step a place, of which there are at most eight a term.
pub(crate) fn best(placed: &[Placed], worth: &[i64], norm: i64, by_term: &mut Vec<u64>) -> Passage {
    by_term.clear();
    by_term.resize(worth.len(), 0);
    let gain = |term: usize, fifths: u64| {
        worth.get(term).copied().unwrap_or_default() * BM25.saturate(fifths, norm)
    };
    let (mut best, mut sum, mut terms, mut first) = (Passage::default(), 0, 0_u64, 0);
    for last in placed {
        let Some(count) = by_term.get_mut(last.term) else { continue };
        sum -= gain(last.term, *count);
        *count += u64::from(last.fifths);
        sum += gain(last.term, *count);
        terms |= 1 << (last.term & 63);
        while let Some(left) = placed.get(first).filter(|one| last.place - one.place >= WORDS) {
            first += 1;
            let Some(count) = by_term.get_mut(left.term) else { continue };
            sum -= gain(left.term, *count);
            *count = count.saturating_sub(u64::from(left.fifths));
            sum += gain(left.term, *count);
            if *count == 0 {
                terms &= !(1 << (left.term & 63));
            }
        }
        if sum > best.score {
            let begins = placed.get(first).map_or(last.place, |one| one.place);
            best = Passage { score: sum, terms, first: begins, last: last.place };
        }
    }
    best
}

/// How near terms stand together within a passage: of each two that stand within five content
/// words of each other what the lesser one is worth, each pair once.
pub(crate) fn nearness(placed: &[Placed], within: Passage, worth: &[i64]) -> i64 {
    let inside = |one: &&Placed| within.has(one.place);
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut recent: Vec<Placed> = Vec::new();
    for one in placed.iter().filter(inside) {
        recent.retain(|before| one.place - before.place <= APART);
        let near = recent.iter().filter(|before| before.term != one.term);
        pairs.extend(near.map(|before| (before.term.min(one.term), before.term.max(one.term))));
        recent.push(*one);
    }
    pairs.sort_unstable();
    pairs.dedup();
    let of = |term: usize| worth.get(term).copied().unwrap_or_default();
    pairs.into_iter().map(|(a, b)| of(a).min(of(b))).sum()
}

/// Two terms are near with no more content words between them.
const APART: u16 = 5;

impl Passage {
    /// Whether a place lies within it.
    pub(crate) fn has(self, place: u16) -> bool {
        (self.first..=self.last).contains(&place)
    }
}

impl Item {
    /// Whether it is one passage.
    pub(crate) fn is_short(&self) -> bool {
        self.length <= PASSAGE
    }
}
