use memlith_event::PendingReason;
use memlith_log::Seq;
use memlith_state::{Fields, Place, Row};

/// A memory that entered as pending, and why; it stays when that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub(crate) seq: Seq,
    pub(crate) reason: PendingReason,
}

impl Row for Proposal {
    type Key = Seq;
    const NAME: &'static str = "proposals";
    const WIDTH: usize = 9;

    fn key(&self) -> Seq {
        self.seq
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.seq.0.to_le_bytes());
        out.push(self.reason.code());
    }

    fn read(fields: &mut Fields<'_>) -> Proposal {
        let seq = Seq(fields.u64());
        Proposal { seq, reason: PendingReason::from_code(fields.u8()) }
    }

    fn read_key(row: &[u8]) -> Seq {
        Seq(Fields::new(row).u64())
    }

    fn place(key: &Seq) -> Place {
        Place::Number(key.0)
    }
}
