use memlith::Timestamp;

/// When deliveries are due. The defaults are those of the spec.
///
/// Source: Feature 007 of Dionysus: more than 50 pending, 15 minutes, 30 minutes idle, every
/// 100th cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The most items of a batch.
    pub batch_size: usize,
    /// More pending items than these are not waited with.
    pub pending_max: usize,
    /// Minutes after the last delivery, after which all that is pending is sent.
    pub interval_min: u32,
    /// Minutes after the last item, after which all that is pending is sent as well.
    pub idle_min: u32,
    /// Failed items are tried again so often.
    pub retries: u8,
    /// Every so-manieth cycle of the caller's sends all that is pending; 0 for none.
    pub cycles: u64,
}

/// The state of a sink when it is asked whether a delivery is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Items that wait for their first attempt.
    pub pending: usize,
    /// When the sink was served last; `None` before the first time.
    pub last: Option<Timestamp>,
    /// When the oldest pending item was recorded.
    pub oldest: Option<Timestamp>,
    /// When the newest pending item was recorded.
    pub newest: Option<Timestamp>,
    /// The caller's cycle, where it counts them.
    pub cycle: Option<u64>,
    /// Whether the caller has just begun.
    pub is_start: bool,
    /// Now.
    pub now: Timestamp,
}

/// How much of what is pending is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// One batch of the oldest.
    Oldest,
    /// All, in batches.
    All,
}

/// Microseconds of a minute.
const MINUTE_US: i64 = 60_000_000;

/// How long items wait after their first, second and third failed attempt.
const WAITS_US: [i64; 3] = [10_000_000, 60_000_000, 300_000_000];

/// How often a sink is tried that can't be reached, once the waits are over.
pub(crate) const PROBE_US: i64 = 300_000_000;

/// When items are sent again that failed at `now`, after so many attempts before; never where
/// `None`. A sink that says how long to wait, in microseconds, is left alone for at least so
/// long.
#[must_use]
pub(crate) fn retry_at(
    attempts: u8,
    retries: u8,
    now: Timestamp,
    asked_us: Option<i64>,
) -> Option<Timestamp> {
    if attempts >= retries {
        return None;
    }
    let wait = WAITS_US.get(usize::from(attempts)).unwrap_or(&PROBE_US);
    Some(now.plus_us((*wait).max(asked_us.unwrap_or_default())))
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            batch_size: 50,
            pending_max: 50,
            interval_min: 15,
            idle_min: 30,
            retries: 3,
            cycles: 100,
        }
    }
}

impl Terms {
    /// The delivery that is due now; nothing where nothing is pending.
    ///
    /// Where several triggers say so, the one that takes more wins. Before the first delivery
    /// the interval counts from the oldest item.
    #[must_use]
    pub fn due(&self, moment: Moment) -> Option<Take> {
        if moment.pending == 0 {
            return None;
        }
        let is_past = |since: Option<Timestamp>, minutes: u32| {
            let wait = i64::from(minutes).saturating_mul(MINUTE_US);
            since.is_some_and(|since| moment.now > since.plus_us(wait))
        };
        let is_cycle = moment
            .cycle
            .is_some_and(|cycle| cycle > 0 && self.cycles > 0 && cycle.is_multiple_of(self.cycles));
        let is_all = moment.is_start
            || is_cycle
            || is_past(moment.last.or(moment.oldest), self.interval_min)
            || is_past(moment.newest, self.idle_min);
        if is_all {
            return Some(Take::All);
        }
        (moment.pending > self.pending_max).then_some(Take::Oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp(1_000_000_000_000);

    fn after(minutes: i64, us: i64) -> Timestamp {
        AT.plus_us(minutes * MINUTE_US + us)
    }

    fn due(moment: Moment) -> Option<Take> {
        Terms::default().due(moment)
    }

    #[test]
    fn more_than_fifty_are_not_waited_with() {
        let moment = |pending| Moment { pending, last: Some(AT), now: AT, ..Moment::default() };
        assert_eq!(due(moment(50)), None);
        assert_eq!(due(moment(51)), Some(Take::Oldest));
    }

    #[test]
    fn a_quarter_of_an_hour_after_the_last_all_is_due() {
        let moment = |pending, now| Moment { pending, last: Some(AT), now, ..Moment::default() };
        assert_eq!(due(moment(1, after(15, -1_000_000))), None);
        assert_eq!(due(moment(1, after(15, 1_000_000))), Some(Take::All));
        assert_eq!(due(moment(60, after(15, 1_000_000))), Some(Take::All));
        assert_eq!(due(moment(0, after(15, 1_000_000))), None);
        let first = Moment { pending: 1, oldest: Some(AT), now: after(14, 0), ..Moment::default() };
        assert_eq!(due(first), None);
        assert_eq!(due(Moment { now: after(15, 1), ..first }), Some(Take::All));
    }

    #[test]
    fn half_an_hour_without_news_all_is_due() {
        let terms = Terms { interval_min: 600, ..Terms::default() };
        let moment = |now| Moment { pending: 3, newest: Some(AT), now, ..Moment::default() };
        assert_eq!(terms.due(moment(after(30, -1))), None);
        assert_eq!(terms.due(moment(after(30, 1))), Some(Take::All));
    }

    #[test]
    fn every_hundredth_cycle_but_the_first_is_due_and_so_is_a_start() {
        let moment = |cycle, pending| Moment {
            pending,
            last: Some(AT),
            cycle: Some(cycle),
            now: AT,
            ..Moment::default()
        };
        let due_at: Vec<u64> = (0..=200).filter(|cycle| due(moment(*cycle, 1)).is_some()).collect();
        assert_eq!(due_at, [100, 200]);
        assert_eq!(due(moment(100, 0)), None);
        let start = Moment { is_start: true, ..moment(1, 1) };
        assert_eq!(due(start), Some(Take::All));
        assert_eq!(due(Moment { pending: 0, ..start }), None);
    }
}
