use memlith_event::{HINT_NAMES, Hints, Scope};
use memlith_log::Timestamp;
use memlith_recall::{Context, Hit, Recall};
use serde::{Serialize, Serializer};

use crate::learned::scaled;

/// Which hints an item has to do with, and what that does to its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Hinted(u8);

/// The items and sessions in the index that the hints of a request stand for.
#[derive(Debug, Default)]
pub(crate) struct Contexts(Vec<(u8, Context)>);

/// The whole, in millionths.
const ONE: u32 = 1_000_000;

/// Gain of one hint, in millionths: all four are a fifth, what Zaxy's cue bonus comes to for
/// an item that has everything else.
const STEP: u32 = 50_000;

impl Hinted {
    /// The names of the hints that it has to do with, in a fixed order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let places = HINT_NAMES.into_iter().enumerate();
        places.filter(move |(place, _)| self.0 >> place & 1 == 1).map(|(_, name)| name)
    }

    /// The factor of the score, in millionths: 1,000,000 to 1,200,000.
    ///
    /// Source: `docs/model.md`, "Hints".
    #[must_use]
    pub fn factor(self) -> u32 {
        ONE + STEP * self.0.count_ones()
    }

    /// `score` times the factor, rounded down.
    pub(crate) fn scales(self, score: i64) -> i64 {
        scaled(score, self.factor())
    }
}

impl Serialize for Hinted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

impl Contexts {
    pub(crate) fn of(
        recall: &Recall,
        hints: Option<&Hints<'_>>,
        scope: &Scope<'_>,
        now: Timestamp,
    ) -> Contexts {
        let each = hints.into_iter().flat_map(Hints::each);
        let context = |(name, text): (&str, &str)| {
            let place = HINT_NAMES.iter().position(|known| *known == name)?;
            let bit = 1_u8.checked_shl(u32::try_from(place).ok()?)?;
            Some((bit, Context::of(recall, text, scope, now)))
        };
        Contexts(each.filter_map(context).collect())
    }

    /// The hints that `hit` has to do with.
    pub(crate) fn met(&self, hit: &Hit) -> Hinted {
        let met = self.0.iter().filter(|(_, context)| context.meets(hit));
        Hinted(met.fold(0, |bits, (bit, _)| bits | bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hint_adds_as_much() {
        for (bits, factor, names) in [
            (0, 1_000_000, &[][..]),
            (1, 1_050_000, &["mission"]),
            (0b1010, 1_100_000, &["workspace", "phase"]),
            (0b1111, 1_200_000, &HINT_NAMES),
        ] {
            let hinted = Hinted(bits);
            assert_eq!(hinted.factor(), factor);
            assert_eq!(hinted.names().collect::<Vec<_>>(), names);
        }
        assert_eq!([100, -1].map(|score| Hinted(1).scales(score)), [105, -2]);
        assert_eq!(Hinted(1).scales(i64::MAX), i64::MAX);
    }
}
