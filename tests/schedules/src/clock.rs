use std::time::Duration;

use memlith_log::{Clock, FixedClock, Timestamp};

use crate::thread::yield_now;

/// A clock that stands still; who waits lets the others go on.
#[derive(Debug)]
pub(crate) struct Turns(FixedClock);

impl Turns {
    pub(crate) fn new() -> Turns {
        Turns(FixedClock::new(Timestamp(1_777_636_800_000_000)))
    }
}

impl Clock for Turns {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&self, _: Duration) {
        yield_now();
    }
}
