use crate::view::View;
use crate::{Error, Log, Record, Seq};

/// The records up to the head of one moment, read one by one.
///
/// It owns what it reads from, so a thread that nobody waits for may have it; the files stay
/// open as long.
#[derive(Clone, Debug)]
pub struct Lookup(View);

impl Log {
    /// Returns a view of the log as it is, which reads records as [`Log::read`] does.
    #[must_use]
    pub fn lookup(&self) -> Lookup {
        Lookup(self.view.read().clone())
    }
}

impl Lookup {
    /// Reads one record and verifies its checksums, payload, hash and link.
    ///
    /// # Errors
    /// Those of [`Log::read`].
    pub fn read(&self, seq: Seq) -> Result<Record, Error> {
        let frame = self.0.frame(seq)?;
        Ok(self.0.show(frame.into_record()))
    }
}
