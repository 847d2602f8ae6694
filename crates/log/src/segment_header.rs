use crate::hash::genesis_chain;
use crate::layout::{Build, Fields, crc, is_zero, with_crc};
use crate::{Digest, LedgerId, Seq};

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

    pub(crate) fn decode(bytes: &[u8]) -> Result<SegmentHeader, HeaderFault> {
        let short = HeaderFault::Damaged("incomplete segment header");
        let (magic, rest) = bytes.get(..LEN).ok_or(short)?.split_first_chunk::<4>().ok_or(short)?;
        if magic != MAGIC {
            return Err(HeaderFault::Damaged("no segment header"));
        }
        let (stored, rest) = rest.split_first_chunk::<4>().ok_or(short)?;
        let sound = u32::from_le_bytes(*stored) == crc(0, &[magic, rest]);
        if !sound && !crate::planted!("segment-header-crc-ignored") {
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
        let padded = is_zero(fields.0) || crate::planted!("decoder-segment-padding");
        if zero != 0 || !padded {
            return Some(Err(HeaderFault::Damaged(
                "reserved bytes of the segment header not zero",
            )));
        }
        if number == 0 && (base != Seq(0) || prev_chain != genesis_chain(ledger, format, suite)) {
            return Some(Err(HeaderFault::Damaged("segment 0 does not begin the ledger it names")));
        }
        Some(Ok(SegmentHeader { ledger, number, base, capacity, salt, prev_chain }))
    }
}
