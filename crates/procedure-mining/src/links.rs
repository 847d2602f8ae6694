use std::collections::BTreeMap;

use crate::corpus::{Column, Corpus, Token};
use crate::evidence::{Bits, Expected, evidence};
use crate::null::best;

/// Which step may follow which in a pattern.
///
/// Pairs that chance explains lead nowhere, and there are very many of them: growing
/// patterns only along links is what keeps the number of patterns near that of what there
/// is to find. It is a prune, not the test: a link need not be significant.
#[derive(Debug, Default)]
pub(crate) struct Links {
    next: BTreeMap<Token, Vec<Token>>,
    before: BTreeMap<Token, Vec<Token>>,
}

/// The evidence that makes a pair a link.
const LINK: Bits = Bits(4 << 16);

impl Links {
    /// The pairs of different steps that stand at most `gap_max` others apart in at least
    /// `support_min` runs, and oftener than chance explains.
    pub(crate) fn of(corpus: &Corpus, support_min: u64, gap_max: usize) -> Links {
        let mut links = Links::default();
        let mut counts = vec![0; corpus.runs().len()];
        for token in corpus.tokens() {
            let Some(column) = corpus.column(token) else { continue };
            set(&mut counts, column, true);
            let pairs = pairs(corpus, token, column, gap_max);
            let followers = pairs.chunk_by(|a, b| a.0 == b.0).filter_map(|pairs| {
                let follower = pairs.first()?.0;
                let supports = supports(pairs, gap_max);
                (supports.last() >= Some(&support_min)).then_some(())?;
                let expected = expected(corpus, &counts, follower, gap_max);
                let (bits, _) = best(&supports, &expected, corpus.runs().len());
                (bits >= LINK).then_some(follower)
            });
            followers.for_each(|follower| links.insert(token, follower));
            set(&mut counts, column, false);
        }
        for [first, second, third] in triples(corpus, support_min) {
            links.insert(first, second);
            links.insert(second, third);
        }
        links
    }

    fn insert(&mut self, token: Token, next: Token) {
        for (map, key, value) in [(&mut self.next, token, next), (&mut self.before, next, token)] {
            let values = map.entry(key).or_default();
            if let Err(place) = values.binary_search(&value) {
                values.insert(place, value);
            }
        }
    }

    /// Whether `next` may follow `token`.
    pub(crate) fn holds(&self, token: Token, next: Token) -> bool {
        self.next(token).binary_search(&next).is_ok()
    }

    /// Tokens that may follow a token, in order.
    pub(crate) fn next(&self, token: Token) -> &[Token] {
        self.next.get(&token).map_or(&[], Vec::as_slice)
    }

    /// Tokens that a token may follow, in order.
    pub(crate) fn before(&self, token: Token) -> &[Token] {
        self.before.get(&token).map_or(&[], Vec::as_slice)
    }

    #[cfg(test)]
    pub(crate) fn between(pairs: impl IntoIterator<Item = (Token, Token)>) -> Links {
        let mut links = Links::default();
        pairs.into_iter().for_each(|(token, next)| links.insert(token, next));
        links
    }
}

/// Writes how often a token stands in each run, or zero again.
fn set(counts: &mut [u64], column: &Column, present: bool) {
    for (run, count) in &column.counts {
        if let Some(place) = counts.get_mut(*run as usize) {
            *place = if present { u64::from(*count) } else { 0 };
        }
    }
}

