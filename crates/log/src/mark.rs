use crate::layout::{Fields, Fixed, crc, is_zero};
use crate::{Digest, LedgerId, Seq};

/// The length of a mark slot: within one sector, so that it is never torn.
pub(crate) const SLOT_LEN: usize = 128;
/// The offsets of the two slots, in different blocks of the file.
pub(crate) const SLOT_OFFSETS: [u64; 2] = [0, 4_096];
/// The length of the mark file.
pub(crate) const MARK_FILE_LEN: u64 = 8_192;

const MAGIC: &[u8; 4] = b"MLK1";
const FIELDS_LEN: usize = 4 + 4 + 16 + 8 + 8 + 32 + 16 + 1;
const _: () = assert!(FIELDS_LEN == 89 && FIELDS_LEN <= SLOT_LEN);

/// The last record known to be synced, as the last writer left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    /// The ledger it speaks of.
    pub(crate) ledger: LedgerId,
    /// The last record known to be synced; a batch end.
    pub(crate) seq: Seq,
    /// Rises with every write of the mark.
    pub(crate) epoch: u64,
    /// The chain at `seq`.
    pub(crate) chain: Digest,
    /// The boot of the machine that wrote it.
    pub(crate) boot_id: [u8; 16],
    /// Whether nothing was written above `seq`.
    pub(crate) clean: bool,
}

/// Content of one slot of the mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// All zero: never written, no finding.
    Empty,
    Valid(Mark),
    Damaged,
}

impl Mark {
    pub(crate) fn encode(&self) -> [u8; SLOT_LEN] {
        const REST_LEN: usize = SLOT_LEN - 8;
        let rest = Fixed::<REST_LEN>::new()
            .bytes(&self.ledger.0)
            .u64(self.seq.0)
            .u64(self.epoch)
            .bytes(&self.chain.0)
            .bytes(&self.boot_id)
            .bytes(&[u8::from(self.clean)])
            .whole();
        Fixed::new().bytes(MAGIC).u32(crc(0, &[MAGIC, &rest])).bytes(&rest).whole()
    }
}

impl Slot {
    pub(crate) fn decode(bytes: &[u8]) -> Slot {
        let Some(bytes) = bytes.get(..SLOT_LEN) else { return Slot::Damaged };
        if is_zero(bytes) {
            return Slot::Empty;
        }
        Slot::fields(bytes).map_or(Slot::Damaged, Slot::Valid)
    }

    fn fields(bytes: &[u8]) -> Option<Mark> {
        let (magic, rest) = bytes.split_first_chunk::<4>()?;
        let (stored, rest) = rest.split_first_chunk::<4>()?;
        let sound = u32::from_le_bytes(*stored) == crc(0, &[magic, rest]);
        if magic != MAGIC || !sound {
            return None;
        }
        let mut fields = Fields(rest);
        let mark = Mark {
            ledger: fields.ledger()?,
            seq: fields.seq()?,
            epoch: fields.u64()?,
            chain: fields.digest()?,
            boot_id: fields.array()?,
            clean: match fields.u8()? {
                0 => false,
                1 => true,
                _ => return None,
            },
        };
        is_zero(fields.0).then_some(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_round_trips_and_a_changed_byte_is_damage_or_means_something_else() {
        for clean in [false, true] {
            let mark = Mark {
                ledger: LedgerId([3; 16]),
                seq: Seq(5),
                epoch: 6,
                chain: Digest([4; 32]),
                boot_id: [2; 16],
                clean,
            };
            let bytes = mark.encode();
            assert_eq!(bytes.len(), SLOT_LEN);
            assert_eq!(Slot::decode(&bytes), Slot::Valid(mark));
            assert_eq!(Slot::decode(&bytes[..SLOT_LEN - 1]), Slot::Damaged);
            for at in 0..SLOT_LEN {
                let mut changed = bytes;
                changed[at] ^= 2;
                assert_eq!(Slot::decode(&changed), Slot::Damaged, "{at}");
                let changed = crate::layout::with_crc(MAGIC, 0, &changed[8..]);
                match Slot::decode(&changed) {
                    _ if at < 8 => {}
                    Slot::Valid(other) => {
                        assert_eq!((other.encode()[..] == changed, other == mark), (true, false));
                        assert!(at < 88, "{at}");
                    }
                    Slot::Empty | Slot::Damaged => assert!(at >= 88, "{at}"),
                }
            }
        }
        assert_eq!(Slot::decode(&[0; SLOT_LEN]), Slot::Empty);
    }
}
