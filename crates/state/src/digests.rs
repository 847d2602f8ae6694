use std::sync::LazyLock;

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use memlith_log::{CHECKPOINT_CONTEXT, Digest};

use crate::CHUNK_LEN;

/// Chunk digests to a digest page.
pub(crate) const PAGE_DIGESTS: usize = 256;

static CONTEXT: LazyLock<ContextKey> =
    LazyLock::new(|| hash_derive_key_context(CHECKPOINT_CONTEXT));

/// The digest of anything in a checkpoint.
pub(crate) fn digest_of(bytes: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new_from_context_key(&CONTEXT);
    Digest(*hasher.update(bytes).finalize().as_bytes())
}

/// The digests of every chunk of some data, and of every page of those.
pub(crate) struct Digests {
    pub(crate) pages: Vec<Digest>,
    pub(crate) chunks: Vec<Digest>,
}

impl Digests {
    pub(crate) fn of(data: &[u8]) -> Digests {
        let chunks: Vec<Digest> = data.chunks(CHUNK_LEN).map(digest_of).collect();
        let pages = chunks.chunks(PAGE_DIGESTS).map(|page| {
            let bytes: Vec<u8> = page.iter().flat_map(|digest| digest.0).collect();
            digest_of(&bytes)
        });
        Digests { pages: pages.collect(), chunks }
    }

    pub(crate) fn chunks_of(data_len: usize) -> usize {
        data_len.div_ceil(CHUNK_LEN)
    }

    pub(crate) fn pages_of(data_len: usize) -> usize {
        Digests::chunks_of(data_len).div_ceil(PAGE_DIGESTS)
    }
}
