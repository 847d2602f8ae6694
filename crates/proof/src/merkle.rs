//! The hashes of RFC 6962, section 2.1, and the checks of its proofs (RFC 9162, section 2.1).

use memlith_log::Digest;
use sha2::{Digest as _, Sha256};

use crate::tree::Root;

/// The hash of a leaf, which is a record's hash.
pub(crate) fn leaf(hash: &Digest) -> Root {
    Sha256::new().chain_update([0]).chain_update(hash.0).finalize().into()
}

/// The hash of a node.
pub(crate) fn node(left: &Root, right: &Root) -> Root {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of a complete subtree: `hashes` are 2^n, at least one.
pub(crate) fn subtree(mut hashes: Vec<Root>) -> Root {
    while hashes.len() > 1 {
        hashes = hashes.as_chunks::<2>().0.iter().map(|[left, right]| node(left, right)).collect();
    }
    hashes.first().copied().unwrap_or_default()
}

/// The greatest power of two below `size`, which is at least 2.
pub(crate) fn split(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// Whether a path leads from the leaf `index` of a tree of `size` leaves to its root.
pub(crate) fn is_included(
    (index, size): (u64, u64),
    path: &[Root],
    leaf: Root,
    root: &Root,
) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last, mut hash) = (index, size - 1, leaf);
    for other in path {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            hash = node(other, &hash);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            hash = node(&hash, other);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && hash == *root
}

/// Whether a tree of `size` leaves grew out of that of its first `old_size`, which are fewer.
pub(crate) fn is_consistent(
    (old_size, size): (u64, u64),
    proof: &[Root],
    old: &Root,
    root: &Root,
) -> bool {
    if old_size == 0 || old_size >= size {
        return false;
    }
    // A complete old tree is a node of the new one: its hash is left out of the proof.
    let known = old_size.is_power_of_two().then_some(old);
    let mut hashes = known.into_iter().chain(proof);
    let Some(first) = hashes.next() else { return false };
    let (mut at, mut last) = (old_size - 1, size - 1);
    while at & 1 == 1 {
        (at, last) = (at >> 1, last >> 1);
    }
    let (mut before, mut after) = (*first, *first);
    for other in hashes {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            before = node(other, &before);
            after = node(other, &after);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            after = node(&after, other);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && before == *old && after == *root
}
