//! How long write-back waits, and how often it tries.

use memlith_log::Timestamp;

/// How long a session has to be quiet before its turns are looked at, in microseconds: two
/// minutes. What failed and what mended it are then most often both there.
pub const QUIET_US: i64 = 120 * 1_000_000;

/// How often a job is attempted before it is dead.
pub const ATTEMPTS_MAX: u8 = 4;

/// How long a job waits after its first, second and third failed attempt, in microseconds.
const WAITS_US: [i64; 3] = [60 * 1_000_000, 600 * 1_000_000, 3_600 * 1_000_000];

/// When a job is tried again whose attempt number `attempts`, from 1, failed at `now`; never
/// where `None`. A server that says how long to wait, in microseconds, is waited for at least
/// so long.
#[must_use]
pub fn retry_at(attempts: u8, now: Timestamp, asked_us: Option<i64>) -> Option<Timestamp> {
    if attempts >= ATTEMPTS_MAX {
        return None;
    }
    let wait = WAITS_US.get(usize::from(attempts.saturating_sub(1)))?;
    Some(now.plus_us((*wait).max(asked_us.unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let now = Timestamp(0);
        let second = 1_000_000;
        assert_eq!(retry_at(1, now, None), Some(Timestamp(60 * second)));
        assert_eq!(retry_at(2, now, None), Some(Timestamp(600 * second)));
        assert_eq!(retry_at(3, now, Some(7_200 * second)), Some(Timestamp(7_200 * second)));
        assert_eq!(retry_at(4, now, Some(1)), None);
    }
}
