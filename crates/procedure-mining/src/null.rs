//! Number of occurrences that chance makes expected: every session with its own steps, in any
//! order.

use crate::corpus::{Corpus, Token};
use crate::evidence::{Bits, Expected, evidence};

/// The sum over the runs of the probability that a shuffled run holds `pattern`, for each
/// bound on the gaps from none to `gap_max`.
///
/// The probability is at most the expected number of occurrences (Markov's inequality),
/// which is exact: so many places for the steps, times the probability that a run of n
/// steps drawn without replacement has them there.
pub(crate) fn expected(corpus: &Corpus, pattern: &[Token], gap_max: usize) -> Vec<Expected> {
    let mut sums = vec![Expected::default(); gap_max + 1];
    let Some(column) = rarest(corpus, pattern) else { return sums };
    for (run, _) in &column.counts {
        let contiguous = contiguous(corpus, pattern, *run as usize);
        if contiguous == 0 {
            continue;
        }
        for (gap, sum) in (1_u128..).zip(&mut sums) {
            let ways = (1..pattern.len()).fold(1_u128, |ways, _| ways.saturating_mul(gap));
            let one = contiguous.saturating_mul(ways) >> SPARE;
            let one = u64::try_from(one).map_or(Expected::ONE, |one| Expected(one + 1));
            *sum = sum.plus(one.min(Expected::ONE));
        }
    }
    sums
}

/// The evidence that the best bound on the gaps gives, and that bound; the choice of the
/// bound is paid for.
pub(crate) fn best(supports: &[u64], expected: &[Expected], runs: usize) -> (Bits, usize) {
    let mut best = (Bits(0), 0);
    for (gap, (support, expected)) in supports.iter().zip(expected).enumerate() {
        let bits = evidence(*support, *expected, runs as u64);
        if bits > best.0 {
            best = (bits, gap);
        }
    }
    let paid = best.0.0.saturating_sub(Bits::of_choices(supports.len() as u64).0);
    (Bits(paid), best.1)
}

/// Fractional bits of [`contiguous`] beyond those of [`Expected`].
const SPARE: u32 = 16;

/// How often a shuffled run holds the pattern without gaps, on average, in 2^-48.
fn contiguous(corpus: &Corpus, pattern: &[Token], run: usize) -> u128 {
    let len = corpus.run(run).map_or(0, |run| run.len());
    if len < pattern.len() {
        return 0;
    }
    let starts = len + 1 - pattern.len();
    let mut mean = (starts as u128) << (32 + SPARE);
    for (place, token) in pattern.iter().enumerate() {
        let taken = pattern.iter().take(place).filter(|other| *other == token).count();
        let left = corpus.count(*token, run).saturating_sub(taken as u64);
        mean = (mean * u128::from(left)).div_ceil((len - place) as u128);
    }
    mean
}

fn rarest<'a>(corpus: &'a Corpus, pattern: &[Token]) -> Option<&'a crate::corpus::Column> {
    let columns = pattern.iter().map(|token| corpus.column(*token));
    columns.collect::<Option<Vec<_>>>()?.into_iter().min_by_key(|column| column.counts.len())
}

#[cfg(test)]
mod tests;
