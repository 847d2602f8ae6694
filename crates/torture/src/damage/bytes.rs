//! The places and checksums of `docs/format.md`, written down a second time.

use std::ops::Range;

/// The length of a segment header, and the offset of the first frame.
pub(super) const HEADER_LEN: usize = 128;
const HEAD_LEN: usize = 88;

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let field = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    field.map_or(0, |field| u32::from_le_bytes(*field))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let field = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    field.map_or(0, |field| u64::from_le_bytes(*field))
}

pub(super) fn len_at(bytes: &[u8], at: usize) -> usize {
    usize::try_from(u32_at(bytes, at)).unwrap_or(0)
}

/// Writes `value` at `at`, as far as there is room.
pub(super) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(value) {
        *byte = *new;
    }
}

pub(super) fn part(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

/// Where each frame of a segment lies.
pub(super) fn frames(segment: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut frames) = (HEADER_LEN, Vec::new());
    while part(segment, at..at + 4) == b"MLF1" {
        let end = at + len_at(segment, at + 8).max(HEAD_LEN);
        frames.push(at..end);
        at = end;
    }
    frames
}

/// Where the frames of a segment end.
pub(super) fn frames_end(segment: &[u8]) -> usize {
    frames(segment).last().map_or(HEADER_LEN, |last| last.end)
}

/// Where the footer of a sealed segment lies.
pub(super) fn footer(segment: &[u8]) -> Option<Range<usize>> {
    let at = frames_end(segment);
    (part(segment, at..at + 4) == b"MLE1").then(|| at..at + len_at(segment, at + 8))
}

fn salt(segment: &[u8]) -> u32 {
    u32_at(segment, 56)
}

/// The checksum of magic and rest that stands between them.
fn renew(bytes: &mut [u8], range: Range<usize>, seed: u32) {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    hasher.update(part(bytes, range.start..range.start + 4));
    hasher.update(part(bytes, range.start + 8..range.end));
    put(bytes, range.start + 4, &hasher.finalize().to_le_bytes());
}

/// Gives a segment whose content was changed sound checksums everywhere; only the chain
/// still tells.
pub(super) fn renew_segment(segment: &mut [u8]) {
    renew(segment, 0..HEADER_LEN, 0);
    for frame in frames(segment) {
        renew_frame(segment, frame);
    }
    if let Some(footer) = footer(segment) {
        let hash = blake3::derive_key("memlith v1 segment", part(segment, 0..footer.start));
        put(segment, footer.start + 72, &hash);
        let seed = salt(segment);
        renew(segment, footer, seed);
    }
}

pub(super) fn renew_frame(segment: &mut [u8], frame: Range<usize>) {
    let seed = salt(segment);
    let mut slot = crc32fast::Hasher::new_with_initial(seed);
    slot.update(part(segment, frame.start + HEAD_LEN..frame.end));
    put(segment, frame.start + 20, &slot.finalize().to_le_bytes());
    renew(segment, frame.start..frame.start + HEAD_LEN, seed);
}

/// Gives the slot of a mark at `at` a sound checksum.
pub(super) fn renew_mark(mark: &mut [u8], at: usize) {
    renew(mark, at..at + 128, 0);
}

fn checkpoint_digest(bytes: &[u8]) -> [u8; 32] {
    blake3::derive_key("memlith v1 checkpoint", bytes)
}

/// Where the sections of a checkpoint begin.
pub(super) fn sections_start(checkpoint: &[u8]) -> usize {
    usize::try_from(u64_at(checkpoint, 176 + 16)).unwrap_or(0)
}

/// Gives a checkpoint whose content was changed sound digests and the root of them.
pub(super) fn renew_checkpoint(file: &mut [u8]) {
    let count = len_at(file, 108);
    let field = |file: &[u8], at| usize::try_from(u64_at(file, at)).unwrap_or(0);
    let mut root = Vec::new();
    root.extend(part(file, 64..68));
    root.extend(part(file, 68..100));
    root.extend(u64::from(u32_at(file, 108)).to_le_bytes());
    let mut chunks: Vec<u8> = Vec::new();
    for entry in 0..count {
        let at = 176 + 32 * entry;
        let (offset, len) = (field(file, at + 16), field(file, at + 24));
        root.extend(part(file, at..at + 16));
        root.extend(part(file, at + 24..at + 32));
        for chunk in part(file, offset..offset.saturating_add(len)).chunks(16 << 10) {
            chunks.extend(checkpoint_digest(chunk));
        }
    }
    let pages: Vec<u8> = chunks.chunks(256 * 32).flat_map(checkpoint_digest).collect();
    root.extend(&pages);
    let at = 176 + 32 * count;
    put(file, at, &[pages, chunks].concat());
    put(file, 112, &checkpoint_digest(&root));
    renew_checkpoint_header(file);
}

/// Gives a checkpoint whose header was changed the digest of it.
pub(super) fn renew_checkpoint_header(file: &mut [u8]) {
    let digest = checkpoint_digest(part(file, 0..144));
    put(file, 144, &digest);
}
