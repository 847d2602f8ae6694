//! Ranking by a blend of similarity, recency and importance, as Matrix ranks.

use std::cmp::Reverse;

use memlith_checkout::Cited;
use memlith_event::Cosine;
use memlith_log::Timestamp;

use crate::caller::Caller;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::read::checkout::Question;

/// The weights of a blend, in millionths; together one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blend {
    similarity: u32,
    recency: u32,
    importance: u32,
}

/// One, in millionths and in billionths.
const MILLION: u32 = 1_000_000;
const BILLION: i64 = 1_000_000_000;

/// The half-life of recency: Matrix published none, so Zaxy's.
const HALF_LIFE_US: i64 = 30 * Timestamp::DAY_US;

/// Importance of what nobody has called important or unimportant.
const IMPORTANCE: i64 = BILLION / 2;

/// Number of answers that are blended.
const BLENDED_MAX: usize = 200;

impl Blend {
    /// 0.7 similarity, 0.2 recency, 0.1 importance.
    pub const MATRIX: Blend = Blend { similarity: 700_000, recency: 200_000, importance: 100_000 };

    /// A blend of these weights in millionths; `None` unless they are one together.
    #[must_use]
    pub fn new(similarity: u32, recency: u32, importance: u32) -> Option<Blend> {
        let sum = u64::from(similarity) + u64::from(recency) + u64::from(importance);
        (sum == u64::from(MILLION)).then_some(Blend { similarity, recency, importance })
    }

    /// The score in billionths, rounded down, of what is this similar, this old in
    /// microseconds, and this important, 0.5 where that isn't known; in billionths both, taken
    /// within -1 and 1 and 0 and 1.
    #[must_use]
    pub fn score(self, similarity: i64, age_us: i64, importance: Option<i64>) -> i64 {
        let importance = importance.unwrap_or(IMPORTANCE).clamp(0, BILLION);
        let parts = [
            (self.similarity, similarity.clamp(-BILLION, BILLION)),
            (self.recency, recency(age_us)),
            (self.importance, importance),
        ];
        let sum: i64 = parts.iter().map(|(weight, part)| i64::from(*weight) * part).sum();
        sum.div_euclid(i64::from(MILLION))
    }
}

/// 2^(-age / 30 days) in billionths, rounded down; 1 of what is yet to come.
fn recency(age_us: i64) -> i64 {
    const BITS: u32 = 62;
    let age = age_us.max(0);
    let Ok(halvings) = u32::try_from(age / HALF_LIFE_US) else { return 0 };
    if halvings >= BITS {
        return 0;
    }
    let rest = (u128::from((age % HALF_LIFE_US).unsigned_abs()) << 32)
        / u128::from(HALF_LIFE_US.unsigned_abs());
    let (mut value, mut root) = (1_u128 << BITS, 1_u128 << (BITS - 1));
    for bit in (0..32).rev() {
        root = (root << BITS).isqrt();
        if rest >> bit & 1 == 1 {
            value = (value * root) >> BITS;
        }
    }
    let billionths = ((value >> halvings) * u128::from(BILLION.unsigned_abs())) >> BITS;
    i64::try_from(billionths).unwrap_or(BILLION)
}

impl Ledger {
    /// Returns what [`Ledger::recall`] finds, ordered by a blend: `score` is then the blend's, in
    /// billionths.
    ///
    /// Similarity is the cosine of question and excerpt where the handle has a model
    /// ([`Reconciler`](crate::write::Reconciler)), and otherwise the relevance as a share of the best one's. No
    /// ledger keeps importance: it is 0.5.
    ///
    /// # Errors
    /// Those of [`Ledger::recall`].
    pub fn recall_blended(
        &self,
        caller: &Caller,
        question: &Question,
        limit: usize,
        blend: Blend,
    ) -> Result<Vec<Cited>, Error> {
        let mut found = self.recall(caller, question, limit.max(BLENDED_MAX))?;
        let now = self.instant(caller);
        let similar = self.similarities(&question.query, &found);
        for (cited, similarity) in found.iter_mut().zip(similar) {
            let age = now.0.saturating_sub(cited.occurred_at.0);
            cited.score = blend.score(similarity, age, None);
        }
        found.sort_by_key(|cited| (Reverse(cited.score), cited.id));
        found.truncate(limit);
        Ok(found)
    }

    fn similarities(&self, query: &str, found: &[Cited]) -> Vec<i64> {
        let comparer = self.options.reconciler.as_ref().and_then(|one| one.comparer.as_deref());
        if let Some(comparer) = comparer {
            let texts: Vec<&str> = found.iter().map(|cited| cited.excerpt.text.as_str()).collect();
            let unit = BILLION / i64::from(Cosine::ONE);
            let of = |cosine: Option<Cosine>| i64::from(cosine.unwrap_or_default().0) * unit;
            return comparer.cosines(query, &texts).into_iter().map(of).collect();
        }
        let best = found.iter().map(|cited| cited.why.relevance).max().unwrap_or(0).max(1);
        let share = |cited: &Cited| {
            let share = i128::from(cited.why.relevance.max(0)) * i128::from(BILLION);
            i64::try_from(share / i128::from(best)).unwrap_or(BILLION)
        };
        found.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_hand() {
        const DAY: i64 = Timestamp::DAY_US;
        let millionths = |similarity, days: i64, importance| {
            Blend::MATRIX.score(similarity, days * DAY, importance) / 1_000
        };
        // 0.7 * 1 + 0.2 * 1 + 0.1 * 0.5
        assert_eq!(millionths(BILLION, 0, None), 950_000);
        // 0.7 * 0.9 + 0.2 * 0.5 + 0.1 * 1
        assert_eq!(millionths(900_000_000, 30, Some(BILLION)), 830_000);
        // 0.7 * 0.8 + 0.2 * 2^-0.5 + 0.1 * 0.5 = 0.56 + 0.14142135... + 0.05
        assert_eq!(millionths(800_000_000, 15, None), 751_421);
        // 0.7 * 0.5 + 0.2 * 2^-(1/3) + 0.1 * 0.2 = 0.35 + 0.15874010... + 0.02
        assert_eq!(millionths(500_000_000, 10, Some(200_000_000)), 528_740);
        // 0.2 * 2^-12 + 0.05: a year is not yet nothing.
        assert_eq!(millionths(0, 360, None), 50_048);
        assert_eq!(millionths(0, 30 * 62, Some(0)), 0);
        assert_eq!(millionths(-BILLION, -5, Some(0)), -500_000);
        assert_eq!(Blend::MATRIX.score(i64::MIN, i64::MAX, Some(i64::MIN)), -700_000_000);
    }

    #[test]
    fn weights_that_are_not_one_together_are_refused() {
        assert_eq!(Blend::new(700_000, 200_000, 100_000), Some(Blend::MATRIX));
        assert_eq!(Blend::new(700_000, 200_000, 100_001), None);
        assert_eq!(Blend::new(u32::MAX, 1, 1_000_000), None);
    }

    #[test]
    fn an_older_and_less_similar_one_comes_later() {
        let score = |similarity: i64, days: i64| {
            Blend::MATRIX.score(similarity * 10_000_000, days * Timestamp::DAY_US, None)
        };
        assert!(score(90, 0) > score(90, 1) && score(90, 1) > score(89, 1));
        // A tenth of similarity is worth 0.35 of recency.
        assert!(score(90, 30) > score(80, 0) - 40_000_000);
    }
}
