use std::io;

use memlith_log::{File, Mapping};
use parking_lot::MutexGuard;

use super::disk::{Running, SimDisk};
use super::operation::Operation;

/// An open file of one process.
#[derive(Debug)]
pub(super) struct SimFile {
    pub(super) disk: SimDisk,
    pub(super) process: u32,
    pub(super) node: u64,
    /// Locks belong to an open file, not to a process, as `flock` has it.
    pub(super) handle: u64,
}

/// No file of a test is longer than memory.
fn in_memory(len: u64) -> io::Result<usize> {
    usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

impl SimFile {
    fn reading(&self) -> io::Result<(MutexGuard<'_, Running>, Option<u64>)> {
        let mut running = self.disk.shared.lock();
        let flip = running.reading(self.process)?;
        Ok((running, flip))
    }

    fn perform(&self, operation: &Operation) -> io::Result<()> {
        self.disk.shared.lock().perform(self.process, operation)
    }
}

impl File for SimFile {
    fn len(&self) -> io::Result<u64> {
        let (running, _) = self.reading()?;
        let len = running.machine.node(self.node).map_or(0, |inode| inode.cache.len());
        u64::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge.into())
    }

    fn identity(&self) -> io::Result<u64> {
        Ok(self.node)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (running, flip) = self.reading()?;
        let inode = running.machine.node(self.node).ok_or(io::ErrorKind::NotFound)?;
        let read = inode.cache.read(buffer, in_memory(offset)?);
        if let Some(flip) = flip
            && let Some(bits) = u64::try_from(read * 8).ok().filter(|bits| *bits > 0)
        {
            let bit = in_memory(flip % bits)?;
            if let Some(byte) = buffer.get_mut(bit / 8) {
                *byte ^= 1 << (bit % 8);
            }
        }
        Ok(read)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = in_memory(offset)?;
        self.perform(&Operation::Write { node: self.node, offset, bytes: bytes.into() })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.perform(&Operation::Resize { node: self.node, len: in_memory(len)? })
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.perform(&Operation::Reserve { node: self.node, len: in_memory(len)? })
    }

    fn sync_data(&self) -> io::Result<()> {
        self.perform(&Operation::Sync { node: self.node })
    }

    fn map(&self, _: u64) -> io::Result<Option<Mapping>> {
        Ok(None)
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut running = self.disk.shared.lock();
        running.check_alive(self.process)?;
        let handle = self.handle;
        let inode = running.machine.node_mut(self.node).ok_or(io::ErrorKind::NotFound)?;
        let free = inode.locked_by.is_none_or(|holder| holder == handle);
        if free {
            inode.locked_by = Some(handle);
        }
        Ok(free)
    }

    fn unlock(&self) -> io::Result<()> {
        let mut running = self.disk.shared.lock();
        let held = running.machine.node(self.node).and_then(|inode| inode.locked_by);
        if held == Some(self.handle)
            && let Some(inode) = running.machine.node_mut(self.node)
        {
            inode.locked_by = None;
        }
        Ok(())
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}
