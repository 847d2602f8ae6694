use std::io;
use std::path::Path;

use memlith_log::{BackedUp, Head, Storage};

use crate::error::Error;
use crate::forget::tombstones::KEY_FILE;
use crate::ledger::Ledger;

impl Ledger {
    /// Copies the ledger into the folder `dest` while others write: the same id, chain,
    /// citations and heads, with its checkpoint, so that `dest` opens as a ledger.
    ///
    /// `dest` is created with its files private, or shared as the ledger's are, or is an
    /// earlier backup of this ledger; then only what is not in it yet is copied. What arrives
    /// is read back and verified before it takes the earlier one's place. An interrupted
    /// backup leaves the earlier one as it was, and `DEST.partial`, from which the next goes
    /// on. What is erased later stays in the backup until the next one.
    ///
    /// Durable when it returns. Cost: the bytes that are new, read twice and written once;
    /// of those that are not, two small reads a segment.
    ///
    /// # Errors
    /// `dest` can't take it, or the ledger's bytes are damaged; and the log's.
    pub fn backup(&self, dest: impl AsRef<Path>) -> Result<BackedUp, Error> {
        let beside = |storage: &dyn Storage, head: Head| self.derived_at(storage, head);
        Ok(self.log.backup(dest.as_ref(), &beside)?)
    }

    /// The files of the newest checkpoints of a ledger that ends at `head`, and the key of
    /// its tombstones.
    fn derived_at(&self, storage: &dyn Storage, head: Head) -> io::Result<Vec<String>> {
        // The seal of the very newest may lie behind the head.
        const NEWEST: usize = 2;
        let names = crate::fold::checkpoint::files_of_newest(storage, head.seq, NEWEST);
        let mut names = names.map_err(io::Error::other)?;
        names.push(KEY_FILE.to_owned());
        Ok(names)
    }
}
