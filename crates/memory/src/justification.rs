use memlith_log::Seq;
use memlith_state::{Fields, Row};

/// One member of one justification of a memory.
///
/// A justification is named by the event that gave it; it is intact while all its
/// members are, or as many sessions of them as its [`Quorum`](crate::quorum::Quorum) says.
/// One that is its own member is a leaf: a person's word, always intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Justification {
    pub(crate) memory: Seq,
    pub(crate) given_by: Seq,
    pub(crate) member: Seq,
}

/// Justification read from the member's side: the memory that rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Support {
    pub(crate) member: Seq,
    pub(crate) memory: Seq,
}

impl Row for Justification {
    type Key = (Seq, Seq, Seq);
    const NAME: &'static str = "justifications";
    const WIDTH: usize = 24;

    fn key(&self) -> (Seq, Seq, Seq) {
        (self.memory, self.given_by, self.member)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.memory.0.to_le_bytes());
        out.extend(self.given_by.0.to_le_bytes());
        out.extend(self.member.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Justification {
        let (memory, given_by) = (Seq(fields.u64()), Seq(fields.u64()));
        Justification { memory, given_by, member: Seq(fields.u64()) }
    }
}

impl Row for Support {
    type Key = (Seq, Seq);
    const NAME: &'static str = "supports";
    const WIDTH: usize = 16;

    fn key(&self) -> (Seq, Seq) {
        (self.member, self.memory)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.member.0.to_le_bytes());
        out.extend(self.memory.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Support {
        Support { member: Seq(fields.u64()), memory: Seq(fields.u64()) }
    }
}
