use memlith_log::Seq;
use memlith_state::{Fields, Row};

/// A pin that a memory took over from one that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MovedPin {
    pub(crate) to: Seq,
    pub(crate) from: Seq,
    pub(crate) pinner: u8,
}

impl Row for MovedPin {
    type Key = (Seq, Seq);
    const NAME: &'static str = "moved_pins";
    const WIDTH: usize = 17;

    fn key(&self) -> (Seq, Seq) {
        (self.to, self.from)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.to.0.to_le_bytes());
        out.extend(self.from.0.to_le_bytes());
        out.push(self.pinner);
    }

    fn read(fields: &mut Fields<'_>) -> MovedPin {
        let (to, from) = (Seq(fields.u64()), Seq(fields.u64()));
        MovedPin { to, from, pinner: fields.u8() }
    }
}
