use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Row, Table};

/// Records that were erased or taken out at once; of the many, only what tells a burst.
///
/// Invariant: at most one row is a burst, and the others are of one window before the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The event that took them.
    pub seq: Seq,
    /// When.
    pub at: Timestamp,
    /// How many; of a burst, all of it.
    pub count: u32,
    pub(crate) is_burst: bool,
}

/// Number of deletions within a minute that are a burst.
///
/// Source: Feature 002 of Dionysus, whose code fires at 10 where its text says more than 10.
pub const BURST: u32 = 10;

/// Two deletions that are further apart are of no one burst.
const WINDOW_US: i64 = 60_000_000;

impl Deletion {
    /// Notes deletions, and makes a burst of those that are one.
    pub(crate) fn note(rows: &mut Table<Deletion>, seq: Seq, at: Timestamp, count: u32) {
        let before: Vec<Deletion> = rows.range(Seq(0)..=Seq::MAX).collect();
        let is_within = |row: &&Deletion| !row.is_burst && at <= row.at.plus_us(WINDOW_US);
        let within: u32 = before.iter().filter(is_within).map(|row| row.count).sum();
        let count_all = within.saturating_add(count);
        let is_burst = count_all >= BURST;
        for row in &before {
            // What made a burst makes no second one.
            if is_burst || (!row.is_burst && !is_within(&row)) {
                rows.remove(&row.seq);
            }
        }
        let count = if is_burst { count_all } else { count };
        rows.put(Deletion { seq, at, count, is_burst });
    }

    /// The last burst.
    pub(crate) fn burst(rows: &Table<Deletion>) -> Option<Deletion> {
        rows.range(Seq(0)..=Seq::MAX).find(|row| row.is_burst)
    }
}

impl Row for Deletion {
    type Key = Seq;
    const NAME: &'static str = "outbox.deleted";
    const WIDTH: usize = 8 + 8 + 4 + 1;

    fn key(&self) -> Seq {
        self.seq
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.seq.0.to_le_bytes());
        out.extend(self.at.0.to_le_bytes());
        out.extend(self.count.to_le_bytes());
        out.push(u8::from(self.is_burst));
    }

    fn read(fields: &mut Fields<'_>) -> Deletion {
        let (seq, at, count) = (Seq(fields.u64()), Timestamp(fields.i64()), fields.u32());
        Deletion { seq, at, count, is_burst: fields.u8() != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record of the last burst, after single deletions at these seconds.
    fn burst(seconds: impl IntoIterator<Item = i64>) -> Option<u64> {
        let mut rows = Table::default();
        for (seq, second) in (1..).zip(seconds) {
            Deletion::note(&mut rows, Seq(seq), Timestamp(second * 1_000_000), 1);
        }
        assert!(rows.range(Seq(0)..=Seq::MAX).count() <= BURST as usize);
        Deletion::burst(&rows).map(|row| row.seq.0)
    }

    #[test]
    fn ten_within_a_minute_are_a_burst_and_nine_are_none() {
        assert_eq!(burst(0..9), None);
        assert_eq!(burst(0..10), Some(10));
        // The tenth sixty seconds behind the first still is, one more second is not.
        assert_eq!(burst((0..9).chain([60])), Some(10));
        assert_eq!(burst((0..9).chain([61])), None);
        assert_eq!(burst((0..100).map(|at| at * 7)), None);
        // The next burst takes another ten.
        assert_eq!(burst(vec![0; 19]), Some(10));
        assert_eq!(burst(vec![0; 20]), Some(20));
    }

    #[test]
    fn one_event_that_takes_ten_is_a_burst() {
        let mut rows = Table::default();
        Deletion::note(&mut rows, Seq(1), Timestamp(0), 9);
        assert_eq!(Deletion::burst(&rows), None);
        Deletion::note(&mut rows, Seq(2), Timestamp(1), 12);
        assert_eq!(Deletion::burst(&rows).map(|row| row.count), Some(21));
    }
}
