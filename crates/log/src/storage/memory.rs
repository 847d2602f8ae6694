use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::{Access, File, Medium, Process, Storage};
use crate::layout::{len_usize, len64};
use crate::mapping::Mapping;

/// A disk in memory, which several simulated processes can share.
///
/// It remembers what was synced, counts the operations that change something,
/// and can fail any of them, so that a test can stop a program at each in turn.
#[derive(Clone, Debug)]
pub struct MemoryDisk(Arc<Mutex<Disk>>);

/// One simulated process's view of a [`MemoryDisk`].
#[derive(Clone, Debug)]
pub struct MemoryStorage {
    disk: MemoryDisk,
    process: u32,
}

/// A fault that happens once, at a counted operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The operation, from 0: writes, lengths, syncs, renames, removals, creations.
    pub at: u64,
    /// Kind of the fault.
    pub kind: FaultKind,
}

/// Kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Nothing from this operation on reaches the disk.
    Stop,
    /// As `Stop`, but the whole sectors in the first half of a write reach it.
    Tear,
    /// The operation fails and changes nothing; later ones work.
    Fail(io::ErrorKind),
}

#[derive(Debug, Default)]
struct Disk {
    identity: u64,
    boot: u8,
    next_node: u64,
    processes: u32,
    nodes: BTreeMap<u64, Node>,
    names: BTreeMap<String, u64>,
    durable_names: BTreeMap<String, u64>,
    operations: u64,
    fault: Option<Fault>,
    stopped: bool,
    /// Bytes that may be held in all; a write beyond fails as on a full disk.
    space: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    bytes: Vec<u8>,
    /// The bytes at the last sync; `None` while they equal `bytes`.
    synced: Option<Vec<u8>>,
    /// Ranges that the next sync will carry to the medium. A failed sync forgets them, as
    /// Linux does: the bytes stay readable and are lost unless written again.
    dirty: Vec<(usize, usize)>,
    reserved: u64,
    locked_by: Option<u64>,
}

#[derive(Debug)]
struct MemoryFile {
    disk: MemoryDisk,
    node: u64,
    handle: u64,
}

/// Bytes that a medium writes as one.
const SECTOR: u64 = 512;

static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

impl Default for MemoryDisk {
    fn default() -> MemoryDisk {
        MemoryDisk::new()
    }
}

impl MemoryDisk {
    /// An empty disk.
    #[must_use]
    pub fn new() -> MemoryDisk {
        let identity = NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed);
        MemoryDisk(Arc::new(Mutex::new(Disk { identity, boot: 1, ..Disk::default() })))
    }

    /// A further process on this disk.
    #[must_use]
    pub fn process(&self) -> MemoryStorage {
        let mut disk = self.0.lock();
        disk.processes += 1;
        MemoryStorage { disk: self.clone(), process: disk.processes }
    }

    /// Sets what goes wrong, counting operations from now.
    pub fn set_fault(&self, fault: Option<Fault>) {
        let mut disk = self.0.lock();
        (disk.fault, disk.operations, disk.stopped) = (fault, 0, false);
    }

    /// Limits the bytes the disk can hold.
    pub fn set_space(&self, space: Option<u64>) {
        self.0.lock().space = space;
    }

    /// The operations counted since the last [`MemoryDisk::set_fault`].
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.0.lock().operations
    }

    /// The bytes held by all files.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.0.lock().used()
    }

    /// The disk after every process was killed: all that was written is there.
    #[must_use]
    pub fn after_kill(&self) -> MemoryDisk {
        self.copied(|disk| {
            (disk.nodes.clone(), disk.names.clone(), disk.durable_names.clone(), disk.boot)
        })
    }

    /// The disk after a power cut that took everything not synced.
    #[must_use]
    pub fn after_power_cut(&self) -> MemoryDisk {
        self.copied(|disk| {
            let mut nodes = disk.nodes.clone();
            for node in nodes.values_mut() {
                if let Some(synced) = node.synced.take() {
                    node.bytes = synced;
                }
            }
            (nodes, disk.durable_names.clone(), disk.durable_names.clone(), disk.boot + 1)
        })
    }

    fn copied(&self, parts: impl FnOnce(&Disk) -> DiskParts) -> MemoryDisk {
        let fresh = MemoryDisk::new();
        let disk = self.0.lock();
        let (mut nodes, names, durable_names, boot) = parts(&disk);
        nodes.values_mut().for_each(|node| node.locked_by = None);
        {
            let mut copy = fresh.0.lock();
            (copy.nodes, copy.names, copy.durable_names, copy.boot) =
                (nodes, names, durable_names, boot);
            (copy.next_node, copy.processes) = (disk.next_node, disk.processes);
        }
        fresh
    }

    /// The names of all files, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.0.lock().names.keys().cloned().collect()
    }

    /// The bytes of a file.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let disk = self.0.lock();
        Some(disk.nodes.get(disk.names.get(name)?)?.bytes.clone())
    }

    /// Replaces or creates a file, durably.
    pub fn set_bytes(&self, name: &str, bytes: Vec<u8>) {
        let mut disk = self.0.lock();
        let node = disk.node_named(name);
        disk.durable_names.insert(name.to_owned(), node);
        disk.nodes.insert(node, Node { bytes, ..Node::default() });
    }

    /// Removes a file, durably.
    pub fn delete(&self, name: &str) {
        let mut disk = self.0.lock();
        disk.names.remove(name);
        disk.durable_names.remove(name);
    }
}

