use std::sync::LazyLock;

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use memlith_state::Fields;

/// Hashed once: a fold makes several names of an event, each of a block or two.
static NAME: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context("memlith v1 name"));

/// The 16-byte name of something in folded state: a scope, an actor, a session, a slot, a text.
///
/// Folded state holds no text, so what is compared for equality is a digest: the
/// first 16 bytes of BLAKE3 in `derive_key` mode over length-prefixed parts. It
/// doesn't depend on the ledger: a log restored elsewhere folds to the same state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key(pub [u8; 16]);

impl Key {
    /// The length in bytes.
    pub const WIDTH: usize = 16;

    /// The name of `parts` among things of the sort `domain`.
    ///
    /// Cost: one BLAKE3 call, about 0.1 microseconds up to 64 bytes.
    #[must_use]
    pub fn of(domain: &str, parts: &[&[u8]]) -> Key {
        let mut hasher = blake3::Hasher::new_from_context_key(&NAME);
        let mut short = Short::default();
        let all = || std::iter::once(domain.as_bytes()).chain(parts.iter().copied());
        if all().all(|part| short.push(&(part.len() as u64).to_le_bytes()) && short.push(part)) {
            hasher.update(short.as_slice());
        } else {
            for part in all() {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        let digest = hasher.finalize();
        let (name, _) = digest.as_bytes().split_first_chunk().unwrap_or((&[0; 16], &[]));
        Key(*name)
    }

    /// Reads a key from a row.
    #[doc(hidden)]
    pub fn read(fields: &mut Fields<'_>) -> Key {
        Key(fields.bytes())
    }

    /// Where among all keys this one lies, in 2^64ths: names are digests, spread evenly.
    #[must_use]
    pub fn place(&self) -> u64 {
        u64::from_be_bytes(*self.0.first_chunk().unwrap_or(&[0; 8]))
    }

    /// The largest key that starts where every key of its range does: the end of a
    /// range over composite keys.
    pub const MAX: Key = Key([0xff; 16]);
}

/// The whole input of most names: hashed in one call, a name costs a third of what it does
/// in six.
struct Short {
    bytes: [u8; 256],
    len: usize,
}

impl Default for Short {
    fn default() -> Short {
        Short { bytes: [0; 256], len: 0 }
    }
}

impl Short {
    /// Appends `bytes`, if there is room.
    fn push(&mut self, bytes: &[u8]) -> bool {
        let end = self.len.saturating_add(bytes.len());
        let place = self.bytes.get_mut(self.len..end);
        place.map(|place| place.copy_from_slice(bytes)).inspect(|()| self.len = end).is_some()
    }

    fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_start_of_a_derived_key() {
        let input = [&5_u64.to_le_bytes()[..], b"actor", &3_u64.to_le_bytes(), b"ana"].concat();
        let derived = blake3::derive_key("memlith v1 name", &input);
        assert_eq!(Key::of("actor", &[b"ana"]).0[..], derived[..16]);
        for len in [230, 231, 232, 233, 1_000] {
            let long = vec![7; len];
            let name = [&5_u64.to_le_bytes()[..], b"actor", &(len as u64).to_le_bytes(), &long];
            let derived = blake3::derive_key("memlith v1 name", &name.concat());
            assert_eq!(Key::of("actor", &[&long]).0[..], derived[..16], "{len}");
        }
    }

    #[test]
    fn parts_and_domains_do_not_run_together() {
        let key = Key::of("actor", &[b"ab", b"c"]);
        assert_eq!(key, Key::of("actor", &[b"ab", b"c"]));
        assert_ne!(key, Key::of("actor", &[b"a", b"bc"]));
        assert_ne!(key, Key::of("actor", &[b"abc"]));
        assert_ne!(key, Key::of("session", &[b"ab", b"c"]));
    }
}
