use memlith::{read::OwnStatus, write::TrustPolicy};

use super::naive::{Naive, NaiveItem};

/// The tier of the assistant.
const ASSISTANT: u8 = 3;

/// The guard of what a person stands behind.
const PERSON: u8 = 4;

impl NaiveItem {
    /// How far its source is trusted: what is made of others as far as the least of these.
    pub(super) fn tier(&self) -> u8 {
        self.author.rank()
    }
}

impl Naive {
    /// Whether a memory of this tier waits for review.
    pub(super) fn waits(&self, tier: u8) -> bool {
        tier < self.least_standing()
    }

    fn least_standing(&self) -> u8 {
        match self.trust {
            TrustPolicy::Strict => 4,
            TrustPolicy::Balanced => 3,
            TrustPolicy::Open => 2,
        }
    }

    /// Whether it is a memory that everybody sees.
    pub(super) fn is_for_all(&self, at: usize) -> bool {
        let is_it = |item: &NaiveItem| item.room.is_none() && item.session.is_none();
        self.items.get(at).is_some_and(is_it)
    }

    /// Whether who asks is shown the item at an instant.
    pub(super) fn is_shown(&self, at: usize, time: i64) -> bool {
        let stood_for =
            |item: &NaiveItem| item.tier() >= ASSISTANT || item.accepted || item.guard >= PERSON;
        let is_trusted =
            self.trust != TrustPolicy::Strict || self.items.get(at).is_some_and(stood_for);
        is_trusted && self.is_for_all(at) && self.is_eligible(at, time)
    }

    /// Whether who asks is shown a record of what a tool did.
    pub(super) fn is_run_shown(&self, at: usize) -> bool {
        let is_run = self.items.get(at).is_some_and(|item| item.session.is_some());
        is_run && self.is_active(at) && self.trust != TrustPolicy::Strict
    }

    /// Tells whether a summary is trusted, by the least trusted of its sources.
    pub(super) fn trusts_all(&self, sources: &[usize]) -> bool {
        let tier = |at: &usize| self.items.get(*at).map_or(0, NaiveItem::tier);
        self.trust != TrustPolicy::Strict || sources.iter().all(|at| tier(at) >= ASSISTANT)
    }

    /// Whether the item may be shown at an instant to who didn't ask for it.
    pub(super) fn is_shown_unasked(&self, at: usize, time: i64) -> bool {
        let spoken_for = |item: &NaiveItem| {
            let is_a_persons = item.tier() >= ASSISTANT && item.guard >= PERSON;
            item.accepted || is_a_persons || item.tier() >= self.least_standing()
        };
        self.is_shown(at, time) && self.items.get(at).is_some_and(spoken_for)
    }

    /// Whether the item stands, and each of its reasons that do has a newer value.
    pub(super) fn is_outdated(&self, at: usize, time: i64) -> bool {
        let item = self.items.get(at);
        // A procedure says what was done, and what has an end of its own speaks of that time.
        let item = item.filter(|item| item.procedure.is_none() && item.until.is_none());
        let Some(item) = item else { return false };
        let breaks = |source: &usize| {
            self.breaks(*source).is_some_and(|rank| item.derived || rank >= item.guard)
        };
        let intact = item.justifications.iter().filter(|given| !given.iter().any(breaks));
        let passed =
            |source: &usize| self.is_closed(*source, time) || self.is_outdated(*source, time);
        let mut intact = intact.peekable();
        intact.peek().is_some() && intact.all(|given| given.iter().any(passed))
    }

    fn is_closed(&self, at: usize, time: i64) -> bool {
        let is_over = |item: &NaiveItem| !item.is_open(time) || item.has_ended(time);
        let is_closed = |item: &NaiveItem| item.own == OwnStatus::Active && is_over(item);
        self.items.get(at).is_some_and(is_closed) && self.stale(at).is_none()
    }
}
