//! Reads and writes little-endian fields one after another, so that an offset
//! is never written down twice.

use crate::{Digest, LedgerId, Seq};

/// The fields of a byte string, taken from its front.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(crate) fn seq(&mut self) -> Option<Seq> {
        self.u64().map(Seq)
    }

    pub(crate) fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest)
    }

    pub(crate) fn ledger(&mut self) -> Option<LedgerId> {
        self.array().map(LedgerId)
    }
}

/// A byte string built field by field.
#[derive(Default)]
pub(crate) struct Build(pub(crate) Vec<u8>);

impl Build {
    pub(crate) fn with_capacity(len: usize) -> Build {
        Build(Vec::with_capacity(len))
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Build {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn u16(self, value: u16) -> Build {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u32(self, value: u32) -> Build {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u64(self, value: u64) -> Build {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn i64(self, value: i64) -> Build {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends zeros until the string is `len` long.
    pub(crate) fn zeros_to(mut self, len: usize) -> Build {
        self.0.resize(len, 0);
        self
    }
}

/// A byte string of a known length, built field by field in its place: no allocation, no move.
///
/// What goes beyond its end is dropped: an assertion ties each use to its total.
pub(crate) struct Fixed<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Fixed<N> {
    pub(crate) fn new() -> Fixed<N> {
        Fixed { bytes: [0; N], len: 0 }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Fixed<N> {
        let end = self.len.saturating_add(bytes.len());
        debug_assert!(end <= N, "{end} bytes in {N}");
        if let Some(place) = self.bytes.get_mut(self.len..end) {
            place.copy_from_slice(bytes);
            self.len = end;
        }
        self
    }

    pub(crate) fn u16(&mut self, value: u16) -> &mut Fixed<N> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u32(&mut self, value: u32) -> &mut Fixed<N> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, value: u64) -> &mut Fixed<N> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn i64(&mut self, value: i64) -> &mut Fixed<N> {
        self.bytes(&value.to_le_bytes())
    }

    /// The string, with zeros where nothing was put.
    pub(crate) fn whole(&self) -> [u8; N] {
        self.bytes
    }
}

/// CRC-32 of `parts` as one string, started from `seed`.
pub(crate) fn crc(seed: u32, parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

/// Puts a magic and the CRC of magic and `rest` in front of `rest`: the shape
/// every structure of the log begins with.
pub(crate) fn with_crc(magic: &[u8; 4], seed: u32, rest: &[u8]) -> Vec<u8> {
    let crc = crc(seed, &[magic, rest]);
    Build::with_capacity(rest.len() + 8).bytes(magic).u32(crc).bytes(rest).0
}

/// Whether every byte is zero.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    // An or-fold over chunks compiles to wide loads; tails are scanned by the gigabyte.
    let (chunks, rest) = bytes.as_chunks::<64>();
    chunks.iter().all(|chunk| chunk.iter().fold(0, |acc, byte| acc | byte) == 0)
        && rest.iter().all(|byte| *byte == 0)
}

/// A length in memory as a length on disk.
pub(crate) fn len64(len: usize) -> u64 {
    // `usize` has at most 64 bits on every platform this crate compiles for.
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// A length on disk as a length in memory; saturates, so that a slice of it fails.
pub(crate) fn len_usize(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
