use memlith::{Error, Timestamp};
use memlith_queues::{OpenState, sink_key};
use serde::Serialize;

use crate::delivery::{Delivery, Route};

/// How a sink stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SinkStanding {
    /// Items that wait for their first attempt.
    pub pending: usize,
    /// Tombstones that wait for theirs.
    pub untold: usize,
    /// Items that were sent, of which nothing is known yet.
    pub sent: usize,
    /// Items that are tried again.
    pub retrying: usize,
    /// Items that are dead, until somebody has them tried again.
    pub dead: usize,
    /// Items that were applied.
    pub applied: u64,
    /// Batches that were sent.
    pub attempts: u64,
    /// Of these, those that failed in part or whole.
    pub failures: u64,
    /// Whether somebody, or a burst of deletions, paused it.
    pub paused: bool,
    /// Where it could not be reached: nothing is sent before.
    pub not_before: Option<Timestamp>,
    /// When the last batch was sent.
    pub last: Option<Timestamp>,
    /// How long it took over its last batches; `None` before the first that it answered.
    pub latency: Option<Latency>,
}

/// How long a sink took over a batch, in milliseconds, from its sending to its answer: so many of
/// the last 256 took no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Latency {
    /// Half.
    pub p50: u32,
    /// 95 of 100.
    pub p95: u32,
    /// 99 of 100.
    pub p99: u32,
}

impl Latency {
    /// Of times, ascending.
    fn of(ms: &[u32]) -> Option<Latency> {
        // The nearest rank: the smallest that so many are not above.
        let rank = |percent: usize| (ms.len() * percent).div_ceil(100).checked_sub(1);
        let at = |percent| ms.get(rank(percent)?).copied();
        Some(Latency { p50: at(50)?, p95: at(95)?, p99: at(99)? })
    }
}

impl SinkStanding {
    /// All that the sink has not: what waits, what is tried again, and what is dead.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.pending + self.untold + self.sent + self.retrying + self.dead
    }

    /// The share of batches that failed, in part or whole.
    #[must_use]
    pub fn failure_rate(&self) -> f64 {
        self.failures as f64 / self.attempts.max(1) as f64
    }
}

impl Delivery<'_> {
    /// How a sink stands.
    ///
    /// Cost: a row for each item that it has not applied.
    ///
    /// # Errors
    /// The log's.
    pub fn sink(&self, route: &Route) -> Result<SinkStanding, Error> {
        let (wanted, key) = (route.wanted(), sink_key(&route.name));
        self.ledger.read(|state| {
            let row = state.outbox().sink(key);
            let count =
                |of: OpenState| state.outbox().open(key).filter(|open| open.state == of).count();
            let some = |at: Timestamp| (at > Timestamp(0)).then_some(at);
            Ok(SinkStanding {
                pending: state.outbox().pending(&wanted).count(),
                untold: state.outbox().untold(key).count(),
                sent: count(OpenState::Sent),
                retrying: count(OpenState::Retrying),
                dead: count(OpenState::Dead),
                applied: row.applied,
                attempts: row.attempts,
                failures: row.failures,
                paused: row.paused || state.outbox().burst(key).is_some(),
                not_before: some(row.not_before),
                last: some(row.last),
                latency: Latency::of(&state.outbox().timings_ms(key)),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_of_the_nearest_rank() {
        assert_eq!(Latency::of(&[]), None);
        assert_eq!(Latency::of(&[7]), Some(Latency { p50: 7, p95: 7, p99: 7 }));
        let ms: Vec<u32> = (1..=200).collect();
        assert_eq!(Latency::of(&ms), Some(Latency { p50: 100, p95: 190, p99: 198 }));
    }
}
