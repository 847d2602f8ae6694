use crate::corpus::{Corpus, Token};
use crate::evidence::{Bits, Expected};
use crate::links::Links;
use crate::null;

/// Steps that follow each other in several runs, with other steps between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) tokens: Vec<Token>,
    /// In how many runs it stands.
    pub(crate) support: u64,
    /// How little chance explains that.
    pub(crate) bits: Bits,
    /// The bound on the gaps at which chance explains it least.
    pub(crate) gap: usize,
}

/// How far patterns are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) support_min: u64,
    pub(crate) gap_max: usize,
    pub(crate) steps_max: usize,
    /// The most patterns; the search ends with them.
    pub(crate) patterns_max: usize,
}

/// Where a pattern ends: the place, and the largest gap before it, the least possible.
type End = (usize, usize);

/// The closed patterns along `links` that `keep` lets pass, shorter ones before those that
/// they begin.
///
/// Closed: no pattern with one more step, in front, between or behind and along links,
/// stands in every run that this one stands in; one of `steps_max` steps is. A pattern that
/// `keep` refuses isn't grown.
///
/// Prefixes grow by what follows their ends within the gap, as in PrefixSpan with a gap
/// constraint; all ends are kept, since with a bound on gaps the first one doesn't do. The
/// test of closedness is the one in both directions of BIDE (Wang and Han, ICDE 2004), with
/// gaps as in Gap-BIDE (Li and Wang, SDM 2008).
pub(crate) fn closed(
    corpus: &Corpus,
    links: &Links,
    bounds: Bounds,
    keep: &dyn Fn(&Pattern) -> bool,
) -> Vec<Pattern> {
    let mut search = Search { corpus, links, bounds, keep, found: Vec::new(), met: 0 };
    for token in corpus.tokens() {
        let places = corpus.column(token).map_or(&[][..], |column| &column.places);
        let ends: Vec<End> = places.iter().map(|place| (*place as usize, 0)).collect();
        search.grow(&mut vec![token], &ends);
    }
    search.found
}

/// The ends of `tokens` in the places that are free, each with its least largest gap.
pub(crate) fn ends(corpus: &Corpus, tokens: &[Token], gap_max: usize, free: &[bool]) -> Vec<End> {
    let is_free = |place: usize| free.get(place).copied().unwrap_or(true);
    let Some((first, rest)) = tokens.split_first() else { return Vec::new() };
    let places = corpus.column(*first).map_or(&[][..], |column| &column.places);
    let places = places.iter().map(|place| *place as usize).filter(|place| is_free(*place));
    let mut ends: Vec<End> = places.map(|place| (place, 0)).collect();
    for token in rest {
        let mut next: Vec<End> = following(corpus, &ends, gap_max)
            .filter(|(found, (place, _))| found == token && is_free(*place))
            .map(|(_, end)| end)
            .collect();
        next.sort_unstable();
        next.dedup_by_key(|end| end.0);
        ends = next;
    }
    ends
}

/// Steps behind the ends, within the gap: the token and the new end.
fn following(corpus: &Corpus, ends: &[End], gap_max: usize) -> impl Iterator<Item = (Token, End)> {
    ends.iter().flat_map(move |(place, widest)| {
        let last = corpus.run_of(*place).map_or(0, |run| run.end);
        let next = (place + 1..last).take(gap_max + 1).enumerate();
        next.map(move |(gap, next)| (corpus.token(next), (next, gap.max(*widest))))
    })
}

/// In how many runs there are ends with each bound on the gaps.
pub(crate) fn supports(corpus: &Corpus, ends: &[End], gap_max: usize) -> Vec<u64> {
    let mut supports = vec![0; gap_max + 1];
    for ends in ends.chunk_by(|a, b| corpus.owner(a.0) == corpus.owner(b.0)) {
        let least = ends.iter().map(|end| end.1).min().unwrap_or(0);
        for support in supports.iter_mut().skip(least) {
            *support += 1;
        }
    }
    supports
}

