use memlith_log::Seq;
use memlith_state::{Fields, Row};

/// A closing from the other side: what a memory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) by: Seq,
    pub(crate) row: Seq,
}

impl Row for Ending {
    type Key = (Seq, Seq);
    const NAME: &'static str = "endings";
    const WIDTH: usize = 16;

    fn key(&self) -> (Seq, Seq) {
        (self.by, self.row)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.by.0.to_le_bytes());
        out.extend(self.row.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Ending {
        Ending { by: Seq(fields.u64()), row: Seq(fields.u64()) }
    }
}
