use crate::hash::genesis_chain;
use crate::layout::{Build, Fields, crc, is_zero, with_crc};
use crate::walk::{Batch, Expect};
use crate::{Digest, LedgerId, Seq, Timestamp};

/// The format that this software reads and writes.
pub const FORMAT: u32 = 1;
/// The hash suite: BLAKE3 `derive_key` and CRC-32 IEEE.
pub const SUITE: u32 = 1;
/// The length of a segment's header, and the offset of its first frame.
pub const SEGMENT_HEADER_LEN: u64 = 128;

const MAGIC: &[u8; 4] = b"MLH1";
const FIELDS_LEN: usize = 4 + 4 + 4 + 4 + 16 + 8 + 8 + 8 + 4 + 4 + 32;
const LEN: usize = 128;
const _: () = assert!(FIELDS_LEN == 96 && FIELDS_LEN <= LEN);

/// The first 128 bytes of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SegmentHeader {
    /// The ledger it belongs to.
    pub(crate) ledger: LedgerId,
    /// Its number, from 0.
    pub(crate) number: u64,
    /// The sequence of its first record.
    pub(crate) base: Seq,
    /// The length its file has until it is sealed.
    pub(crate) capacity: u64,
    /// Starts every checksum in it, so that another segment's bytes never pass.
    pub(crate) salt: u32,
    /// The chain before its first record.
    pub(crate) prev_chain: Digest,
}

/// Why 128 bytes are not a segment header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HeaderFault {
    Damaged(&'static str),
    Newer { format: u32, suite: u32 },
}

impl SegmentHeader {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let rest = Build::with_capacity(LEN)
            .u32(FORMAT)
            .u32(SUITE)
            .bytes(&self.ledger.0)
            .u64(self.number)
            .u64(self.base.0)
            .u64(self.capacity)
            .u32(self.salt)
            .u32(0)
            .bytes(&self.prev_chain.0)
            .zeros_to(LEN - 8);
        with_crc(MAGIC, 0, &rest.0)
    }

    /// Returns the expectation of its first frame; nothing is said of the time before it.
    pub(crate) fn expect(&self) -> Expect {
        Expect {
            next: self.base.0,
            chain: self.prev_chain,
            recorded_at: Timestamp(i64::MIN),
            batch: Batch::Start,
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<SegmentHeader, HeaderFault> {
        let short = HeaderFault::Damaged("incomplete segment header");
        let (magic, rest) = bytes.get(..LEN).ok_or(short)?.split_first_chunk::<4>().ok_or(short)?;
        if magic != MAGIC {
            return Err(HeaderFault::Damaged("no segment header"));
        }
        let (stored, rest) = rest.split_first_chunk::<4>().ok_or(short)?;
        let sound = u32::from_le_bytes(*stored) == crc(0, &[magic, rest]);
        if !sound {
            return Err(HeaderFault::Damaged("segment header checksum mismatch"));
        }
        SegmentHeader::fields(rest).ok_or(short)?
    }

    fn fields(rest: &[u8]) -> Option<Result<SegmentHeader, HeaderFault>> {
        let mut fields = Fields(rest);
        let (format, suite) = (fields.u32()?, fields.u32()?);
        if (format, suite) != (FORMAT, SUITE) {
            return Some(Err(HeaderFault::Newer { format, suite }));
        }
        let ledger = fields.ledger()?;
        let number = fields.u64()?;
        let base = fields.seq()?;
        let capacity = fields.u64()?;
        let salt = fields.u32()?;
        let zero = fields.u32()?;
        let prev_chain = fields.digest()?;
        if zero != 0 || !is_zero(fields.0) {
            return Some(Err(HeaderFault::Damaged(
                "reserved bytes of the segment header not zero",
            )));
        }
        if number == 0 && (base != Seq(0) || prev_chain != genesis_chain(ledger, format, suite)) {
            return Some(Err(HeaderFault::Damaged("segment 0 does not begin the ledger it names")));
        }
        Some(Ok(SegmentHeader { ledger, number, base, capacity, salt, prev_chain }))
    }

    /// Why the segment is not the one due of `ledger`, if it isn't.
    pub(crate) fn misfit(
        &self,
        ledger: LedgerId,
        next: Seq,
        chain: Digest,
    ) -> Option<&'static str> {
        if self.ledger != ledger {
            return Some("the segment belongs to another ledger");
        }
        if self.base != next {
            return Some("the segment does not begin where the one before it ends");
        }
        let follows = self.prev_chain == chain;
        (!follows).then_some("the segment follows another chain than the one before it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(number: u64) -> SegmentHeader {
        let ledger = LedgerId([3; 16]);
        let prev_chain = genesis_chain(ledger, FORMAT, SUITE);
        SegmentHeader { ledger, number, base: Seq(0), capacity: 4_096, salt: 9, prev_chain }
    }

    fn renewed(bytes: &[u8]) -> Vec<u8> {
        with_crc(MAGIC, 0, &bytes[8..])
    }

    #[test]
    fn a_header_round_trips_and_a_changed_byte_is_refused_or_means_something_else() {
        for header in [header(0), SegmentHeader { base: Seq(7), ..header(1) }] {
            let bytes = header.encode();
            assert_eq!(bytes.len(), LEN);
            assert_eq!(SegmentHeader::decode(&bytes), Ok(header));
            assert!(SegmentHeader::decode(&bytes[..LEN - 1]).is_err());
            for at in 0..LEN {
                let mut changed = bytes.clone();
                changed[at] ^= 2;
                assert!(SegmentHeader::decode(&changed).is_err(), "{at}");
                let changed = renewed(&changed);
                let reserved = (60..64).contains(&at) || at >= 96;
                match SegmentHeader::decode(&changed) {
                    _ if at < 8 => {}
                    Ok(other) => {
                        assert_eq!((other.encode() == changed, other == header), (true, false));
                        assert!(!reserved && at >= 16, "{at}");
                    }
                    Err(HeaderFault::Newer { .. }) => assert!(at < 16, "{at}"),
                    // A first segment names its ledger and begins it.
                    Err(HeaderFault::Damaged(_)) => assert!(reserved || header.number == 0, "{at}"),
                }
            }
        }
    }

    #[test]
    fn segment_0_begins_its_ledger() {
        let (late, other) = (
            SegmentHeader { base: Seq(1), ..header(0) },
            SegmentHeader { prev_chain: Digest([1; 32]), ..header(0) },
        );
        for header in [late, other] {
            assert!(SegmentHeader::decode(&header.encode()).is_err());
            let later = SegmentHeader { number: 1, ..header };
            assert_eq!(SegmentHeader::decode(&later.encode()), Ok(later));
        }
    }
}
