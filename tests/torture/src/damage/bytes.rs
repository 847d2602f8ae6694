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

/// Gives the key of the tombstones a sound checksum.
pub(super) fn renew_key(key: &mut [u8]) {
    renew(key, 0..64, 0);
}

fn checkpoint_digest(bytes: &[u8]) -> [u8; 32] {
    blake3::derive_key("memlith v1 checkpoint", bytes)
}

/// Where the list of runs begins, and how long each entry is.
const RUNS_AT: usize = 172;
const RUN_LEN: usize = 48;

/// Whether a byte of a checkpoint is of a place in the log: a hint, which bears no weight.
pub(super) fn is_hint(file: &[u8], at: usize) -> bool {
    (144..160).contains(&at) || at >= frames_at(file)
}

/// Where a checkpoint's list of runs ends and that of frames begins.
fn frames_at(file: &[u8]) -> usize {
    let runs = usize::try_from(u32_at(file, 68)).unwrap_or(usize::MAX);
    RUNS_AT.saturating_add(runs.saturating_mul(RUN_LEN)).min(file.len().saturating_sub(32))
}

/// Gives a checkpoint whose content was changed a sound digest and the root of its runs.
pub(super) fn renew_checkpoint(file: &mut [u8]) {
    let mut root = Vec::new();
    root.extend(part(file, 64..68));
    root.extend(part(file, 72..104));
    root.extend(u64::from(u32_at(file, 68)).to_le_bytes());
    for run in part(file, RUNS_AT..frames_at(file)).chunks(RUN_LEN) {
        root.extend(part(run, 0..8));
        root.extend(part(run, 16..48));
    }
    put(file, 112, &checkpoint_digest(&root));
    renew_checkpoint_digest(file);
}

/// Gives a checkpoint that was changed the digest of all its bytes.
pub(super) fn renew_checkpoint_digest(file: &mut [u8]) {
    let end = file.len().saturating_sub(32);
    let digest = checkpoint_digest(part(file, 0..end));
    put(file, end, &digest);
}

/// The root of a run.
pub(super) fn run_root(run: &[u8]) -> [u8; 32] {
    part(run, 40..72).try_into().unwrap_or([0; 32])
}

/// Where the digests and the data of a run lie: pages, chunk digests, data.
fn run_parts(run: &[u8]) -> (usize, usize, usize) {
    let data_len = usize::try_from(u64_at(run, 32)).unwrap_or(0);
    let chunks = data_len.div_ceil(16 << 10);
    let pages_at = 104 + 24 * len_at(run, 12);
    let digests_at = pages_at + 32 * chunks.div_ceil(256);
    (pages_at, digests_at, digests_at + 32 * chunks)
}

/// Where the data of a run begins.
pub(super) fn run_data(run: &[u8]) -> usize {
    run_parts(run).2
}

/// Gives a run whose content was changed sound digests and the root of them.
pub(super) fn renew_run(file: &mut [u8]) {
    let (pages_at, digests_at, data_at) = run_parts(file);
    let data = part(file, data_at..file.len());
    let chunks: Vec<u8> = data.chunks(16 << 10).flat_map(checkpoint_digest).collect();
    let pages: Vec<u8> = chunks.chunks(256 * 32).flat_map(checkpoint_digest).collect();
    put(file, digests_at, &chunks);
    put(file, pages_at, &pages);
    let table = part(file, 104..pages_at);
    let mut root = part(file, 8..12).to_vec();
    root.extend(part(file, 16..24));
    root.extend((table.len() as u64).to_le_bytes());
    root.extend(table);
    root.extend(&pages);
    put(file, 40, &checkpoint_digest(&root));
    let digest = checkpoint_digest(part(file, 0..72));
    put(file, 72, &digest);
}
