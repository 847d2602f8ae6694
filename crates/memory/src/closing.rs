use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Row};

/// A memory ends where another begins; the earliest of a memory's closings counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClosingRow {
    pub(crate) row: Seq,
    pub(crate) by: Seq,
    pub(crate) at: Timestamp,
}

impl Row for ClosingRow {
    type Key = (Seq, Seq);
    const NAME: &'static str = "closings";
    const WIDTH: usize = 24;

    fn key(&self) -> (Seq, Seq) {
        (self.row, self.by)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.row.0.to_le_bytes());
        out.extend(self.by.0.to_le_bytes());
        out.extend(self.at.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> ClosingRow {
        let (row, by) = (Seq(fields.u64()), Seq(fields.u64()));
        ClosingRow { row, by, at: Timestamp(fields.i64()) }
    }
}
