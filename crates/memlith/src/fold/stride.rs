//! How the log is cut into strides, and strides are put together into runs.
//!
//! Invariants
//! 1. Where a stride ends depends on the records alone: not on when a process read them,
//!    or where a checkpoint lay. So the runs of a state are canonical.
//! 2. Of n strides there are O(log n) runs, and each is merged O(log n) times.

use std::ops::Range;

use memlith_log::Seq;

/// Length of a stride in records: it ends with the first batch that reaches the next multiple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stride(pub(crate) u64);

/// Number of runs of one size that become one of the next.
///
/// Four leave at most three of each size, so that a read of a million records looks in 8
/// runs on average, and write each byte some five times. Two would write it ten times.
const FAN_BITS: u32 = 2;

impl Default for Stride {
    /// As long as a tail, so that a checkpoint takes apart and writes little that an earlier one
    /// did.
    ///
    /// Source: ADR 0047.
    fn default() -> Stride {
        Stride(256)
    }
}

impl Stride {
    /// The stride that a record lies in, if no batch reached past its end.
    pub(crate) fn of(self, seq: Seq) -> u64 {
        seq.0 / self.0.max(1)
    }
}

/// Which neighbouring runs are one run, once the log has been read up to `next`: `starts`
/// are the first records of all runs, ascending. Every run is in exactly one group.
pub(crate) fn groups(stride: Stride, starts: &[Seq], next: Seq) -> Vec<Range<usize>> {
    let complete = stride.of(next);
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (at, start) in starts.iter().enumerate() {
        let block = block_of(stride.of(*start), complete);
        match groups.last_mut() {
            Some(group) if last == Some(block) => group.end = at + 1,
            Some(_) | None => groups.push(at..at + 1),
        }
        last = Some(block);
    }
    groups
}

/// The largest aligned block of strides that holds `stride` and is complete: its size as a
/// power of the fan, and its place among blocks of that size. A stride that isn't complete
/// is a block of its own.
fn block_of(stride: u64, complete: u64) -> (u32, u64) {
    let ends_by = |level: u32| {
        let bits = level * FAN_BITS;
        let next = (stride >> bits).checked_add(1)?.checked_mul(1 << bits)?;
        (next <= complete).then_some(level)
    };
    let level = (1..u64::BITS / FAN_BITS).map_while(ends_by).last().unwrap_or(0);
    (level, stride >> (level * FAN_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIDE: u64 = 1_000;
    const OF: Stride = Stride(STRIDE);

    /// Runs of a log of `count` strides, merged after each.
    fn grown(count: u64) -> Vec<Seq> {
        let mut starts: Vec<Seq> = Vec::new();
        for stride in 0..count {
            starts.push(Seq(stride * STRIDE));
            let groups = groups(OF, &starts, Seq((stride + 1) * STRIDE));
            starts = groups.into_iter().map(|group| starts[group.start]).collect();
        }
        starts
    }

    #[test]
    fn runs_are_few_and_do_not_depend_on_when_they_were_merged() {
        for count in [0, 1, 3, 4, 5, 15, 16, 17, 63, 64, 85, 1_000, 1_085] {
            let all: Vec<Seq> = (0..count).map(|stride| Seq(stride * STRIDE)).collect();
            let at_once = groups(OF, &all, Seq(count * STRIDE));
            let starts: Vec<Seq> = at_once.iter().map(|group| all[group.start]).collect();
            assert_eq!(starts, grown(count), "{count}");
            assert!(starts.len() <= 3 * 6, "{count}: {}", starts.len());
        }
        assert_eq!(grown(85).len(), 4, "64 + 16 + 4 + 1");
    }

    #[test]
    fn what_is_not_complete_is_one_run_of_its_own() {
        let starts = [0, STRIDE, STRIDE + 300, STRIDE + 400].map(Seq);
        assert_eq!(groups(OF, &starts, Seq(STRIDE + 500)), [0..1, 1..4]);
        // A batch reached past the end of the second stride.
        let starts = [0, STRIDE, 2 * STRIDE + 7].map(Seq);
        assert_eq!(groups(OF, &starts, Seq(3 * STRIDE)), [0..1, 1..2, 2..3]);
        assert_eq!(groups(OF, &starts, Seq(4 * STRIDE)).first(), Some(&(0..3)));
    }
}
