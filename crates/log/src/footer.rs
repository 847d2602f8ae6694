use crate::layout::{Build, Fields, crc, is_zero, len_usize, len64, with_crc};
use crate::walk::{Batch, Expect};
use crate::{Digest, Seq};

/// The distance between sparse offsets: how far a lookup walks at most.
///
/// Source: ADR 0047.
pub(crate) const SPARSE_STEP: u64 = 16 << 10;
/// The distance between sparse offsets in the footers of earlier versions.
const COARSE_STEP: u64 = 64 << 10;
/// The shortest footer: no sparse offset.
pub(crate) const MIN_FOOTER_LEN: u64 = FIXED_LEN + TRAILER_LEN;

pub(crate) const FOOTER_MAGIC: &[u8; 4] = b"MLE1";
const TRAILER_MAGIC: &[u8; 4] = b"MLEt";
const FIELDS_LEN: u64 = 4 + 4 + 4 + 4 + 8 + 8 + 8 + 32 + 32 + 4;
const FIXED_LEN: u64 = 120;
const ENTRY_LEN: u64 = 8 + 8;
const TRAILER_LEN: u64 = 4 + 4;
/// No footer of a segment that fits in memory has more sparse offsets.
const MAX_ENTRIES: u64 = 1 << 20;

const _: () = assert!(FIELDS_LEN == 108 && FIELDS_LEN <= FIXED_LEN);
const _: () = assert!(MIN_FOOTER_LEN == 128);

/// The end of a sealed segment: what it holds and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Footer {
    /// Records in the segment, at least one.
    pub(crate) count: u64,
    /// The sequence of the first one.
    pub(crate) first: Seq,
    /// The sequence of the last one.
    pub(crate) last: Seq,
    /// The chain after the last one.
    pub(crate) chain: Digest,
    /// The hash of all bytes before the footer; shows rot, proves nothing against a forger.
    pub(crate) byte_hash: Digest,
    /// Whether what followed was lost and accepted as lost.
    pub(crate) loss: bool,
    /// Whether its sparse offsets are as dense as they are written now.
    pub(crate) dense: bool,
    /// The first frame at or after each step, ascending.
    pub(crate) sparse: Vec<(Seq, u64)>,
}

const FLAG_LOSS: u32 = 1;
const FLAG_DENSE: u32 = 2;

/// Why bytes are not a footer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FooterFault {
    /// Not a footer, or a damaged one.
    Damaged(&'static str),
    /// A footer with flags of a newer format.
    Newer,
}

impl Footer {
    /// The most bytes a footer can take in a segment of `capacity`.
    pub(crate) fn room(capacity: u64) -> u64 {
        MIN_FOOTER_LEN + ENTRY_LEN * capacity.div_ceil(SPARSE_STEP)
    }

    /// The distance between its sparse offsets.
    pub(crate) fn step(&self) -> u64 {
        if self.dense { SPARSE_STEP } else { COARSE_STEP }
    }

    /// Whether `count` records that end with `end` are what it says.
    pub(crate) fn ends(&self, count: u64, end: &Expect) -> bool {
        let counted = self.count == count && self.last.next() == end.seq();
        counted && self.chain == end.chain && end.batch == Batch::Start
    }

    pub(crate) fn len(&self) -> u64 {
        MIN_FOOTER_LEN + ENTRY_LEN * len64(self.sparse.len())
    }

    pub(crate) fn encode(&self, salt: u32) -> Vec<u8> {
        // `room` bounds the footer by the segment, which is far below 4 GiB.
        let len = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let entries = u32::try_from(self.sparse.len()).unwrap_or(u32::MAX);
        let mut rest = Build::default()
            .u32(len)
            .u32(entries)
            .u64(self.count)
            .u64(self.first.0)
            .u64(self.last.0)
            .bytes(&self.chain.0)
            .bytes(&self.byte_hash.0)
            .u32((u32::from(self.loss) * FLAG_LOSS) | (u32::from(self.dense) * FLAG_DENSE))
            .zeros_to(len_usize(FIXED_LEN - 8));
        for (seq, offset) in &self.sparse {
            rest = rest.u64(seq.0).u64(*offset);
        }
        with_crc(FOOTER_MAGIC, salt, &rest.u32(len).bytes(TRAILER_MAGIC).0)
    }

