use std::fmt;
use std::io;

use parking_lot::Mutex;

/// The only source of randomness.
pub trait Rng: fmt::Debug + Send + Sync {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// If the system has no randomness to give.
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()>;
}

/// The system's randomness.
///
/// What is longer than two keys is expanded from a fresh key of 256 bits by BLAKE3, ten times
/// as fast as the system gives it: the blinds of a batch are as hard to guess as their key.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

/// Number of bytes that come from the system itself.
const DRAWN_LEN_MAX: usize = 64;

impl Rng for SystemRng {
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()> {
        if bytes.len() <= DRAWN_LEN_MAX {
            return getrandom::fill(bytes).map_err(io::Error::from);
        }
        // A key is used once, so that no reader's place has to be kept, nor shared after a fork.
        let mut key = [0; blake3::KEY_LEN];
        getrandom::fill(&mut key).map_err(io::Error::from)?;
        blake3::Hasher::new_keyed(&key).finalize_xof().fill(bytes);
        Ok(())
    }
}

/// A stream of bytes that depends on a seed and nothing else; for tests only.
#[derive(Debug)]
pub struct SeededRng(Mutex<blake3::OutputReader>);

impl SeededRng {
    /// The stream of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> SeededRng {
        let stream = blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof();
        SeededRng(Mutex::new(stream))
    }
}

impl Rng for SeededRng {
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.0.lock().fill(bytes);
        Ok(())
    }
}

pub(crate) fn random<const N: usize>(rng: &dyn Rng) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    rng.fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_gives_other_bytes_each_time_however_many_are_asked_for() {
        for len in [16, DRAWN_LEN_MAX, DRAWN_LEN_MAX + 1, 16 * 4_096] {
            let (mut a, mut b) = (vec![0; len], vec![0; len]);
            SystemRng.fill(&mut a).unwrap();
            SystemRng.fill(&mut b).unwrap();
            let blinds = || a.as_chunks::<16>().0.iter().chain(b.as_chunks::<16>().0);
            let distinct: std::collections::BTreeSet<_> = blinds().collect();
            assert_eq!(distinct.len(), blinds().count(), "{len}");
        }
    }
}
