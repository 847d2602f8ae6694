//! The bytes of a checkpoint file; `docs/format.md`, "Checkpoint", is normative.
//!
//! Invariants
//! 1. The root covers fold version, configuration, every section's name and length,
//!    and through digest pages and chunk digests every byte of every section, and
//!    nothing else: it is the same for every ledger and every way of checkpointing.
//! 2. The header digest covers the name of the checkpoint, root included.
//! 3. A reader may check any one chunk by reading the header, the page digests, one
//!    page of chunk digests, and the chunk.

use memlith_log::{Digest, LedgerId, Seq};

use crate::{Bytes, CheckpointError, Fields, Sections};

/// The length of a chunk, the unit of verification; the last of a section is shorter.
///
/// 16 KiB reads best with the page cache dropped, and costs least warm.
pub const CHUNK_LEN: usize = 16 * 1024;

/// Chunk digests to a digest page.
const PAGE_DIGESTS: usize = 256;

const MAGIC: [u8; 4] = *b"MLC1";
const LAYOUT: u32 = 1;
const HEADER_LEN: usize = 4 + 4 + 16 + 8 + 32 + 4 + 32 + 8 + 4 + 32 + 32;
const ENTRY_LEN: usize = NAME_LEN + 8 + 8;
const NAME_LEN: usize = 16;
const SECTIONS_MAX: u32 = 256;

const _: () = assert!(HEADER_LEN == 176, "docs/format.md, checkpoint header");

/// What a checkpoint is a checkpoint of; the log's seal repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointName {
    /// The ledger.
    pub ledger: LedgerId,
    /// The last sequence folded in; a synced batch end.
    pub n: Seq,
    /// The chain value at `n`.
    pub chain: Digest,
    /// The version of the folds.
    pub fold_version: u32,
    /// The digest of the configuration they ran under.
    pub configuration: Digest,
    /// The last erasure honoured, [`Seq::GENESIS`] where there is none.
    pub epoch: Seq,
    /// The canonical root of the state.
    pub root: Digest,
}

/// A state that was saved: its name and its sections.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// What it is a checkpoint of.
    pub name: CheckpointName,
    /// The bytes of the state.
    pub sections: Sections,
}

impl Checkpoint {
    /// The canonical root of `sections` under this fold version and configuration.
    ///
    /// Cost: one pass of BLAKE3 over all bytes.
    #[must_use]
    pub fn root_of(fold_version: u32, configuration: &Digest, sections: &Sections) -> Digest {
        root(fold_version, configuration, sections, &Digests::of(sections))
    }

    /// The file's bytes: header, section table, page digests, chunk digests, sections.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let digests = Digests::of(&self.sections);
        let mut offset = data_offset(&self.sections);
        let sections: usize = self.sections.iter().map(|(_, bytes)| bytes.len()).sum();
        // Grown bit by bit it would for a moment take three times the file's length.
        let mut out =
            Vec::with_capacity(sections.saturating_add(usize::try_from(offset).unwrap_or(0)));
        encode_header(&mut out, &self.name, self.sections.iter().count());
        for (name, bytes) in self.sections.iter() {
            out.extend(padded_name(name));
            out.extend(offset.to_le_bytes());
            out.extend((bytes.len() as u64).to_le_bytes());
            offset += bytes.len() as u64;
        }
        for digest in digests.pages.iter().chain(&digests.chunks) {
            out.extend(digest.0);
        }
        for (_, bytes) in self.sections.iter() {
            out.extend_from_slice(bytes.as_slice());
        }
        out
    }

    /// Reads a file whole and checks every byte of it against the root.
    ///
    /// Whether the log admits this checkpoint is the caller's question.
    ///
    /// # Errors
    /// What is wrong with the file; never panics, allocates no more than its length.
    pub fn decode(file: Vec<u8>) -> Result<Checkpoint, CheckpointError> {
        let file = Bytes::from(file);
        let (name, count) = decode_header(&file)?;
        let sections = decode_sections(&file, count)?;
        let digests = Digests::of(&sections);
        if memlith_log::planted!("chunk-digests-unchecked") {
            return Ok(Checkpoint { name, sections });
        }
        check_digests(&file, count, &digests)?;
        if root(name.fold_version, &name.configuration, &sections, &digests) != name.root {
            return Err(CheckpointError::Digest { part: "the root", offset: 0 });
        }
        Ok(Checkpoint { name, sections })
    }
}

