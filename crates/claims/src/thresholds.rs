use crate::Millionths;

/// From which cosine on two texts are alike: a property of the embedding model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// From here on, a restatement, unless a guard differs.
    pub restatement: Millionths,
    /// Below this, something else. Between the two is the band of the arbiter.
    pub add: Millionths,
}

impl Thresholds {
    /// 0.95 and 0.80, as published for Matrix.
    pub const PUBLISHED: Thresholds =
        Thresholds { restatement: Millionths(950_000), add: Millionths(800_000) };

    /// What stands in the band without an arbiter: from here on (inclusive) a restatement.
    ///
    /// Half way, rounded up: 0.875 for [`Thresholds::PUBLISHED`].
    #[must_use]
    pub fn midpoint(&self) -> Millionths {
        let sum = i64::from(self.restatement.0) + i64::from(self.add.0);
        Millionths(i32::try_from((sum + 1).div_euclid(2)).unwrap_or(self.restatement.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_midpoint_lies_half_way() {
        assert_eq!(Thresholds::PUBLISHED.midpoint(), Millionths(875_000));
        let odd = Thresholds { restatement: Millionths(4), add: Millionths(1) };
        assert_eq!(odd.midpoint(), Millionths(3));
        let most = Thresholds { restatement: Millionths(i32::MAX), add: Millionths(i32::MAX) };
        assert_eq!(most.midpoint(), Millionths(i32::MAX));
    }
}
