//! The bytes of one list in one run: blocks of [`BLOCK`] entries, each of which can be
//! read without the others; in front of more than one block, where each of them ends.

use crate::Entry;

/// Entries to a block; the last one of a list has fewer.
pub(crate) const BLOCK: usize = 128;

/// Bytes of the end of a block.
const END: usize = 4;

/// Appends a list. Not more than four thousand million bytes of it can be found again.
pub(crate) fn write<E: Entry>(entries: &[E], out: &mut Vec<u8>) {
    let blocks = entries.len().div_ceil(BLOCK);
    let ends_at = out.len();
    if blocks > 1 {
        out.resize(ends_at + blocks * END, 0);
    }
    let start = out.len();
    for (number, block) in entries.chunks(BLOCK).enumerate() {
        let mut previous = None;
        for entry in block {
            entry.write(previous, out);
            previous = Some(entry);
        }
        let end = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
        let at = ends_at + number * END;
        if let Some(place) = out.get_mut(at..at + END).filter(|_| blocks > 1) {
            place.copy_from_slice(&end.to_le_bytes());
        }
    }
}

/// The bytes of a list, block by block.
pub(crate) struct Blocks<'a> {
    ends: &'a [u8],
    data: &'a [u8],
    /// Blocks.
    pub(crate) len: usize,
}

impl<'a> Blocks<'a> {
    /// The blocks of a list of `count` entries; `None` where the bytes are too few.
    pub(crate) fn of(bytes: &'a [u8], count: usize) -> Option<Blocks<'a>> {
        let len = count.div_ceil(BLOCK);
        let ends = if len > 1 { len.checked_mul(END)? } else { 0 };
        let (ends, data) = bytes.split_at_checked(ends)?;
        Some(Blocks { ends, data, len })
    }

    fn end(&self, block: usize) -> Option<usize> {
        if self.len == 1 {
            return Some(self.data.len());
        }
        let end = self.ends.get(block.checked_mul(END)?..)?.first_chunk()?;
        usize::try_from(u32::from_le_bytes(*end)).ok()
    }

    /// Appends the entries of one block to `out`.
    pub(crate) fn read<E: Entry>(
        &self,
        block: usize,
        key: &E::Key,
        out: &mut Vec<E>,
    ) -> Option<()> {
        let start = match block.checked_sub(1) {
            None => 0,
            Some(before) => self.end(before)?,
        };
        let mut bytes = self.data.get(start..self.end(block)?)?;
        let first = out.len();
        while !bytes.is_empty() {
            let previous = if out.len() > first { out.last() } else { None };
            let entry = E::read(key, previous, &mut bytes)?;
            if out.len() - first >= BLOCK {
                return None;
            }
            out.push(entry);
        }
        Some(())
    }
}
