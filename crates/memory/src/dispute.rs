use memlith_log::Seq;
use memlith_state::{Fields, Row};

/// A memory is disputed by something that may not displace it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispute {
    pub(crate) memory: Seq,
    /// A pending row, a decision that refused an invalidation, or a source that one
    /// of too low a rank invalidated.
    pub(crate) by: Seq,
}

/// Dispute read from the other side: by the record that disputes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) by: Seq,
    pub(crate) memory: Seq,
}

impl Row for Dispute {
    type Key = (Seq, Seq);
    const NAME: &'static str = "disputes";
    const WIDTH: usize = 16;

    fn key(&self) -> (Seq, Seq) {
        (self.memory, self.by)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.memory.0.to_le_bytes());
        out.extend(self.by.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Dispute {
        Dispute { memory: Seq(fields.u64()), by: Seq(fields.u64()) }
    }
}

impl Row for Challenge {
    type Key = (Seq, Seq);
    const NAME: &'static str = "challenges";
    const WIDTH: usize = 16;

    fn key(&self) -> (Seq, Seq) {
        (self.by, self.memory)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.by.0.to_le_bytes());
        out.extend(self.memory.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Challenge {
        Challenge { by: Seq(fields.u64()), memory: Seq(fields.u64()) }
    }
}
