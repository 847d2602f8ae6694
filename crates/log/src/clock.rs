use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::Timestamp;

/// The only source of time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The wall clock; may jump.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment; never goes back.
    fn elapsed(&self) -> Duration;

    /// Lets time pass.
    fn pause(&self, time: Duration);
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// The machine's clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock that all others come through")]
    pub fn new() -> SystemClock {
        SystemClock { started: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that all others come through")]
    fn now(&self) -> Timestamp {
        let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        Timestamp(match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => micros(after),
            Err(before) => -micros(before.duration()),
        })
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock that all others come through")]
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// A clock that stands still until it is told.
#[derive(Debug)]
pub struct FixedClock(Mutex<(Timestamp, Duration)>);

impl FixedClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> FixedClock {
        FixedClock(Mutex::new((now, Duration::ZERO)))
    }

    /// Makes the clock show `now`.
    pub fn set(&self, now: Timestamp) {
        self.0.lock().0 = now;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0.lock().0
    }

    fn elapsed(&self) -> Duration {
        self.0.lock().1
    }

    fn pause(&self, time: Duration) {
        let mut shown = self.0.lock();
        shown.0 = shown.0.plus_us(i64::try_from(time.as_micros()).unwrap_or(i64::MAX));
        shown.1 = shown.1.saturating_add(time);
    }
}
