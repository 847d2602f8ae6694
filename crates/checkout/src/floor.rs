use std::collections::BTreeMap;

use crate::candidate::Candidate;
use crate::evidence::is_near;

/// Where evidence ends: what answers far less than the best answer is left out.
///
/// As in attenuation, only primary items of at least its tier and its guard count as better:
/// nobody below an item's guard can push it out. The budget moves nothing here.
pub(crate) struct Floor {
    /// The best of each guard and tier.
    best: BTreeMap<(u8, u8), Best>,
}

/// The greatest figures of some candidates.
#[derive(Clone, Copy, Default)]
struct Best {
    relevance: i64,
    coverage: i64,
}

/// An item is left out where its relevance is less than this share of the best, in hundredths.
///
/// Source: ADR 0039.
const SHARE_HUNDREDTHS: i64 = 25;

/// Where an item has all of what is asked, what isn't on the point answers nothing: of
/// forty services with a port each one is called s7. In millionths.
///
/// Source: ADR 0039.
const WHOLE: i64 = 1_000_000;

/// The cosine from which two vectors are near, in millionths.
const NEAR_VECTOR: i64 = 500_000;

impl Floor {
    pub(crate) fn of(candidates: &[Candidate]) -> Floor {
        let mut best: BTreeMap<(u8, u8), Best> = BTreeMap::new();
        for one in candidates.iter().filter(|one| !one.item.is_derived()) {
            let of = best.entry((one.item.guard, one.item.tier.0)).or_default();
            of.take(Best { relevance: one.relevance, coverage: one.signals.coverage });
        }
        Floor { best }
    }

    /// Whether the item answers too little beside the best; not where it is a newer value of
    /// another, nor where its vector is near the question's, which tells what words don't.
    pub(crate) fn is_below(&self, candidate: &Candidate) -> bool {
        if candidate.least > 0 || candidate.signals.vector >= NEAR_VECTOR {
            return false;
        }
        let item = &candidate.item;
        let mut best = Best::default();
        for (_, of) in
            self.best.range((item.guard, 0)..).filter(|((_, tier), _)| *tier >= item.tier.0)
        {
            best.take(*of);
        }
        let share = candidate.relevance.saturating_mul(100);
        let is_beside = best.coverage >= WHOLE && !is_near(candidate);
        is_beside || share < best.relevance.saturating_mul(SHARE_HUNDREDTHS)
    }
}

impl Best {
    fn take(&mut self, other: Best) {
        self.relevance = self.relevance.max(other.relevance);
        self.coverage = self.coverage.max(other.coverage);
    }
}
