//! The six keyed uses of BLAKE3; `docs/format.md` section "Hashes".

use std::sync::LazyLock;

use blake3::Hasher;
use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};

use crate::layout::Build;
use crate::{Digest, LedgerId};

static GENESIS: LazyLock<ContextKey> =
    LazyLock::new(|| hash_derive_key_context("memlith v1 genesis"));
pub(crate) static PAYLOAD: LazyLock<ContextKey> =
    LazyLock::new(|| hash_derive_key_context("memlith v1 payload"));
pub(crate) static RECORD: LazyLock<ContextKey> =
    LazyLock::new(|| hash_derive_key_context("memlith v1 record"));
pub(crate) static LINK: LazyLock<ContextKey> =
    LazyLock::new(|| hash_derive_key_context("memlith v1 link"));
static SEGMENT: LazyLock<ContextKey> =
    LazyLock::new(|| hash_derive_key_context("memlith v1 segment"));

/// The context of checkpoint digests, whose layout is not the log's.
pub const CHECKPOINT_CONTEXT: &str = "memlith v1 checkpoint";

/// The block that payload inputs are padded to with zeros.
pub(crate) const BLOCK_LEN: usize = 64;

/// The chain before the first record of `ledger`.
#[must_use]
pub fn genesis_chain(ledger: LedgerId, format: u32, suite: u32) -> Digest {
    let input = Build::default().bytes(&ledger.0).u32(format).u32(suite).zeros_to(BLOCK_LEN);
    digest(&GENESIS, &[&input.0])
}

/// The digest of a blind and a body, padded with zeros to whole blocks.
#[must_use]
pub fn payload_digest(blind: &[u8; 16], body: &[u8]) -> Digest {
    padded_digest(&PAYLOAD, &[blind, body])
}

/// The hash of a record: leaf `seq` of the ledger's RFC 6962 tree.
#[must_use]
pub fn record_hash(header: &[u8; 32], payload_digest: &Digest) -> Digest {
    digest(&RECORD, &[header, &payload_digest.0])
}

/// Returns the block whose hash is the record hash.
pub(crate) fn record_block(header: &[u8; 32], payload_digest: &Digest) -> [u8; BLOCK_LEN] {
    both(header, &payload_digest.0)
}

/// Returns the block whose hash is the link.
pub(crate) fn link_block(previous: &Digest, record_hash: &Digest) -> [u8; BLOCK_LEN] {
    both(&previous.0, &record_hash.0)
}

/// Two digests as one block.
pub(crate) fn both(first: &[u8; 32], second: &[u8; 32]) -> [u8; BLOCK_LEN] {
    let mut block = [0; BLOCK_LEN];
    for (half, bytes) in block.as_chunks_mut::<32>().0.iter_mut().zip([first, second]) {
        *half = *bytes;
    }
    block
}

/// The chain after a record, from the chain before it.
#[must_use]
pub fn link(previous: &Digest, record_hash: &Digest) -> Digest {
    digest(&LINK, &[&previous.0, &record_hash.0])
}

/// Hashes the bytes of a segment before its footer, in pieces of any length.
///
/// BLAKE3 hashes sixteen of its chunks at once where a piece begins and ends with so many; of
/// one that doesn't, a tenth of the time goes into the edges. So what is left over of a piece
/// is held back until there is a whole step of it.
#[derive(Debug)]
pub(crate) struct SegmentHasher {
    hasher: Hasher,
    held: Vec<u8>,
}

/// Sixteen chunks.
const STEP_LEN: usize = 16 << 10;

impl SegmentHasher {
    pub(crate) fn new() -> SegmentHasher {
        SegmentHasher { hasher: Hasher::new_from_context_key(&SEGMENT), held: Vec::new() }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        if !self.held.is_empty() {
            let missing = STEP_LEN.saturating_sub(self.held.len()).min(bytes.len());
            let (filling, rest) = bytes.split_at(missing);
            self.held.extend_from_slice(filling);
            bytes = rest;
            if self.held.len() < STEP_LEN {
                return;
            }
            self.hasher.update(&self.held);
            self.held.clear();
        }
        let (steps, rest) = bytes.split_at(bytes.len() - bytes.len() % STEP_LEN);
        self.hasher.update(steps);
        self.held.extend_from_slice(rest);
    }

    pub(crate) fn digest(&self) -> Digest {
        let mut hasher = self.hasher.clone();
        Digest(*hasher.update(&self.held).finalize().as_bytes())
    }
}

/// The digest of `parts` as one string, padded with zeros to whole blocks.
pub(crate) fn padded_digest(key: &ContextKey, parts: &[&[u8]]) -> Digest {
    const ZEROS: &[u8; BLOCK_LEN] = &[0; BLOCK_LEN];
    let mut hasher = Hasher::new_from_context_key(key);
    for part in parts {
        hasher.update(part);
    }
    let used = parts.iter().map(|part| part.len()).sum::<usize>() % BLOCK_LEN;
    hasher.update(ZEROS.get(..(BLOCK_LEN - used) % BLOCK_LEN).unwrap_or_default());
    Digest(*hasher.finalize().as_bytes())
}

fn digest(key: &ContextKey, parts: &[&[u8]]) -> Digest {
    let mut hasher = Hasher::new_from_context_key(key);
    for part in parts {
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definitions of the format page, computed the plain way.
    #[test]
    fn hashes_are_derive_key_over_padded_input() {
        let plain = |name: &str, input: &[u8]| Digest(blake3::derive_key(name, input));
        for (len, hashed) in [(0, 64), (48, 64), (49, 128), (1_008, 1_024), (1_009, 1_088)] {
            let body = vec![7; len];
            let mut input = [vec![9; 16], body.clone()].concat();
            input.resize(hashed, 0);
            assert_eq!(payload_digest(&[9; 16], &body), plain("memlith v1 payload", &input));
        }
        let (a, b) = (Digest([1; 32]), Digest([2; 32]));
        let both = [a.0, b.0].concat();
        assert_eq!(record_hash(&a.0, &b), plain("memlith v1 record", &both));
        assert_eq!(link(&a, &b), plain("memlith v1 link", &both));
        let mut genesis = [3; 64];
        genesis[16..].fill(0);
        (genesis[16], genesis[20]) = (1, 2);
        let chain = genesis_chain(LedgerId([3; 16]), 1, 2);
        assert_eq!(chain, plain("memlith v1 genesis", &genesis));
    }

    #[test]
    fn a_segment_has_one_digest_however_it_comes_in_pieces() {
        let bytes: Vec<u8> = (0..=250).cycle().take(5 * STEP_LEN + 77).collect();
        let lens = [0, 1, 128, 1_000, STEP_LEN - 1, STEP_LEN, STEP_LEN + 1, 3 * STEP_LEN + 5];
        for len in [0, 1, STEP_LEN, 2 * STEP_LEN, bytes.len()] {
            let expected = Digest(blake3::derive_key("memlith v1 segment", &bytes[..len]));
            for skip in 0..lens.len() {
                let (mut hasher, mut rest) = (SegmentHasher::new(), &bytes[..len]);
                for piece in lens.iter().cycle().skip(skip) {
                    let (now, later) = rest.split_at((*piece).min(rest.len()));
                    hasher.update(now);
                    rest = later;
                    if rest.is_empty() {
                        break;
                    }
                }
                assert_eq!(hasher.digest(), expected, "{len} from {skip}");
            }
        }
    }
}