type DiskParts = (BTreeMap<u64, Node>, BTreeMap<String, u64>, BTreeMap<String, u64>, u8);

/// Permission of a counted operation.
enum Permit {
    Go,
    Torn,
}

impl Disk {
    fn operation(&mut self) -> io::Result<Permit> {
        if self.stopped {
            return Err(io::Error::other("the disk has stopped"));
        }
        let index = self.operations;
        self.operations += 1;
        match self.fault {
            Some(Fault { at, kind }) if at == index => match kind {
                FaultKind::Fail(kind) => Err(kind.into()),
                FaultKind::Stop => {
                    self.stopped = true;
                    Err(io::Error::other("the disk has stopped"))
                }
                FaultKind::Tear => {
                    self.stopped = true;
                    Ok(Permit::Torn)
                }
            },
            _ => Ok(Permit::Go),
        }
    }

    /// An operation that is not a write cannot be torn: it does not happen.
    fn whole_operation(&mut self) -> io::Result<()> {
        match self.operation()? {
            Permit::Go => Ok(()),
            Permit::Torn => Err(io::Error::other("the disk has stopped")),
        }
    }

    fn used(&self) -> u64 {
        let live = self.names.values().filter_map(|node| self.nodes.get(node));
        live.map(|node| len64(node.bytes.len()).max(node.reserved)).sum()
    }

