//! Flips every bit of every byte of every file of a small ledger, one at a time.
//!
//! After each, the ledger is verified, read, and written.

mod judge;
mod sample;
mod tally;

use memlith::storage::MemoryDisk;

use crate::spread::spread;
use judge::Sound;
use sample::Size;
pub use tally::Tally;
use tally::{Byte, FileTally};

/// Which bits are flipped, and of which ledger.
#[derive(Clone, Debug)]
pub struct Flips {
    /// Whether the ledger holds one of everything, in place of forty events.
    pub small: bool,
    /// The capacity of its segments, so that one is sealed and one in use.
    pub segment_kib: u64,
    /// Of all bits one in so many is flipped.
    pub every: usize,
    /// Files whose names begin with this; all where it is empty.
    pub files: String,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

/// Flips the bits, each in a copy of its own.
///
/// # Errors
/// The ledger can't be made, or isn't sound before anything is flipped.
pub fn flips(flips: &Flips) -> anyhow::Result<Tally> {
    let segment_len = flips.segment_kib << 10;
    let disk = sample::sample(segment_len, if flips.small { Size::Small } else { Size::Full })?;
    let sound = Sound::of(&disk, sample::options(segment_len))?;
    let names = disk.names().into_iter().filter(|name| name.starts_with(&flips.files));
    let files = names.map(|name| flip_all(&sound, &disk, &name, flips)).collect();
    Ok(Tally { records: sound.records().len(), files })
}

/// Flips the bits of the file `name`.
fn flip_all(sound: &Sound, disk: &MemoryDisk, name: &str, flips: &Flips) -> FileTally {
    let bytes = disk.bytes(name).unwrap_or_default();
    let flip = |number: u64| {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let outcome = |bit: usize| {
            let mut flipped = bytes.clone();
            flipped.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << bit);
            let damaged = disk.after_kill();
            damaged.set_bytes(name, flipped);
            (bit, sound.judge(&damaged))
        };
        let bits = (0..8).filter(|bit| (at * 8 + bit).is_multiple_of(flips.every.max(1)));
        let value = bytes.get(at).copied().unwrap_or_default();
        Byte { at, value, outcomes: bits.map(outcome).collect() }
    };
    FileTally::of(name, &spread(0..bytes.len() as u64, flips.threads, &flip, &|_| false))
}
