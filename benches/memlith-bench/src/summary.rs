use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::machine::{load, machine};
use memlith_verbs::usage::Usage;
use memlith_verbs::wall::Walls;

/// Figures that every bench prints: of the times that it is about, and of the process.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) wall_ms_p50: f64,
    pub(crate) wall_ms_p99: f64,
    /// Bytes read through calls to the system by the whole bench; maps are not in it.
    bytes_read: Option<u64>,
    /// The most that was resident at once, of the whole bench.
    rss_bytes: Option<u64>,
    runs: usize,
    seed: u64,
    load: Option<f64>,
    engine: String,
    machine: String,
}

impl Summary {
    pub(crate) fn of(walls: &Walls, seed: u64) -> Summary {
        let usage = Usage::now(Path::new(""));
        Summary {
            wall_ms_p50: walls.percentile_ms(50),
            wall_ms_p99: walls.percentile_ms(99),
            bytes_read: usage.bytes_read,
            rss_bytes: usage.rss_bytes,
            runs: walls.count(),
            seed,
            load: load(),
            engine: crate::engine(),
            machine: machine(),
        }
    }

    /// The last lines of a text answer.
    pub(crate) fn to_text(&self) -> String {
        let load = self.load.map_or_else(|| "unknown".to_owned(), |load| load.to_string());
        format!("{}\n{}, load {load}\n", self.engine, self.machine)
    }
}

/// Processor time that all threads of this process have used.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The middle one of several numbers; 0 of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = values.len().div_ceil(2).max(1);
    values.get(rank - 1).copied().unwrap_or_default()
}

/// `part / whole` with three decimals; `None` where there is nothing to divide by.
pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| crate::rounded(part / whole, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_nearest_ranks() {
        assert_eq!(median(Vec::new()), 0.0);
        assert_eq!(median(vec![3.0, 1.0]), 1.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!((ratio(1.0, 0.0), ratio(2.0, 3.0)), (None, Some(0.667)));
        assert!(cpu_time() > Duration::ZERO);
    }
}
