//! The levels of `docs/model.md` section 3, by their definition.

/// A doubling.
pub(super) const ONE: i128 = 1 << 44;

/// Thirty days in microseconds.
const HALF_LIFE_US: i128 = 2_592_000_000_000;

pub(super) const LOG2_1_05: i128 = 1_238_302_151_806;
pub(super) const LOG2_1_5: i128 = 10_290_769_141_693;
pub(super) const LOG2_0_2: i128 = -40_847_791_027_015;
pub(super) const LOG2_0_8: i128 = -5_663_418_938_183;
pub(super) const LOG2_0_3: i128 = -30_557_021_885_322;
pub(super) const LOG2_0_15: i128 = -48_149_207_929_738;
pub(super) const LOG2_10: i128 = 58_439_977_071_430;

/// `D(t)`, of an instant in microseconds.
pub(super) fn decay(time_us: i64) -> i128 {
    (i128::from(time_us) * ONE).div_euclid(HALF_LIFE_US)
}

/// The factor of ranking in parts of 2^30, rounded down, of the logarithm of a salience.
pub(super) fn multiplier(log2: i128) -> i128 {
    (200 * ONE + 3 * log2.clamp(LOG2_0_15, LOG2_10)).div_euclid(200 * (ONE >> 30))
}

/// The logarithm of a factor, for a comparison with a tolerance.
#[expect(clippy::disallowed_methods, reason = "a comparison with a tolerance, never folded")]
#[expect(clippy::cast_precision_loss, reason = "the tolerance is wider")]
#[expect(clippy::cast_possible_truncation, reason = "a factor is within 0.01 and 10")]
pub(super) fn doublings(factor: f64) -> i128 {
    (factor.log2() * ONE as f64) as i128
}

/// How strongly an item competes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) k: i128,
    pub(super) g: i128,
    pub(super) pen: i128,
}

impl Level {
    pub(super) fn born(time_us: i64) -> Level {
        Level { k: decay(time_us), g: 0, pen: 0 }
    }

    fn room(self, d: i128) -> i128 {
        (d + LOG2_10 - self.k).max(0)
    }

    /// Shown (1.05), or confirmed by the assistant (1.5): within the budget.
    pub(super) fn raise_within_budget(&mut self, log2: i128, d: i128) {
        let a = log2.min(ONE - self.g).min(self.room(d));
        self.k += a;
        self.g += a;
    }

    pub(super) fn confirm(&mut self, d: i128) {
        self.k += LOG2_1_5.min(self.room(d));
        self.k = self.k.max(d + LOG2_0_3);
        self.g = 0;
    }

    pub(super) fn restate(&mut self, d: i128) {
        self.k = self.k.max(d);
        self.confirm(d);
    }

    pub(super) fn promote(&mut self, d: i128) {
        self.k += ONE.min(self.room(d));
        self.k = self.k.max(d);
        self.g = 0;
    }

    pub(super) fn invalidate(&mut self) {
        self.k += LOG2_0_2;
        self.pen += LOG2_0_2;
    }

    pub(super) fn reconfirm(&mut self, d: i128) {
        self.k = (self.k - self.pen).max(d);
        self.pen = 0;
        self.g = 0;
    }

    /// An invalidation is taken back, and no more.
    pub(super) fn take_back(&mut self) {
        self.k -= self.pen;
        self.pen = 0;
    }

    /// The salience at an instant, for a comparison with what is shown.
    #[expect(clippy::disallowed_methods, reason = "a comparison with a tolerance, never folded")]
    #[expect(clippy::cast_precision_loss, reason = "the tolerance is wider")]
    pub(super) fn shown(self, time_us: i64) -> f64 {
        let log2 = (self.k - decay(time_us)) as f64 / ONE as f64;
        log2.exp2().clamp(0.01, 10.0)
    }
}

/// Returns the share of 1 that is left from one instant to a later one.
#[expect(clippy::disallowed_methods, reason = "a comparison with a tolerance, never folded")]
#[expect(clippy::cast_precision_loss, reason = "the tolerance is wider")]
pub(super) fn half_lives(from_us: i64, to_us: i64) -> f64 {
    (-((to_us - from_us) as f64) / HALF_LIFE_US as f64).exp2()
}