/// Tokens that follow a token, each with the run and the steps between; each once a run,
/// at its nearest.
fn pairs(
    corpus: &Corpus,
    token: Token,
    column: &Column,
    gap_max: usize,
) -> Vec<(Token, usize, usize)> {
    let mut pairs = Vec::new();
    for place in column.places.iter().map(|place| *place as usize) {
        let end = corpus.run_of(place).map_or(0, |run| run.end);
        for (gap, next) in (place + 1..end).take(gap_max + 1).enumerate() {
            let follower = corpus.token(next);
            if follower != Token::NONE && follower != token {
                pairs.push((follower, corpus.owner(next), gap));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup_by_key(|pair| (pair.0, pair.1));
    pairs
}

/// In how many runs the pair stands with each bound on the gap.
fn supports(pairs: &[(Token, usize, usize)], gap_max: usize) -> Vec<u64> {
    let mut supports = vec![0; gap_max + 1];
    for (_, _, gap) in pairs {
        for support in supports.iter_mut().skip(*gap) {
            *support += 1;
        }
    }
    supports
}

/// As [`crate::null::expected`] for a pair of different tokens, where the counts of the
/// first are laid out by run: there are too many pairs for the general one.
fn expected(corpus: &Corpus, counts: &[u64], follower: Token, gap_max: usize) -> Vec<Expected> {
    let mut sums = vec![Expected::default(); gap_max + 1];
    let Some(column) = corpus.column(follower) else { return sums };
    for (run, count) in &column.counts {
        let (run, count) = (*run as usize, u64::from(*count));
        let together = counts.get(run).map_or(0, |other| other * count);
        if together == 0 {
            continue;
        }
        let len = corpus.run(run).map_or(1, |run| run.len()) as u64;
        let one = Expected::ratio(together, len);
        for (ways, sum) in (1..).zip(&mut sums) {
            *sum = sum.plus(Expected(one.0.saturating_mul(ways)).min(Expected::ONE));
        }
    }
    sums
}

/// The steps that stand beside each other oftener than their frequencies explain, by more
/// than it takes to name them.
fn triples(corpus: &Corpus, support_min: u64) -> Vec<[Token; 3]> {
    let mut met: Vec<[Token; 3]> = Vec::new();
    for run in corpus.runs() {
        let places = (run.first..run.end).take(run.len().saturating_sub(2));
        let triples = places.map(|place| [0, 1, 2].map(|step| corpus.token(place + step)));
        met.extend(
            triples.filter(|[a, b, c]| a != b && b != c && ![a, b, c].contains(&&Token::NONE)),
        );
    }
    met.sort_unstable();
    let groups = met.chunk_by(|a, b| a == b);
    let telling = groups.filter(|group| group.len() as u64 >= support_min).filter_map(|group| {
        let triple = group.first()?;
        let bits = evidence(group.len() as u64, by_frequency(corpus, triple), met.len() as u64);
        let name = triple.iter().map(|token| corpus.information(*token));
        (bits >= name.fold(Bits(0), Bits::plus)).then_some(*triple)
    });
    telling.collect()
}

/// How often three tokens would stand beside each other if nothing but their frequency
/// mattered.
fn by_frequency(corpus: &Corpus, triple: &[Token; 3]) -> Expected {
    let all = (corpus.places_len() as u128).max(1);
    let count = |token: &Token| corpus.column(*token).map_or(0, |column| column.places.len());
    // Each factor is below 2^24, so that 2^32 times three of them fits.
    let product: u128 = triple.iter().map(|token| count(token) as u128).product();
    let mean = (product << 32) / (all * all);
    Expected(u64::try_from(mean).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::null;
    use crate::pattern::tests::corpus;

    proptest! {
        #[test]
        fn pairs_are_expected_as_patterns_are(
            letters in prop::collection::vec(prop::collection::vec(0_u8..4, 0..20), 1..6),
            gap_max in 0_usize..4,
        ) {
            let corpus = corpus(&letters);
            let tokens: Vec<Token> = corpus.tokens().collect();
            for (a, b) in tokens.iter().flat_map(|a| tokens.iter().map(move |b| (*a, *b))) {
                if a == b {
                    continue;
                }
                let mut counts = vec![0; corpus.runs().len()];
                set(&mut counts, corpus.column(a).unwrap(), true);
                let found = expected(&corpus, &counts, b, gap_max);
                let general = null::expected(&corpus, &[a, b], gap_max);
                for (found, general) in found.into_iter().zip(general) {
                    prop_assert!(found.0.abs_diff(general.0) < 1000, "{found:?} {general:?}");
                }
            }
        }
    }

    #[test]
    fn what_follows_beyond_chance_is_a_link() {
        let mut runs: Vec<Vec<u8>> = Vec::new();
        for number in 0..12 {
            let other = |step: u32| u8::try_from(3 + (number * 5 + step * step) % 11).unwrap();
            let mut run: Vec<u8> = (0..20).map(other).collect();
            run.extend([0, 1]);
            runs.push(run);
        }
        let links = Links::of(&corpus(&runs), 3, 2);
        assert!(links.holds(Token(0), Token(1)));
        assert!(!links.holds(Token(1), Token(0)) && !links.holds(Token(0), Token(0)));
        assert!(Links::of(&corpus(&runs), 13, 2).next.is_empty());
    }

    #[test]
    fn frequent_steps_are_links_where_three_of_them_tell() {
        // Two steps that are everywhere are beside each other in every run by chance.
        let mut runs: Vec<Vec<u8>> = Vec::new();
        for number in 0..40_u32 {
            let other = |step: u32| match (number * 7 + step * step * 3 + step) % 13 {
                0..5 => 0,
                5..9 => 1,
                other => u8::try_from(other).unwrap(),
            };
            let mut run: Vec<u8> = (0..40).map(other).collect();
            run.extend([2, 0, 1]);
            runs.push(run);
        }
        let corpus = corpus(&runs);
        assert!(triples(&corpus, 3).contains(&[Token(2), Token(0), Token(1)]));
        assert!(Links::of(&corpus, 3, 3).holds(Token(0), Token(1)));
        assert!(triples(&corpus, 1000).is_empty());
    }
}
