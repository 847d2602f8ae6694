//! The key of the tombstones.

use super::bytes::renew_key;
use super::kind::{Damage, Row};
use super::sample::Sample;

const NAME: &str = "tombstone.key";

/// Its parts, each with the offset at which it begins.
const PARTS: [(&str, usize); 4] = [("ledger", 8), ("secret", 24), ("zeros", 56), ("end", 64)];

pub(super) fn each(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let Some(key) = sample.files.get(NAME) else { return };
    if let Some(other) = sample.other.get(NAME) {
        each(Damage::of(Row::Key, "of another ledger").put(NAME, other.clone()));
    }
    for [(part, from), (_, to)] in PARTS.array_windows() {
        for (at, bit) in (*from..*to).flat_map(|at| [(at, 0), (at, 7)]) {
            let mut changed = key.clone();
            if let Some(byte) = changed.get_mut(at) {
                *byte ^= 1 << bit;
            }
            renew_key(&mut changed);
            each(Damage::of(Row::Key, format!("{part}, byte {at} bit {bit}")).put(NAME, changed));
        }
    }
    let longer = [key.as_slice(), &[0]].concat();
    each(Damage::of(Row::Key, "a byte longer").put(NAME, longer));
}