    fn check_space(&self, node: u64, len: u64) -> io::Result<()> {
        let Some(space) = self.space else { return Ok(()) };
        let held = self.nodes.get(&node).map_or(0, |n| len64(n.bytes.len()).max(n.reserved));
        if self.used().saturating_sub(held).saturating_add(len.max(held)) > space {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn node_named(&mut self, name: &str) -> u64 {
        if let Some(node) = self.names.get(name) {
            return *node;
        }
        let node = self.next_node;
        self.next_node += 1;
        self.names.insert(name.to_owned(), node);
        self.nodes.insert(node, Node { synced: Some(Vec::new()), ..Node::default() });
        node
    }
}

impl Storage for MemoryStorage {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        let mut disk = self.disk.0.lock();
        let exists = disk.names.contains_key(name);
        match access {
            Access::Read | Access::Write if !exists => return Err(io::ErrorKind::NotFound.into()),
            Access::Read | Access::Write => {}
            Access::Create if exists => {}
            Access::Create | Access::Fresh => disk.whole_operation()?,
        }
        let node = disk.node_named(name);
        if access == Access::Fresh
            && let Some(node) = disk.nodes.get_mut(&node)
        {
            let bytes = std::mem::take(&mut node.bytes);
            node.synced.get_or_insert(bytes);
            node.reserved = 0;
        }
        let handle = disk.next_node;
        disk.next_node += 1;
        Ok(Arc::new(MemoryFile { disk: self.disk.clone(), node, handle }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let disk = self.disk.0.lock();
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let inside = disk.names.keys().filter_map(|name| name.strip_prefix(&prefix));
        Ok(inside.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = self.disk.0.lock();
        disk.whole_operation()?;
        let node = disk.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        disk.names.insert(to.to_owned(), node);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = self.disk.0.lock();
        if disk.names.contains_key(name) {
            disk.whole_operation()?;
            disk.names.remove(name);
        }
        Ok(())
    }

    fn create_folder(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        let mut disk = self.disk.0.lock();
        disk.whole_operation()?;
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let inside =
            |name: &str| name.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('/'));
        let live: Vec<_> = disk
            .names
            .iter()
            .filter(|(name, _)| inside(name))
            .map(|(name, node)| (name.clone(), *node))
            .collect();
        disk.durable_names.retain(|name, _| !inside(name));
        disk.durable_names.extend(live);
        Ok(())
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
        let disk = self.disk.0.lock();
        disk.names.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn identity(&self) -> io::Result<(u64, u64)> {
        Ok((u64::MAX, self.disk.0.lock().identity))
    }

    fn medium(&self) -> io::Result<Medium> {
        Ok(Medium::Local)
    }

    fn process(&self) -> Process {
        Process { id: self.process, started: 0 }
    }

    fn boot_id(&self) -> [u8; 16] {
        [self.disk.0.lock().boot; 16]
    }

    fn describe(&self) -> String {
        "a ledger in memory".to_owned()
    }
}

impl Node {
    /// Carries `dirty` and the length to the medium.
    fn carry(&mut self, dirty: &[(usize, usize)]) {
        let Some(synced) = &mut self.synced else { return };
        synced.resize(self.bytes.len(), 0);
        for (start, end) in dirty {
            let end = (*end).min(self.bytes.len());
            if let (Some(to), Some(from)) =
                (synced.get_mut(*start..end), self.bytes.get(*start..end))
            {
                to.copy_from_slice(from);
            }
        }
        if *synced == self.bytes {
            self.synced = None;
        }
    }
}

impl MemoryFile {
    fn change<T>(&self, change: impl FnOnce(&mut Node) -> T) -> io::Result<T> {
        let mut disk = self.disk.0.lock();
        let node = disk.nodes.get_mut(&self.node).ok_or(io::ErrorKind::NotFound)?;
        if node.synced.is_none() {
            node.synced = Some(node.bytes.clone());
        }
        Ok(change(node))
    }

    fn permit(&self, len: u64) -> io::Result<Permit> {
        let mut disk = self.disk.0.lock();
        let permit = disk.operation()?;
        disk.check_space(self.node, len)?;
        Ok(permit)
    }
}

impl File for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        let disk = self.disk.0.lock();
        Ok(disk.nodes.get(&self.node).map_or(0, |node| len64(node.bytes.len())))
    }

    fn identity(&self) -> io::Result<u64> {
        Ok(self.node)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let disk = self.disk.0.lock();
        let node = disk.nodes.get(&self.node).ok_or(io::ErrorKind::NotFound)?;
        let bytes = node.bytes.get(len_usize(offset)..).unwrap_or_default();
        let len = bytes.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), bytes.get(..len)) {
            to.copy_from_slice(from);
        }
        Ok(len)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let permit = self.permit(offset.saturating_add(len64(bytes.len())))?;
        let (written, result) = match permit {
            Permit::Go => (bytes, Ok(())),
            Permit::Torn => {
                let half = offset.saturating_add(len64(bytes.len() / 2));
                let whole_sectors = (half / SECTOR * SECTOR).saturating_sub(offset);
                let torn = bytes.get(..len_usize(whole_sectors)).unwrap_or_default();
                (torn, Err(io::Error::other("the disk has stopped")))
            }
        };
        self.change(|node| {
            let start = len_usize(offset);
            let end = start.saturating_add(written.len());
            if node.bytes.len() < end {
                node.bytes.resize(end, 0);
            }
            if let Some(to) = node.bytes.get_mut(start..end) {
                to.copy_from_slice(written);
            }
            node.dirty.push((start, end));
        })?;
        result
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.0.lock().whole_operation()?;
        self.disk.0.lock().check_space(self.node, len)?;
        self.change(|node| node.bytes.resize(len_usize(len), 0))
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.disk.0.lock().whole_operation()?;
        self.disk.0.lock().check_space(self.node, len)?;
        self.change(|node| {
            node.reserved = len;
            node.bytes.resize(len_usize(len), 0);
        })
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut disk = self.disk.0.lock();
        let permitted = disk.whole_operation();
        let node = disk.nodes.get_mut(&self.node).ok_or(io::ErrorKind::NotFound)?;
        let dirty = std::mem::take(&mut node.dirty);
        permitted?;
        node.carry(&dirty);
        Ok(())
    }

    fn map(&self, _: u64) -> io::Result<Option<Mapping>> {
        Ok(None)
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut disk = self.disk.0.lock();
        let node = disk.nodes.get_mut(&self.node).ok_or(io::ErrorKind::NotFound)?;
        let free = node.locked_by.is_none_or(|holder| holder == self.handle);
        if free {
            node.locked_by = Some(self.handle);
        }
        Ok(free)
    }

    fn unlock(&self) -> io::Result<()> {
        let mut disk = self.disk.0.lock();
        if let Some(node) = disk.nodes.get_mut(&self.node)
            && node.locked_by == Some(self.handle)
        {
            node.locked_by = None;
        }
        Ok(())
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}
