use memlith_log::Seq;
use memlith_state::{Fields, Row};

/// Rows that a proposal would displace: accepted, it does.
///
/// Kept apart from disputes, which a person's word ends while the proposal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weighed {
    pub(crate) by: Seq,
    pub(crate) memory: Seq,
}

impl Row for Weighed {
    type Key = (Seq, Seq);
    const NAME: &'static str = "weighed";
    const WIDTH: usize = 16;

    fn key(&self) -> (Seq, Seq) {
        (self.by, self.memory)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.by.0.to_le_bytes());
        out.extend(self.memory.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Weighed {
        Weighed { by: Seq(fields.u64()), memory: Seq(fields.u64()) }
    }
}