struct Search<'a> {
    corpus: &'a Corpus,
    links: &'a Links,
    bounds: Bounds,
    keep: &'a dyn Fn(&Pattern) -> bool,
    found: Vec<Pattern>,
    met: usize,
}

impl Search<'_> {
    /// Grows the pattern `tokens`, which ends at `ends`. The depth is that of the longest
    /// pattern, [`crate::Options::STEPS_MAX`] at most.
    fn grow(&mut self, tokens: &mut Vec<Token>, ends: &[End]) {
        let Some(last) = tokens.last().copied() else { return };
        if tokens.len() >= self.bounds.steps_max {
            return;
        }
        let mut next: Vec<(Token, End)> = following(self.corpus, ends, self.bounds.gap_max)
            .filter(|(token, _)| self.links.holds(last, *token))
            .collect();
        next.sort_unstable();
        next.dedup_by_key(|(token, end)| (*token, end.0));
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            let Some((token, _)) = group.first() else { continue };
            let ends: Vec<End> = group.iter().map(|(_, end)| *end).collect();
            if self.met >= self.bounds.patterns_max {
                return;
            }
            let supports = supports(self.corpus, &ends, self.bounds.gap_max);
            if supports.last() < Some(&self.bounds.support_min) {
                continue;
            }
            self.met += 1;
            tokens.push(*token);
            self.take(tokens, &ends, &supports);
            tokens.pop();
        }
    }

    fn take(&mut self, tokens: &mut Vec<Token>, ends: &[End], supports: &[u64]) {
        let expected: Vec<Expected> = null::expected(self.corpus, tokens, self.bounds.gap_max);
        let (bits, gap) = null::best(supports, &expected, self.corpus.runs().len());
        let support = supports.last().copied().unwrap_or(0);
        let pattern = Pattern { tokens: tokens.clone(), support, bits, gap };
        if !(self.keep)(&pattern) {
            return;
        }
        if self.is_closed(tokens, ends) {
            self.found.push(pattern);
        }
        self.grow(tokens, ends);
    }

    /// Whether no pattern with one more step stands in every run of these ends.
    fn is_closed(&self, tokens: &[Token], ends: &[End]) -> bool {
        if tokens.len() >= self.bounds.steps_max {
            return true;
        }
        let mut runs: Vec<usize> = ends.iter().map(|end| self.corpus.owner(end.0)).collect();
        runs.dedup();
        (0..=tokens.len()).all(|slot| {
            let (front, back) = tokens.split_at(slot);
            let others = match (front.last(), back.first()) {
                (Some(last), _) => self.links.next(*last),
                (None, Some(first)) => self.links.before(*first),
                (None, None) => &[],
            };
            let next = back.first();
            let mut others = others
                .iter()
                .filter(|other| next.is_none_or(|next| self.links.holds(**other, *next)));
            others.all(|other| {
                let longer = [front, &[*other], back].concat();
                !runs.iter().all(|run| self.stands_in(*run, &longer))
            })
        })
    }

    fn stands_in(&self, run: usize, tokens: &[Token]) -> bool {
        let Some((first, rest)) = tokens.split_first() else { return true };
        let Some(run) = self.corpus.run(run) else { return false };
        let places = self.corpus.column(*first).map_or(&[][..], |column| &column.places);
        let from = places.partition_point(|place| (*place as usize) < run.first);
        let starts = places.iter().skip(from).map(|place| *place as usize);
        let mut ends: Vec<usize> = starts.take_while(|place| *place < run.end).collect();
        for token in rest {
            let mut next: Vec<usize> = Vec::new();
            for place in ends {
                let reach = (place + 1..run.end).take(self.bounds.gap_max + 1);
                next.extend(reach.filter(|next| self.corpus.token(*next) == *token));
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
        }
        !ends.is_empty()
    }
}

#[cfg(test)]
pub(crate) mod tests;
