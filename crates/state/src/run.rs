//! The bytes of a run's file; `docs/format.md`, "Run", is normative.
//!
//! Invariants
//! 1. The root covers fold version, where the stretch of the log begins, every section's
//!    name and length, and through digest pages and chunk digests every byte of every
//!    section, and nothing else: it is the same for every ledger and every way of
//!    checkpointing. Where the stretch ends is where the next one begins, or the
//!    checkpoint's own end: a seal behind the last event changes no root.
//! 2. The header digest covers all of the header, root included.
//! 3. Opening reads header, section table and the digests of digest pages; every other
//!    byte is checked when it is first read.

use std::sync::Arc;

use memlith_log::{Digest, Seq};

use crate::chunks::{Chunks, Place};
use crate::digests::{Digests, digest_of};
use crate::{Bytes, CheckpointError, Fields, FileBytes, Sections};

/// The length of a chunk, the unit of verification; the last one is shorter.
///
/// Source: specs/mapped-checkpoint.md: 16 KiB reads best with the page cache dropped, and
/// costs least warm.
pub const CHUNK_LEN: usize = 16 * 1024;

const MAGIC: [u8; 4] = *b"MLR1";
const LAYOUT: u32 = 1;
const HEADER_LEN: usize = 4 + 4 + 4 + 4 + 8 + 8 + 8 + 32 + 32;
const ENTRY_LEN: usize = NAME_LEN + 8;
const NAME_LEN: usize = 16;
const SECTIONS_MAX: u32 = 256;

const _: () = assert!(HEADER_LEN == 104, "docs/format.md, run header");

/// Which stretch of the log a run is of, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunName {
    /// The first record it covers.
    pub from: Seq,
    /// The last one.
    pub to: Seq,
    /// The version of the folds.
    pub fold_version: u32,
    /// The digest of its content.
    pub root: Digest,
}

/// A run that was opened.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which one it is.
    pub name: RunName,
    /// The sections of the run's tables.
    pub sections: Sections,
    chunks: Arc<Chunks>,
}

impl Run {
    /// The file of a run with these sections, and its name. `fold_version`, `from` and `to`
    /// are as in [`RunName`].
    ///
    /// Cost: one copy of the sections and one pass of BLAKE3.
    #[must_use]
    pub fn encode(
        fold_version: u32,
        from: Seq,
        to: Seq,
        sections: &Sections,
    ) -> (RunName, Vec<u8>) {
        let mut data = Vec::with_capacity(sections.iter().map(|(_, bytes)| bytes.len()).sum());
        let mut table = Vec::new();
        for (name, bytes) in sections.iter() {
            // What is damaged is written short, and its reader has taken note of it.
            data.extend_from_slice(bytes.get(0, bytes.len()).unwrap_or_default());
            table.extend(padded(name));
            table.extend((bytes.len() as u64).to_le_bytes());
        }
        let digests = Digests::of(&data);
        let pages: Vec<u8> = digests.pages.iter().flat_map(|digest| digest.0).collect();
        let count = sections.iter().count();
        let mut name = RunName { from, to, fold_version, root: Digest::default() };
        name.root = root(&name, &table, &pages);
        let mut file = encode_header(&name, count, data.len());
        file.extend(table);
        file.extend(pages);
        file.extend(digests.chunks.iter().flat_map(|digest| digest.0));
        file.extend(data);
        (name, file)
    }

    /// Reads a file's header, section table and digest list, and checks them.
    ///
    /// Whether the log admits this run is the caller's question.
    ///
    /// # Errors
    /// What is wrong with the file; never panics, allocates a bit for each chunk.
    pub fn open(file: FileBytes) -> Result<Run, CheckpointError> {
        let bytes = file.unchecked();
        let (name, count, data_len) = decode_header(bytes)?;
        let pages_at = HEADER_LEN + count * ENTRY_LEN;
        let place =
            place_of(pages_at, data_len).ok_or(CheckpointError::SectionTable { entry: 0 })?;
        let (needed, found) = (place.data_at as u64 + place.data_len as u64, bytes.len() as u64);
        if needed != found {
            return Err(CheckpointError::Short { needed, found });
        }
        let table = part(bytes, HEADER_LEN, count * ENTRY_LEN)?;
        let pages = part(bytes, pages_at, place.digests_at - pages_at)?;
        if root(&name, table, pages) != name.root {
            return Err(CheckpointError::Digest { part: "the root", offset: 0 });
        }
        let lens = decode_table(table)?;
        let chunks = Arc::new(Chunks::new(file, place));
        let sections = sections_of(lens, &Bytes::of_file(&chunks))?;
        Ok(Run { name, sections, chunks })
    }

    /// Checks every byte that was not checked by opening it.
    ///
    /// # Errors
    /// The first chunk that isn't what its digest says.
    pub fn check(&self) -> Result<(), CheckpointError> {
        self.chunks.check_all()
    }

