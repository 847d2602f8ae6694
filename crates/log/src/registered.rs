use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::Error;
use crate::storage::{Process, Storage};

/// The ledgers that this process has open for writing, by process, device and inode.
static OPEN: Mutex<BTreeSet<(Process, u64, u64)>> = Mutex::new(BTreeSet::new());

/// The right of one handle to be the only writer of a ledger in its process.
///
/// Two handles of one process would each believe the other's bytes were its own
/// process's, which is what recovery goes by.
#[derive(Debug)]
pub(crate) struct Registered((Process, u64, u64));

impl Registered {
    pub(crate) fn new(storage: &dyn Storage, process: Process) -> Result<Registered, Error> {
        let (device, inode) = storage.identity().map_err(Error::io("read", "the folder"))?;
        let key = (process, device, inode);
        if !OPEN.lock().insert(key) {
            return Err(Error::InUse { folder: storage.describe() });
        }
        Ok(Registered(key))
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        OPEN.lock().remove(&self.0);
    }
}
