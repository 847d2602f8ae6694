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
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

impl Rng for SystemRng {
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()> {
        getrandom::fill(bytes).map_err(io::Error::from)
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
