use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::CHUNK_LEN;
use crate::chunks::Chunks;
use crate::wave::Wave;

/// A shared, immutable stretch of bytes: of a buffer in memory, or of a file whose chunks
/// are checked when they are first read.
///
/// Cloning and slicing copy and read nothing.
#[derive(Clone, Default)]
pub struct Bytes {
    source: Source,
    start: usize,
    len: usize,
}

#[derive(Clone, Default)]
enum Source {
    #[default]
    Nothing,
    Memory(Arc<[u8]>),
    File(Arc<Chunks>),
}

impl Bytes {
    /// All data of a file.
    pub(crate) fn of_file(chunks: &Arc<Chunks>) -> Bytes {
        Bytes { len: chunks.len(), source: Source::File(chunks.clone()), start: 0 }
    }

    /// The part at `range`, or `None` where it reaches past the end.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Bytes> {
        if range.start > range.end || range.end > self.len {
            return None;
        }
        let start = self.start.checked_add(range.start)?;
        Some(Bytes { source: self.source.clone(), start, len: range.end - range.start })
    }

    /// `len` bytes from `at`.
    ///
    /// `None` where they reach past the end, or where a chunk of the file isn't what its
    /// digest says; a file remembers that it was (see [`crate::Run::is_damaged`]).
    #[must_use]
    #[inline]
    pub fn get(&self, at: usize, len: usize) -> Option<&[u8]> {
        let inside = at.checked_add(len).is_some_and(|end| end <= self.len);
        match &self.source {
            Source::Memory(bytes) if inside => bytes.get(self.start.checked_add(at)?..)?.get(..len),
            Source::File(chunks) if inside => chunks.get(self.start.checked_add(at)?, len),
            Source::File(chunks) => {
                // Only bytes that are no state point past their own end.
                chunks.distrust();
                None
            }
            Source::Nothing | Source::Memory(_) => (inside && len == 0).then_some(&[]),
        }
    }

    /// The stretch around the byte at `at` that is checked as one, cut off at the ends: once
    /// that byte was read, all of it costs nothing more.
    pub(crate) fn checked_around(&self, at: usize) -> Range<usize> {
        match &self.source {
            Source::File(_) => {
                let first = self.start.saturating_add(at) / CHUNK_LEN * CHUNK_LEN;
                let end = first.saturating_add(CHUNK_LEN).saturating_sub(self.start);
                first.saturating_sub(self.start)..end.min(self.len)
            }
            Source::Nothing | Source::Memory(_) => 0..self.len,
        }
    }

    /// Says that `len` bytes from `at` are read soon, as a part of `wave`. A hint: it reads
    /// nothing.
    pub(crate) fn will_need(&self, at: usize, len: usize, wave: &mut Wave) {
        let len = len.min(self.len.saturating_sub(at));
        if let Source::File(chunks) = &self.source {
            chunks.will_need(self.start.saturating_add(at), len, wave);
        }
    }

    /// Takes note that what was read makes no sense, though its digest holds.
    pub(crate) fn distrust(&self) {
        if let Source::File(chunks) = &self.source {
            chunks.distrust();
        }
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes { start: 0, len: bytes.len(), source: Source::Memory(bytes.into()) }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_stay_inside() {
        let bytes = Bytes::from(vec![1, 2, 3, 4]);
        let middle = bytes.slice(1..3).unwrap();
        assert_eq!(middle.get(0, 2).unwrap(), [2, 3]);
        assert_eq!(middle.slice(1..2).unwrap().get(0, 1).unwrap(), [3]);
        assert!(middle.slice(1..3).is_none());
        assert!(middle.get(1, 2).is_none() && middle.get(usize::MAX, 2).is_none());
        assert!(bytes.slice(0..5).is_none());
        assert_eq!(Bytes::default().get(0, 0), Some(&[][..]));
    }
}
