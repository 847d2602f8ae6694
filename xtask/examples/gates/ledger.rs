use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use memlith::measured::CountedStorage;
use memlith::{
    Caller, Ledger, Options, Remember, Timestamp,
    storage::{Durability, Env, FixedClock, LocalStorage, Rng, SeededRng},
};

/// Notes before the checkpoint, and after it.
const COVERED: u64 = 600;
const TAIL: u64 = 50;

/// 2026-06-01T00:00:00Z.
pub(crate) const NOW: Timestamp = Timestamp(1_780_272_000_000_000);

/// Where the ledger lies that `build` makes, beside what steps write.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join("ledger")
}

/// The real disk, a clock that stands, and randomness of a seed.
pub(crate) fn env(storage: CountedStorage) -> Env {
    Env {
        storage: Arc::new(storage),
        clock: Arc::new(FixedClock::new(NOW)),
        rng: Arc::new(SeededRng::new(7)),
    }
}

/// A storage in the folder, made where it isn't there.
pub(crate) fn storage(dir: &Path) -> anyhow::Result<CountedStorage> {
    let storage = LocalStorage::create(dir);
    Ok(CountedStorage::new(storage.with_context(|| format!("create {}", dir.display()))?))
}

/// Small segments, so that there are sealed ones.
pub(crate) fn options() -> Options {
    Options { segment_lens: [128 << 10; 4], ..Options::default() }
}

/// Returns the caller that writes and asks.
pub(crate) fn caller() -> Caller {
    let mut caller = Caller::user("default", "gates");
    caller.now = Some(NOW);
    caller
}

/// Makes the ledger: notes, a checkpoint, notes.
pub(crate) fn build(dir: &Path) -> anyhow::Result<()> {
    let options = Options { durability: Durability::Buffered, ..options() };
    let ledger = Ledger::create_in(env(storage(&folder(dir))?), options)?;
    remember(&ledger, 0..COVERED)?;
    ledger.checkpoints().write()?;
    remember(&ledger, COVERED..COVERED + TAIL)?;
    Ok(ledger.close()?)
}

/// Remembers the notes of these numbers.
pub(crate) fn remember(ledger: &Ledger, notes: impl Iterator<Item = u64>) -> anyhow::Result<()> {
    for note in notes {
        let note = Remember { text: text(note)?, ..Remember::default() };
        let _ = ledger.remember(&caller(), note)?;
    }
    Ok(())
}

/// Bytes that depend on `seed` alone.
pub(crate) fn bytes(seed: u64, len: usize) -> anyhow::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    SeededRng::new(seed).fill(&mut bytes).context("bytes of a seed")?;
    Ok(bytes)
}

/// Ninety words, low numbers much more often than high ones; some 600 bytes.
fn text(note: u64) -> anyhow::Result<String> {
    let words: Vec<String> = bytes(note, 180)?
        .chunks_exact(2)
        .map(|pair| match pair {
            // The product of two falls off as words do.
            [first, second] => word(usize::from(*first) * usize::from(*second) / 32),
            _ => String::new(),
        })
        .collect();
    Ok(words.join(" "))
}

/// The word of a rank, from 0 to 2,032.
pub(crate) fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "dra",
        "stel",
    ];
    let syllable = |place: usize| SYLLABLES.get((rank >> (place * 4)) % 16).copied();
    (0..3).filter_map(syllable).collect()
}
