use memlith_event::Mined;
use memlith_log::Seq;
use memlith_state::{Fields, Row};

/// A justification of sessions: intact while so many of those it cites are.
///
/// One without such a row is intact while all its members are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quorum {
    pub(crate) memory: Seq,
    pub(crate) given_by: Seq,
    /// How many, as the event says it.
    pub(crate) required: u32,
}

impl Quorum {
    /// How many sessions it takes.
    pub(crate) fn least(&self) -> usize {
        usize::try_from(self.required.max(Mined::REQUIRED_LEAST)).unwrap_or(usize::MAX)
    }
}

impl Row for Quorum {
    type Key = (Seq, Seq);
    const NAME: &'static str = "quorums";
    const WIDTH: usize = 20;

    fn key(&self) -> (Seq, Seq) {
        (self.memory, self.given_by)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.memory.0.to_le_bytes());
        out.extend(self.given_by.0.to_le_bytes());
        out.extend(self.required.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Quorum {
        let (memory, given_by) = (Seq(fields.u64()), Seq(fields.u64()));
        Quorum { memory, given_by, required: fields.u32() }
    }
}