/// The digests of every chunk of every section, and of every page of those.
struct Digests {
    pages: Vec<Digest>,
    chunks: Vec<Digest>,
}

impl Digests {
    fn of(sections: &Sections) -> Digests {
        let hasher = hasher();
        let chunks: Vec<Digest> = sections
            .iter()
            .flat_map(|(_, bytes)| bytes.as_slice().chunks(CHUNK_LEN))
            .map(|chunk| digest_of(&hasher, chunk))
            .collect();
        let pages = chunks.chunks(PAGE_DIGESTS).map(|page| {
            let bytes: Vec<u8> = page.iter().flat_map(|digest| digest.0).collect();
            digest_of(&hasher, &bytes)
        });
        Digests { pages: pages.collect(), chunks }
    }

    fn len(sections: &Sections) -> usize {
        let chunks: usize = sections.iter().map(|(_, bytes)| bytes.len().div_ceil(CHUNK_LEN)).sum();
        chunks + chunks.div_ceil(PAGE_DIGESTS)
    }
}

fn hasher() -> blake3::Hasher {
    blake3::Hasher::new_derive_key("memlith v1 checkpoint")
}

fn digest_of(hasher: &blake3::Hasher, bytes: &[u8]) -> Digest {
    Digest(*hasher.clone().update(bytes).finalize().as_bytes())
}

fn root(version: u32, configuration: &Digest, sections: &Sections, digests: &Digests) -> Digest {
    let mut bytes = Vec::new();
    bytes.extend(version.to_le_bytes());
    bytes.extend(configuration.0);
    bytes.extend((sections.iter().count() as u64).to_le_bytes());
    for (name, section) in sections.iter() {
        bytes.extend(padded_name(name));
        bytes.extend((section.len() as u64).to_le_bytes());
    }
    for page in &digests.pages {
        bytes.extend(page.0);
    }
    digest_of(&hasher(), &bytes)
}

fn data_offset(sections: &Sections) -> u64 {
    let count = sections.iter().count();
    (HEADER_LEN + count * ENTRY_LEN + Digests::len(sections) * 32) as u64
}

fn padded_name(name: &str) -> [u8; NAME_LEN] {
    let mut padded = [0; NAME_LEN];
    for (slot, byte) in padded.iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    padded
}

fn encode_header(out: &mut Vec<u8>, name: &CheckpointName, section_count: usize) {
    out.extend(MAGIC);
    out.extend(LAYOUT.to_le_bytes());
    out.extend(name.ledger.0);
    out.extend(name.n.0.to_le_bytes());
    out.extend(name.chain.0);
    out.extend(name.fold_version.to_le_bytes());
    out.extend(name.configuration.0);
    out.extend(name.epoch.0.to_le_bytes());
    out.extend(u32::try_from(section_count).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(name.root.0);
    let digest = digest_of(&hasher(), out);
    out.extend(digest.0);
    debug_assert_eq!(out.len(), HEADER_LEN);
}

fn decode_header(file: &Bytes) -> Result<(CheckpointName, usize), CheckpointError> {
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
    if digest_of(&hasher(), covered).0 != stored {
        return Err(CheckpointError::Digest { part: "the header", offset: 0 });
    }
    let ledger = LedgerId(fields.bytes());
    let (n, chain) = (Seq(fields.u64()), Digest(fields.bytes()));
    let (fold_version, configuration) = (fields.u32(), Digest(fields.bytes()));
    let (epoch, count, root) = (Seq(fields.u64()), fields.u32(), Digest(fields.bytes()));
    if count > SECTIONS_MAX {
        return Err(CheckpointError::SectionTable { entry: 0 });
    }
    let name = CheckpointName { ledger, n, chain, fold_version, configuration, epoch, root };
    Ok((name, count as usize))
}

fn decode_sections(file: &Bytes, count: usize) -> Result<Sections, CheckpointError> {
    let table = part(file, HEADER_LEN, count * ENTRY_LEN)?;
    let mut sections = Sections::default();
    let mut spans = Vec::with_capacity(count);
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
        let offset = usize::try_from(fields.u64()).map_err(|_| wrong())?;
        let len = usize::try_from(fields.u64()).map_err(|_| wrong())?;
        let end = offset.checked_add(len).ok_or_else(wrong)?;
        if end > file.len() {
            return Err(CheckpointError::Short { needed: end as u64, found: file.len() as u64 });
        }
        spans.push((offset, end));
        sections.push_read(name, file.slice(offset..end).ok_or_else(wrong)?);
    }
    check_tiling(file, &sections, &spans)?;
    Ok(sections)
}