    /// Whether something that was read of it, through any clone, was not what its digest
    /// says, or makes no sense: nothing that was computed from it since counts.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.chunks.is_damaged()
    }
}

fn root(name: &RunName, table: &[u8], pages: &[u8]) -> Digest {
    let mut bytes = Vec::with_capacity(28 + table.len() + pages.len());
    bytes.extend(name.fold_version.to_le_bytes());
    bytes.extend(name.from.0.to_le_bytes());
    bytes.extend((table.len() as u64).to_le_bytes());
    bytes.extend(table);
    bytes.extend(pages);
    digest_of(&bytes)
}

fn padded(name: &str) -> [u8; NAME_LEN] {
    let mut padded = [0; NAME_LEN];
    for (slot, byte) in padded.iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    padded
}

fn encode_header(name: &RunName, count: usize, data_len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_LEN);
    out.extend(MAGIC);
    out.extend(LAYOUT.to_le_bytes());
    out.extend(name.fold_version.to_le_bytes());
    out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(name.from.0.to_le_bytes());
    out.extend(name.to.0.to_le_bytes());
    out.extend((data_len as u64).to_le_bytes());
    out.extend(name.root.0);
    let digest = digest_of(&out);
    out.extend(digest.0);
    debug_assert_eq!(out.len(), HEADER_LEN);
    out
}

fn decode_header(file: &[u8]) -> Result<(RunName, usize, usize), CheckpointError> {
    let header = part(file, 0, HEADER_LEN)?;
    let (covered, stored) = header.split_at_checked(HEADER_LEN - 32).unwrap_or_default();
    let mut fields = Fields::new(covered);
    if fields.bytes() != MAGIC {
        return Err(CheckpointError::Magic);
    }
    let layout = fields.u32();
    if layout != LAYOUT {
        return Err(CheckpointError::Layout { found: layout });
    }
    if digest_of(covered).0 != stored {
        return Err(CheckpointError::Digest { part: "the header", offset: 0 });
    }
    let (fold_version, count) = (fields.u32(), fields.u32());
    let (from, to) = (Seq(fields.u64()), Seq(fields.u64()));
    let (data_len, root) = (fields.u64(), Digest(fields.bytes()));
    let data_len = usize::try_from(data_len).ok().filter(|_| count <= SECTIONS_MAX);
    let data_len = data_len.ok_or(CheckpointError::SectionTable { entry: 0 })?;
    Ok((RunName { from, to, fold_version, root }, count as usize, data_len))
}

fn place_of(pages_at: usize, data_len: usize) -> Option<Place> {
    let digests_at = Digests::pages_of(data_len).checked_mul(32)?.checked_add(pages_at)?;
    let data_at = Digests::chunks_of(data_len).checked_mul(32)?.checked_add(digests_at)?;
    data_at.checked_add(data_len)?;
    Some(Place { pages_at, digests_at, data_at, data_len })
}

fn decode_table(table: &[u8]) -> Result<Vec<(String, usize)>, CheckpointError> {
    let mut lens: Vec<(String, usize)> = Vec::with_capacity(table.len() / ENTRY_LEN);
    for (entry, bytes) in table.chunks_exact(ENTRY_LEN).enumerate() {
        let wrong = || CheckpointError::SectionTable { entry };
        let mut fields = Fields::new(bytes);
        let name = fields.bytes::<NAME_LEN>();
        let len = name.iter().position(|byte| *byte == 0).unwrap_or(NAME_LEN);
        let (name, zeros) = name.split_at_checked(len).ok_or_else(wrong)?;
        if !name.is_ascii() || zeros.iter().any(|byte| *byte != 0) {
            return Err(wrong());
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let len = usize::try_from(fields.u64()).map_err(|_| wrong())?;
        if len == 0 || lens.iter().any(|(known, _)| *known == name) {
            return Err(wrong());
        }
        lens.push((name, len));
    }
    Ok(lens)
}

/// Cuts the data into its sections: without gap or overlap, to the end.
fn sections_of(lens: Vec<(String, usize)>, data: &Bytes) -> Result<Sections, CheckpointError> {
    let (mut sections, mut at) = (Sections::default(), 0_usize);
    for (entry, (name, len)) in lens.into_iter().enumerate() {
        let wrong = || CheckpointError::SectionTable { entry };
        let end = at.checked_add(len).ok_or_else(wrong)?;
        sections.push(&name, data.slice(at..end).ok_or_else(wrong)?);
        at = end;
    }
    if at != data.len() {
        return Err(CheckpointError::Short { needed: at as u64, found: data.len() as u64 });
    }
    Ok(sections)
}

fn part(file: &[u8], offset: usize, len: usize) -> Result<&[u8], CheckpointError> {
    let needed = offset.saturating_add(len);
    file.get(offset..needed)
        .ok_or(CheckpointError::Short { needed: needed as u64, found: file.len() as u64 })
}

#[cfg(test)]
mod tests;
