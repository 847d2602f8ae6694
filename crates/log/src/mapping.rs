//! The only unsafe code of the log: a read-only map of committed bytes.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use crate::storage::Extent;

/// Mapped bytes of a file that are not written any more.
#[derive(Clone, Debug)]
pub struct Mapping(Arc<memmap2::Mmap>);

impl Mapping {
    /// Maps the first `len` bytes of `file`.
    ///
    /// # Errors
    /// Those of the system; `UnexpectedEof` if the file is shorter, because a
    /// read behind its end would kill the process.
    pub(crate) fn of(file: &File, len: u64) -> io::Result<Mapping> {
        if Extent::of(file)?.len < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // SAFETY: the bytes below `len` must not change or go away while the map
        // lives. Sealed segments are mapped, up to the end of their footer:
        // no code of this crate writes there after the footer is synced, the one
        // truncation cuts at that end, and erasure replaces the file by a rename,
        // which leaves this inode as it is. Runs of checkpoints are mapped too: they are
        // written before, and under their own name only renamed to and removed,
        // which leaves the inode as it is.
        // A foreign process that truncates the file can still raise SIGBUS;
        // `LogOptions::mmap` turns mapping off, and it is off on file systems where
        // that is likelier.
        #[expect(unsafe_code, reason = "a map is how a sealed segment is read without a copy")]
        let map = unsafe { memmap2::MmapOptions::new().len(len).map(file)? };
        Ok(Mapping(Arc::new(map)))
    }

    /// Says that it is read here and there: the system reads nothing ahead.
    ///
    /// A hint; that it could not be given changes no byte.
    pub fn expect_random_reads(&self) {
        #[cfg(unix)]
        let _ = self.0.advise(memmap2::Advice::Random);
    }

    /// Says that these bytes are read next, so that they come in one piece.
    ///
    /// A hint, as before.
    pub fn will_need(&self, offset: usize, len: usize) {
        #[cfg(unix)]
        let _ = self.0.advise_range(memmap2::Advice::WillNeed, offset, len);
        #[cfg(not(unix))]
        let _ = (offset, len);
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