/// The sections follow the digests without gap or overlap, up to the file's end.
fn check_tiling(
    file: &Bytes,
    sections: &Sections,
    spans: &[(usize, usize)],
) -> Result<(), CheckpointError> {
    let mut expected = data_offset(sections);
    for (entry, (start, end)) in spans.iter().enumerate() {
        let gap = *start as u64 != expected;
        if gap && !memlith_log::planted!("decoder-checkpoint-file-gap") {
            return Err(CheckpointError::SectionTable { entry });
        }
        expected = *end as u64;
    }
    if expected != file.len() as u64 {
        return Err(CheckpointError::Short { needed: expected, found: file.len() as u64 });
    }
    Ok(())
}

fn check_digests(file: &Bytes, count: usize, digests: &Digests) -> Result<(), CheckpointError> {
    let mut offset = HEADER_LEN + count * ENTRY_LEN;
    for (part_name, list) in [("a digest page", &digests.pages), ("a chunk", &digests.chunks)] {
        for digest in list {
            if part(file, offset, 32)? != digest.0 {
                return Err(CheckpointError::Digest { part: part_name, offset: offset as u64 });
            }
            offset += 32;
        }
    }
    Ok(())
}

fn part(file: &Bytes, offset: usize, len: usize) -> Result<&[u8], CheckpointError> {
    let needed = offset.saturating_add(len);
    file.as_slice()
        .get(offset..needed)
        .ok_or(CheckpointError::Short { needed: needed as u64, found: file.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;

    fn sample() -> Checkpoint {
        let mut sections = Sections::default();
        sections.push(Section { name: "small", bytes: vec![7; 40].into() });
        sections.push(Section { name: "empty", bytes: Bytes::default() });
        sections.push(Section { name: "large", bytes: vec![9; CHUNK_LEN + 100].into() });
        let (fold_version, configuration) = (3, Digest([5; 32]));
        let root = Checkpoint::root_of(fold_version, &configuration, &sections);
        let name = CheckpointName {
            ledger: LedgerId([1; 16]),
            n: Seq(41),
            chain: Digest([2; 32]),
            fold_version,
            configuration,
            epoch: Seq::GENESIS,
            root,
        };
        Checkpoint { name, sections }
    }

    #[test]
    fn a_checkpoint_round_trips() {
        let file = sample().encode();
        let read = Checkpoint::decode(file.clone()).unwrap();
        assert_eq!(read.name, sample().name);
        assert_eq!(read.encode(), file);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_refused() {
        let file = sample().encode();
        let stride = 7;
        for bit in (0..file.len() * 8).step_by(stride) {
            let mut bytes = file.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Checkpoint::decode(bytes).is_err(), "bit {bit}");
        }
        for len in (0..file.len()).step_by(stride) {
            assert!(Checkpoint::decode(file[..len].to_vec()).is_err(), "cut at {len}");
        }
    }

    #[test]
    fn the_root_ignores_where_and_when() {
        let mut other = sample();
        other.name.ledger = LedgerId([9; 16]);
        other.name.chain = Digest([8; 32]);
        let name = other.name;
        assert_eq!(
            Checkpoint::root_of(name.fold_version, &name.configuration, &other.sections),
            sample().name.root
        );
        assert_ne!(Checkpoint::root_of(4, &name.configuration, &other.sections), name.root);
    }
}
