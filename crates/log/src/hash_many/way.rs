use std::sync::OnceLock;

use blake3::hazmat::ContextKey;
use blake3::platform::Platform;

use super::{CHUNK_END, CHUNK_LEN, HashMany, LANES, LANES_MIN, ROOT, SIZES};
use crate::Digest;
use crate::hash::{BLOCK_LEN, padded_digest};

/// How a batch is hashed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// By the ordinary hasher.
    OneByOne,
    /// By BLAKE3's own inner function, which hashes its chunks with it.
    Together { platform: Platform, last_block: u8 },
}

impl Way {
    /// The way of this process, chosen once.
    ///
    /// A build with `--cfg scalar_hash` always hashes one by one, for counts of instructions
    /// that are to be the same on every machine.
    pub(super) fn of_this_process() -> Way {
        static WAY: OnceLock<Way> = OnceLock::new();
        if cfg!(any(scalar_hash, miri)) {
            return Way::OneByOne;
        }
        *WAY.get_or_init(|| {
            Way::Together { platform: Platform::detect(), last_block: CHUNK_END | ROOT }.tested()
        })
    }

    /// This way if it gives the ordinary hasher's digests of known inputs of every size of a
    /// chunk, and of two chunks, in registers of every width; else the ordinary hasher.
    pub(super) fn tested(self) -> Way {
        const KEY: &ContextKey = &[0x5a; 32];
        const STEP: usize = 3;
        let known: Vec<u8> = (0..=250).cycle().take(2 * CHUNK_LEN + LANES * STEP).collect();
        let mut many = HashMany { way: Some(self), ..HashMany::default() };
        let mut digests = Vec::new();
        let agrees = (1..=SIZES).chain([SIZES + 2]).all(|size| {
            // The last byte is padding.
            let len = size * BLOCK_LEN - usize::from(size % 2 == 0);
            // Each lane has another input: the known bytes from another place on.
            let place = |lane: usize| lane * STEP..lane * STEP + len;
            let input = |lane| known.get(place(lane)).unwrap_or_default();
            let expected: Vec<Digest> =
                (0..LANES).map(|lane| padded_digest(KEY, &[input(lane)])).collect();
            [LANES, LANES / 2, LANES / 4, LANES_MIN].into_iter().all(|count| {
                many.digests(KEY, count, input, &mut digests);
                expected.get(..count) == Some(&digests)
            })
        });
        if agrees {
            return self;
        }
        tracing::warn!("hashing many inputs together gives other digests: each is hashed alone");
        Way::OneByOne
    }
}
