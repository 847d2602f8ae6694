use std::io;
use std::sync::Arc;

use memlith_log::{Access, File, Medium, Process, Storage};

use super::disk::SimDisk;
use super::file::SimFile;
use super::names::folder_of;
use super::operation::Operation;

/// One simulated process's view of a [`SimDisk`].
#[derive(Clone, Debug)]
pub struct SimStorage {
    disk: SimDisk,
    id: u32,
}

impl SimStorage {
    pub(super) fn new(disk: SimDisk, id: u32) -> SimStorage {
        SimStorage { disk, id }
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Whether the process was killed, or died of a fault.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.disk.shared.lock().check_alive(self.id).is_err()
    }
}

impl Storage for SimStorage {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        let mut running = self.disk.shared.lock();
        running.reading(self.id)?;
        let known = running.machine.names().node(name);
        let creates = match access {
            Access::Read | Access::Write => false,
            Access::Create | Access::Fresh => true,
        };
        if known.is_none() {
            if !creates || !running.machine.names().has_folder(folder_of(name)) {
                return Err(io::ErrorKind::NotFound.into());
            }
            running.perform(self.id, &Operation::Create { name: name.into() })?;
        }
        let node = running.machine.names().node(name).ok_or(io::ErrorKind::NotFound)?;
        let is_empty = running.machine.node(node).is_none_or(|inode| inode.cache.len() == 0);
        if access == Access::Fresh && !is_empty {
            running.perform(self.id, &Operation::Resize { node, len: 0 })?;
        }
        let handle = running.machine.fresh();
        Ok(Arc::new(SimFile { disk: self.disk.clone(), process: self.id, node, handle }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut running = self.disk.shared.lock();
        running.reading(self.id)?;
        Ok(running.machine.names().list(folder))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut running = self.disk.shared.lock();
        running.check_alive(self.id)?;
        running.machine.names().node(from).ok_or(io::ErrorKind::NotFound)?;
        running.perform(self.id, &Operation::Rename { from: from.into(), to: to.into() })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut running = self.disk.shared.lock();
        running.check_alive(self.id)?;
        match running.machine.names().node(name) {
            Some(_) => running.perform(self.id, &Operation::Remove { name: name.into() }),
            None => Ok(()),
        }
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        let mut running = self.disk.shared.lock();
        running.check_alive(self.id)?;
        match running.machine.names().has_folder(name) {
            true => Ok(()),
            false => running.perform(self.id, &Operation::CreateFolder { name: name.into() }),
        }
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        let mut running = self.disk.shared.lock();
        if !running.machine.names().has_folder(folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        running.perform(self.id, &Operation::SyncFolder { folder: folder.into() })
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
        let mut running = self.disk.shared.lock();
        running.reading(self.id)?;
        running.machine.names().node(name).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn identity(&self) -> io::Result<(u64, u64)> {
        Ok((u64::MAX - 1, self.disk.identity))
    }

    fn medium(&self) -> io::Result<Medium> {
        Ok(Medium::Local)
    }

    fn process(&self) -> Process {
        Process { id: self.id, started: 0 }
    }

    fn boot_id(&self) -> [u8; 16] {
        u128::from(self.disk.shared.lock().machine.boots).to_le_bytes()
    }

    fn describe(&self) -> String {
        "a simulated ledger".to_owned()
    }
}
