//! Times that were measured.

use std::time::{Duration, Instant};

/// Times that were measured, of one thing that was done again and again.
#[derive(Clone, Debug, Default)]
pub struct Walls(Vec<Duration>);

impl Walls {
    /// Adds one.
    pub fn push(&mut self, wall: Duration) {
        let place = self.0.partition_point(|other| *other <= wall);
        self.0.insert(place, wall);
    }

    /// Adds all of another.
    pub fn extend(&mut self, other: &Walls) {
        other.0.iter().for_each(|wall| self.push(*wall));
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The least time that so many of a hundred runs did not exceed; 0 without a run.
    ///
    /// Source: the nearest-rank definition (Hyndman and Fan 1996, definition 1). With
    /// fewer than a hundred runs the 99th is the longest.
    pub fn percentile(&self, percent: usize) -> Duration {
        self.permille(percent * 10)
    }

    /// [`Walls::percentile`] of a thousand.
    pub fn permille(&self, permille: usize) -> Duration {
        let rank = (self.0.len() * permille).div_ceil(1_000).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }

    /// [`Walls::percentile`] in milliseconds, to the microsecond.
    pub fn percentile_ms(&self, percent: usize) -> f64 {
        millis(self.percentile(percent))
    }
}

impl FromIterator<Duration> for Walls {
    fn from_iter<I: IntoIterator<Item = Duration>>(walls: I) -> Walls {
        let mut walls: Vec<Duration> = walls.into_iter().collect();
        walls.sort_unstable();
        Walls(walls)
    }
}

/// A stopwatch that runs from its making.
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a measurement reads a stopwatch")]
    /// Begins to measure.
    #[must_use]
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// The time since then.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A time in milliseconds, to the microsecond.
pub fn millis(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e3, 3)
}

/// A time in microseconds, to the nanosecond.
pub fn micros(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e6, 3)
}

/// `value` with so many decimals as a JSON number can show without noise.
#[must_use]
pub fn rounded(value: f64, decimals: u8) -> f64 {
    let scale = (0..decimals).fold(1.0, |scale, _| scale * 10.0);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks_whatever_the_order() {
        let walls = |millis: &[u64]| {
            let mut walls = Walls::default();
            millis.iter().for_each(|one| walls.push(Duration::from_millis(*one)));
            walls
        };
        let hundred: Vec<u64> = (1..=100).rev().collect();
        let cases: [(&[u64], usize, f64); 9] = [
            (&[], 50, 0.0),
            (&[7], 1, 7.0),
            (&[7], 99, 7.0),
            (&[3, 1], 50, 1.0),
            (&[3, 1, 2], 50, 2.0),
            (&[4, 3, 2, 1], 99, 4.0),
            (&hundred, 50, 50.0),
            (&hundred, 99, 99.0),
            (&hundred, 100, 100.0),
        ];
        for (times, percent, expected) in cases {
            assert_eq!(walls(times).percentile_ms(percent), expected, "{times:?} at {percent}");
        }
        assert_eq!(walls(&hundred).count(), 100);
        let thousand: Walls = (1..=1_000).rev().map(Duration::from_millis).collect();
        assert_eq!(thousand.permille(999), Duration::from_millis(999));
        assert_eq!(thousand.percentile_ms(99), 990.0);
    }
}
