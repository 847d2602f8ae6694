use crate::corpus::{Corpus, Token};
use crate::evidence::Bits;

/// A stretch of a run in which a procedure was followed, perhaps not in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) run: usize,
    /// For each step of the procedure where it stands, if it does.
    pub(crate) places: Vec<Option<usize>>,
    score: i64,
}

/// How windows are told from chance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// The most other steps between two that are found, beyond those that are missing.
    pub(crate) extra_max: usize,
    /// The score that a window with missing steps needs, in [`Bits`].
    pub(crate) score_min: Bits,
    /// The bound on the gaps under which a complete window needs no score.
    pub(crate) gap: usize,
}

/// Cost of a missing step and of an extra one, in 65,536ths of a bit.
///
/// A bit each: a step is there or not, and the noise at which it is missing as often as
/// not is the most that is looked through.
const FAULT: i64 = 1 << 16;

impl Window {
    pub(crate) fn found(&self) -> usize {
        self.places.iter().flatten().count()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.places.iter().all(Option::is_some)
    }

    /// Whether the step stands in it.
    pub(crate) fn has(&self, step: usize) -> bool {
        self.places.get(step).copied().flatten().is_some()
    }

    /// The largest number of other steps between two found ones.
    fn gap(&self) -> usize {
        let found: Vec<usize> = self.places.iter().flatten().copied().collect();
        let gaps = found.windows(2).map(|pair| match pair {
            [a, b] => b - a - 1,
            _ => 0,
        });
        gaps.max().unwrap_or(0)
    }
}

/// Where a run follows `tokens` in free places, best first within a run, by ascending run.
///
/// A local alignment (Smith and Waterman 1981) of the procedure with each run: a step that
/// is found counts its information, minus the binary logarithm of its frequency; one that
/// is missing and one that is extra cost a bit. Windows share no place.
pub(crate) fn windows(
    corpus: &Corpus,
    tokens: &[Token],
    tolerance: Tolerance,
    free: &[bool],
) -> Vec<Window> {
    let hits = hits(corpus, tokens, free);
    let weights: Vec<i64> = tokens.iter().map(|token| signed(corpus.information(*token))).collect();
    let reach = tokens.len() + tolerance.extra_max;
    let mut windows = Vec::new();
    for hits in hits.chunk_by(|a, b| corpus.owner(a.0) == corpus.owner(b.0)) {
        if hits.len() < 2 {
            continue;
        }
        let chains = chains(hits, &weights, reach, tolerance.extra_max);
        pick(corpus, tokens.len(), hits, &chains, tolerance, &mut windows);
    }
    windows
}

/// A place and the step of the procedure that it matches.
type Hit = (usize, usize);

/// The best chain of hits up to one: its score, and the hit before.
type Chain = (i64, Option<usize>);

fn hits(corpus: &Corpus, tokens: &[Token], free: &[bool]) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for (step, token) in tokens.iter().enumerate() {
        let places = corpus.column(*token).map_or(&[][..], |column| &column.places);
        let places = places.iter().map(|place| *place as usize);
        let places = places.filter(|place| free.get(*place).copied().unwrap_or(true));
        hits.extend(places.map(|place| (place, step)));
    }
    hits.sort_unstable();
    hits
}

fn chains(hits: &[Hit], weights: &[i64], reach: usize, extra_max: usize) -> Vec<Chain> {
    let mut chains: Vec<Chain> = Vec::with_capacity(hits.len());
    for (number, (place, step)) in hits.iter().enumerate() {
        let mut best: Chain = (0, None);
        for before in (0..number).rev() {
            let Some((other, earlier)) = hits.get(before) else { break };
            let distance = place - other;
            if distance > reach {
                break;
            }
            if distance == 0 || earlier >= step {
                continue;
            }
            let missing = step - earlier - 1;
            let extra = (distance - 1).saturating_sub(missing);
            let Some((score, _)) = chains.get(before).filter(|_| extra <= extra_max) else {
                continue;
            };
            let score = score - FAULT * (missing + extra) as i64;
            if score > best.0 {
                best = (score, Some(before));
            }
        }
        let weight = weights.get(*step).copied().unwrap_or(0);
        chains.push((best.0 + weight, best.1));
    }
    chains
}

/// The best chains that share no place, as windows.
fn pick(
    corpus: &Corpus,
    steps: usize,
    hits: &[Hit],
    chains: &[Chain],
    tolerance: Tolerance,
    windows: &mut Vec<Window>,
) {
    let mut order: Vec<usize> = (0..hits.len()).collect();
    order.sort_by_key(|hit| (std::cmp::Reverse(chains.get(*hit).map(|chain| chain.0)), *hit));
    let mut taken: Vec<usize> = Vec::new();
    let run = hits.first().map_or(0, |hit| corpus.owner(hit.0));
    for last in order {
        let Some((score, _)) = chains.get(last).copied() else { continue };
        let mut places = vec![None; steps];
        let mut at = Some(last);
        while let Some(number) = at {
            if let Some((place, step)) = hits.get(number).copied()
                && let Some(slot) = places.get_mut(step)
            {
                *slot = Some(place);
            }
            at = chains.get(number).and_then(|chain| chain.1);
        }
        let window = Window { run, places, score };
        if window.places.iter().flatten().any(|place| taken.contains(place)) {
            continue;
        }
        if tolerance.takes(&window) {
            taken.extend(window.places.iter().flatten());
            windows.push(window);
        }
    }
}

impl Tolerance {
    /// Whether it is a window: complete within the gap, or at least half of it and more
    /// than chance gives.
    fn takes(self, window: &Window) -> bool {
        if window.found() < 2 {
            return false;
        }
        let enough =
            window.found() * 2 >= window.places.len() && window.score >= signed(self.score_min);
        enough || (window.is_complete() && window.gap() <= self.gap)
    }
}

fn signed(bits: Bits) -> i64 {
    i64::try_from(bits.0).unwrap_or(i64::MAX)
}