    /// The length of the footer that begins with `bytes`, before any of it is believed.
    pub(crate) fn claimed_len(bytes: &[u8]) -> Option<u64> {
        let mut fields = Fields(bytes);
        if &fields.array::<4>()? != FOOTER_MAGIC {
            return None;
        }
        fields.u32()?;
        possible_len(fields.u32()?)
    }

    /// The length of the footer that ends with the eight bytes `trailer`.
    pub(crate) fn claimed_len_from_end(trailer: &[u8; 8]) -> Option<u64> {
        let mut fields = Fields(trailer);
        let len = fields.u32()?;
        (&fields.array::<4>()? == TRAILER_MAGIC).then(|| possible_len(len)).flatten()
    }

    /// Decodes exactly the bytes of a footer.
    pub(crate) fn decode(bytes: &[u8], salt: u32) -> Result<Footer, FooterFault> {
        let damaged = FooterFault::Damaged("incomplete footer");
        let (magic, rest) = bytes.split_first_chunk::<4>().ok_or(damaged)?;
        if magic != FOOTER_MAGIC {
            return Err(FooterFault::Damaged("no footer"));
        }
        let (stored, rest) = rest.split_first_chunk::<4>().ok_or(damaged)?;
        let sound = u32::from_le_bytes(*stored) == crc(salt, &[magic, rest]);
        if !sound {
            return Err(FooterFault::Damaged("footer checksum mismatch"));
        }
        Footer::fields(rest, len64(bytes.len())).ok_or(damaged)?
    }

    fn fields(rest: &[u8], len: u64) -> Option<Result<Footer, FooterFault>> {
        let impossible = Some(Err(FooterFault::Damaged("impossible footer")));
        let mut fields = Fields(rest);
        let (stored_len, entries) = (fields.u32()?, fields.u32()?);
        if u64::from(stored_len) != len
            || MIN_FOOTER_LEN + ENTRY_LEN.saturating_mul(u64::from(entries)) != len
        {
            return impossible;
        }
        let (count, first, last) = (fields.u64()?, fields.seq()?, fields.seq()?);
        let (chain, byte_hash) = (fields.digest()?, fields.digest()?);
        let flags = fields.u32()?;
        let zeros = fields.bytes(len_usize(FIXED_LEN - FIELDS_LEN))?;
        if flags & !(FLAG_LOSS | FLAG_DENSE) != 0 {
            return Some(Err(FooterFault::Newer));
        }
        if !is_zero(zeros) || count == 0 || last.0.checked_sub(first.0) != count.checked_sub(1) {
            return impossible;
        }
        let mut sparse = Vec::new();
        for _ in 0..entries {
            sparse.push((fields.seq()?, fields.u64()?));
        }
        if fields.u32()? != stored_len || &fields.array::<4>()? != TRAILER_MAGIC {
            return impossible;
        }
        if !sparse.is_sorted() || sparse.iter().any(|(seq, _)| *seq < first || *seq > last) {
            return impossible;
        }
        let (loss, dense) = (flags & FLAG_LOSS != 0, flags & FLAG_DENSE != 0);
        Some(Ok(Footer { count, first, last, chain, byte_hash, loss, dense, sparse }))
    }
}

fn possible_len(len: u32) -> Option<u64> {
    let len = u64::from(len);
    let entries = len.checked_sub(MIN_FOOTER_LEN)?;
    (entries % ENTRY_LEN == 0 && entries / ENTRY_LEN <= MAX_ENTRIES).then_some(len)
}

#[cfg(test)]
mod tests;
