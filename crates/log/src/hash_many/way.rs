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
    ///
    /// The ordinary hasher's are known beforehand: working them out, one by one, would take
    /// longer than the opening of a short tail.
    pub(super) fn tested(self) -> Way {
        let mut many = HashMany { way: Some(self), ..HashMany::default() };
        if known_digests(&mut many) == Some(KNOWN) {
            return self;
        }
        tracing::warn!("hashing many inputs together gives other digests: each is hashed alone");
        Way::OneByOne
    }
}

/// The digest of [`known_digests`] as the ordinary hasher gives it; a test works it out.
pub(super) const KNOWN: Digest = Digest([
    0x1f, 0xb8, 0x02, 0x87, 0x37, 0xad, 0x7a, 0xea, 0x63, 0x6e, 0xa6, 0x55, 0xdb, 0xbb, 0x5e, 0x0f,
    0x41, 0x77, 0x17, 0x57, 0x98, 0xd7, 0xd3, 0x6a, 0xab, 0x0d, 0x11, 0xae, 0x48, 0xd8, 0xbf, 0xd9,
]);

/// One digest over those of all known inputs, by the ordinary hasher; none where registers of
/// another width give other ones.
pub(super) fn known_digests(many: &mut HashMany) -> Option<Digest> {
    const KEY: &ContextKey = &[0x5a; 32];
    const STEP: usize = 3;
    let known: Vec<u8> = (0..=250).cycle().take(2 * CHUNK_LEN + LANES * STEP).collect();
    let (mut digests, mut narrower, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for size in (1..=SIZES).chain([SIZES + 2]) {
        // The last byte is padding.
        let len = size * BLOCK_LEN - usize::from(size % 2 == 0);
        // Each lane has another input: the known bytes from another place on.
        let place = |lane: usize| lane * STEP..lane * STEP + len;
        let input = |lane| known.get(place(lane)).unwrap_or_default();
        many.digests(KEY, LANES, input, &mut digests);
        for count in [LANES / 2, LANES / 4, LANES_MIN] {
            many.digests(KEY, count, input, &mut narrower);
            if digests.get(..count) != Some(&narrower) {
                return None;
            }
        }
        all.extend(digests.iter().flat_map(|digest| digest.0));
    }
    Some(padded_digest(KEY, &[&all]))
}
