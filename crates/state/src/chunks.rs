use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memlith_log::{Digest, Mapping};

use crate::digests::{Digests, PAGE_DIGESTS, digest_of};
use crate::wave::Wave;
use crate::{CHUNK_LEN, CheckpointError};

/// The bytes of a whole file: mapped, or read into memory.
#[derive(Clone, Debug)]
pub enum FileBytes {
    /// Mapped: a page is read when it is touched.
    Mapped(Mapping),
    /// Read.
    Read(Vec<u8>),
}

impl FileBytes {
    /// The bytes, whether or not they are what they should be.
    #[must_use]
    pub fn unchecked(&self) -> &[u8] {
        match self {
            FileBytes::Mapped(mapping) => mapping,
            FileBytes::Read(bytes) => bytes,
        }
    }
}

/// The data of a run's file in chunks, each checked when it is first read.
///
/// Invariants
/// 1. No byte of a chunk leaves here before the chunk's digest was compared with its page,
///    and the page with the list that the root covers.
/// 2. What was damaged once stays damaged: an answer that met it can be told from one
///    that didn't.
pub(crate) struct Chunks {
    file: FileBytes,
    place: Place,
    seen: Bits,
    pages_seen: Bits,
    /// Chunks that were said to be read soon, or are read.
    asked: Bits,
    pages_asked: Bits,
    damaged: AtomicBool,
}

/// Where digests and data lie in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The digests of the digest pages.
    pub(crate) pages_at: usize,
    /// The digests of the chunks, in pages.
    pub(crate) digests_at: usize,
    /// The data.
    pub(crate) data_at: usize,
    /// Bytes of data.
    pub(crate) data_len: usize,
}

impl Chunks {
    /// The chunks of a file that is as long as `place` says.
    pub(crate) fn new(file: FileBytes, place: Place) -> Chunks {
        let chunks = || Bits::new(Digests::chunks_of(place.data_len));
        let pages = || Bits::new(Digests::pages_of(place.data_len));
        Chunks {
            file,
            place,
            seen: chunks(),
            pages_seen: pages(),
            asked: chunks(),
            pages_asked: pages(),
            damaged: AtomicBool::new(false),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.place.data_len
    }

    #[inline]
    pub(crate) fn get(&self, at: usize, len: usize) -> Option<&[u8]> {
        let end = at.checked_add(len).filter(|end| *end <= self.place.data_len)?;
        let (first, last) = (at / CHUNK_LEN, end.saturating_sub(1) / CHUNK_LEN);
        // Nearly every read is of one chunk that was read before.
        if (first != last || !self.seen.has(first)) && len > 0 {
            self.see(first..=last)?;
        }
        self.part(self.place.data_at.checked_add(at)?, len)
    }

    /// Says that these bytes are read soon, so that a disk brings those of several places at
    /// once; adds to `wave` what nobody has asked for yet. A hint: it reads nothing.
    pub(crate) fn will_need(self: &Arc<Self>, at: usize, len: usize, wave: &mut Wave) {
        let end = at.saturating_add(len).min(self.place.data_len);
        for chunk in at / CHUNK_LEN..end.div_ceil(CHUNK_LEN) {
            if !self.seen.has(chunk) && !self.asked.has(chunk) {
                self.asked.set(chunk);
                wave.add(self, chunk);
            }
        }
    }

    /// Lets the system read some chunks, in one piece, and their digests.
    pub(crate) fn ask(&self, chunks: RangeInclusive<usize>) {
        let FileBytes::Mapped(mapping) = &self.file else { return };
        let (first, last) = chunks.into_inner();
        for page in first / PAGE_DIGESTS..=last / PAGE_DIGESTS {
            if !self.pages_asked.has(page) {
                self.pages_asked.set(page);
                let start = self.place.digests_at + page * PAGE_DIGESTS * 32;
                mapping.will_need(start, PAGE_DIGESTS * 32);
            }
        }
        let start = first * CHUNK_LEN;
        let len = ((last - first + 1) * CHUNK_LEN).min(self.place.data_len - start);
        mapping.will_need(self.place.data_at + start, len);
    }

    #[cfg(test)]
    pub(crate) fn is_seen(&self, chunk: usize) -> bool {
        self.seen.has(chunk)
    }

    /// Checks those of some chunks that weren't yet.
    #[cold]
    fn see(&self, mut chunks: RangeInclusive<usize>) -> Option<()> {
        let seen = chunks.all(|chunk| self.seen.has(chunk) || self.check(chunk).is_some());
        if !seen {
            self.distrust();
        }
        seen.then_some(())
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    pub(crate) fn distrust(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }

    /// Checks every chunk.
    pub(crate) fn check_all(&self) -> Result<(), CheckpointError> {
        for chunk in 0..Digests::chunks_of(self.place.data_len) {
            if self.check(chunk).is_none() {
                self.distrust();
                let offset = (self.place.data_at + chunk * CHUNK_LEN) as u64;
                return Err(CheckpointError::Digest { part: "a chunk", offset });
            }
        }
        Ok(())
    }

    /// Compares a chunk with its digest, and its digest's page with the list.
    fn check(&self, chunk: usize) -> Option<()> {
        if !self.asked.has(chunk) {
            self.asked.set(chunk);
            self.ask(chunk..=chunk);
        }
        let page = chunk / PAGE_DIGESTS;
        if !self.pages_seen.has(page) {
            let start = page * PAGE_DIGESTS;
            let count = PAGE_DIGESTS.min(Digests::chunks_of(self.place.data_len) - start);
            let digests = self.part(self.place.digests_at + start * 32, count * 32)?;
            let listed = self.part(self.place.pages_at + page * 32, 32)?;
            if digest_of(digests) != read_digest(listed)? {
                return None;
            }
            self.pages_seen.set(page);
        }
        let start = chunk * CHUNK_LEN;
        let len = CHUNK_LEN.min(self.place.data_len - start);
        let bytes = self.part(self.place.data_at + start, len)?;
        let listed = self.part(self.place.digests_at + chunk * 32, 32)?;
        if digest_of(bytes) != read_digest(listed)? {
            return None;
        }
        self.seen.set(chunk);
        Some(())
    }

    #[inline]
    fn part(&self, at: usize, len: usize) -> Option<&[u8]> {
        self.file.unchecked().get(at..)?.get(..len)
    }
}

pub(crate) fn read_digest(bytes: &[u8]) -> Option<Digest> {
    Some(Digest(*bytes.first_chunk()?))
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.place)
    }
}

/// Bits that are only ever set. The bytes they speak of never change, so that it is no
/// matter when another thread sees one: it checks the chunk once more.
struct Bits(Box<[AtomicU64]>);

impl Bits {
    fn new(count: usize) -> Bits {
        Bits((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word.load(Ordering::Relaxed) >> (bit % 64) & 1 == 1)
    }

    fn set(&self, bit: usize) {
        if let Some(word) = self.0.get(bit / 64) {
            word.fetch_or(1 << (bit % 64), Ordering::Relaxed);
        }
    }
}
