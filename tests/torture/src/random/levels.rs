use memlith::write::SaliencePolicy;

use super::arithmetic::{
    LOG2_0_8, LOG2_0_15, LOG2_1_05, LOG2_1_5, Level, decay, doublings, half_lives, multiplier,
};
use super::naive::Who;

/// A logarithm of a double is known to within so many of its 44 bits.
const ZAXY_SLACK: i128 = 1 << 12;

/// How strongly an item competes under each policy, all of them kept all the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    default: Level,
    attested: Level,
    /// A factor and the time of the last event; nothing before there was one.
    zaxy: Option<(f64, i64)>,
}

impl Levels {
    pub(super) fn born(time: i64) -> Levels {
        let level = Level::born(time);
        Levels { default: level, attested: level, zaxy: None }
    }

    pub(super) fn surface(&mut self, is_raised: bool, time: i64, d: i128) {
        if is_raised {
            self.default.raise_within_budget(LOG2_1_05, d);
        }
        self.mirror(1.05, time);
    }

    /// A confirmation: within the budget, or from outside; `None` where that one was heard
    /// before.
    pub(super) fn confirm(&mut self, outside: Option<bool>, time: i64, d: i128) {
        self.mirror(1.5, time);
        self.each(|level| match outside {
            Some(true) => level.confirm(d),
            Some(false) => level.raise_within_budget(LOG2_1_5, d),
            None => {}
        });
    }

    pub(super) fn restate(&mut self, d: i128) {
        self.each(|level| level.restate(d));
    }

    pub(super) fn accept(&mut self, d: i128) {
        self.each(|level| {
            level.k = level.k.max(d);
            level.g = 0;
        });
    }

    pub(super) fn promote(&mut self, time: i64, d: i128) {
        self.mirror(2.0, time);
        self.each(|level| level.promote(d));
    }

    pub(super) fn invalidate(&mut self, is_first: bool, time: i64) {
        self.mirror(0.2, time);
        if is_first {
            self.each(Level::invalidate);
        }
    }

    pub(super) fn doubt(&mut self, is_heard: bool, time: i64) {
        self.mirror(0.2, time);
        if is_heard {
            self.each(|level| level.k += LOG2_0_8);
        }
    }

    pub(super) fn reconfirm(&mut self, who: Who, d: i128) {
        self.each(|level| match who {
            Who::User | Who::Friend | Who::Owner => level.reconfirm(d),
            Who::Assistant | Who::Tool | Who::Miner => level.take_back(),
        });
    }

    pub(super) fn shown(&self, policy: SaliencePolicy, time: i64) -> f64 {
        match policy {
            SaliencePolicy::Default => self.default.shown(time),
            SaliencePolicy::AttestedOnly => self.attested.shown(time),
            SaliencePolicy::CompatZaxy => {
                let decayed = |(factor, last): (f64, i64)| {
                    (factor * half_lives(last, time.max(last))).clamp(0.01, 10.0)
                };
                self.zaxy.map_or(1.0, decayed)
            }
        }
    }

    /// Returns the least and the greatest factor that relevance may be multiplied with, in parts
    /// of 2^30.
    ///
    /// A level has one such factor; a factor of Zaxy's has a logarithm that is known less exactly.
    pub(super) fn multipliers(&self, policy: SaliencePolicy, time: i64) -> (i128, i128) {
        let exactly = |level: &Level| [level.k - decay(time); 2].map(multiplier).into();
        match policy {
            SaliencePolicy::Default => exactly(&self.default),
            SaliencePolicy::AttestedOnly => exactly(&self.attested),
            SaliencePolicy::CompatZaxy => self
                .zaxy
                .map_or([0; 2], |(factor, last)| {
                    let log2 = doublings(factor) - decay(time.max(last)) + decay(last);
                    [log2 - ZAXY_SLACK, log2 + ZAXY_SLACK]
                })
                .map(multiplier)
                .into(),
        }
    }

    /// Whether less than 0.15 is left of it; `None` where that is too near to tell.
    pub(super) fn has_faded(&self, policy: SaliencePolicy, time: i64) -> Option<bool> {
        let level = match policy {
            SaliencePolicy::Default => self.default,
            SaliencePolicy::AttestedOnly => self.attested,
            SaliencePolicy::CompatZaxy => return None,
        };
        Some(level.k - decay(time) < LOG2_0_15)
    }

    fn each(&mut self, change: impl Fn(&mut Level)) {
        change(&mut self.default);
        change(&mut self.attested);
    }

    fn mirror(&mut self, weight: f64, time: i64) {
        let factor = self.zaxy.map_or(1.0, |(factor, _)| factor);
        self.zaxy = Some(((factor * weight).clamp(0.01, 10.0), time));
    }
}
