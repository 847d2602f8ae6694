use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::chance::Chance;
use super::cut::Cut;
use super::image::Image;
use super::inode::{FailedSync, Inode};
use super::names::{Names, folder_of};
use super::operation::Operation;

/// Everything there is to a simulated machine; a copy costs a few reference counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    /// Rises with every power cut.
    pub(super) boots: u64,
    pub(super) processes: u32,
    pub(super) dead: BTreeSet<u32>,
    nodes: BTreeMap<u64, Arc<Inode>>,
    next_node: u64,
    names: Arc<Names>,
    pub(super) failed_sync: FailedSync,
}

impl Machine {
    /// An empty machine, up for the first time.
    pub(super) fn new() -> Machine {
        Machine { boots: 1, ..Machine::default() }
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    pub(super) fn node(&self, node: u64) -> Option<&Inode> {
        self.nodes.get(&node).map(Arc::as_ref)
    }

    pub(super) fn node_mut(&mut self, node: u64) -> Option<&mut Inode> {
        self.nodes.get_mut(&node).map(Arc::make_mut)
    }

    /// A number that no file has.
    pub(super) fn fresh(&mut self) -> u64 {
        self.next_node += 1;
        self.next_node
    }

    /// Adds a file, durably, and the folder that it stands in.
    pub(super) fn put(&mut self, name: &str, bytes: &[u8]) {
        let mut content = Image::default();
        content.write(0, bytes);
        let node = self.fresh();
        self.nodes.insert(node, Arc::new(Inode::restarted(content)));
        let names = Arc::make_mut(&mut self.names);
        let folder = folder_of(name);
        if !names.has_folder(folder) {
            names.add_folder(&folder.into());
        }
        names.link(&name.into(), node);
        names.sync(folder);
        names.sync("");
    }

    /// Does what the operation says, whole.
    pub(super) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create { name } => {
                let node = self.fresh();
                self.nodes.insert(node, Arc::default());
                Arc::make_mut(&mut self.names).link(name, node);
            }
            Operation::Write { node, offset, bytes } => {
                if let Some(inode) = self.node_mut(*node) {
                    inode.write(*offset, bytes);
                }
            }
            Operation::Resize { node, len } => {
                if let Some(inode) = self.node_mut(*node) {
                    inode.resize(*len);
                }
            }
            Operation::Reserve { node, len } => {
                if let Some(inode) = self.node_mut(*node) {
                    inode.resize((*len).max(inode.cache.len()));
                }
            }
            Operation::Sync { node } => {
                if let Some(inode) = self.node_mut(*node) {
                    inode.sync();
                }
            }
            Operation::Rename { from, to } => Arc::make_mut(&mut self.names).rename(from, to),
            Operation::Remove { name } => Arc::make_mut(&mut self.names).unlink(name),
            Operation::CreateFolder { name } => Arc::make_mut(&mut self.names).add_folder(name),
            Operation::SyncFolder { folder } => Arc::make_mut(&mut self.names).sync(folder),
        }
    }

    /// Does what a failing operation does all the same.
    ///
    /// A failed sync of a folder leaves its names waiting: a journal commits or
    /// stops the file system, it does not forget a name that it goes on showing.
    pub(super) fn fail(&mut self, operation: &Operation, chance: &mut Chance) {
        let effect = self.failed_sync;
        if let Operation::Sync { node } = operation
            && let Some(inode) = self.node_mut(*node)
        {
            let reached = if chance.once_in(2) { Cut::Nothing } else { Cut::Sectors };
            let reached = reached.content(inode, chance);
            inode.fail_sync(reached, effect);
        }
    }

    /// The machine after all its processes were killed.
    pub(super) fn killed(&self) -> Machine {
        let mut machine = self.clone();
        for node in machine.nodes.values_mut() {
            if node.locked_by.is_some() {
                Arc::make_mut(node).locked_by = None;
            }
        }
        machine
    }

    /// The machine after its power failed and came back.
    pub(super) fn cut(&self, cut: Cut, chance: &mut Chance) -> Machine {
        let kept = cut.names(self.names.pending_count(), chance);
        let names = self.names.cut(kept, chance);
        let mut nodes = BTreeMap::new();
        for (_, node) in names.files() {
            if let Some(inode) = self.nodes.get(&node) {
                let image = cut.content(inode, chance);
                nodes.insert(node, Arc::new(Inode::restarted(image)));
            }
        }
        Machine {
            boots: self.boots + 1,
            processes: self.processes,
            dead: BTreeSet::new(),
            nodes,
            next_node: self.next_node,
            names: Arc::new(names),
            failed_sync: self.failed_sync,
        }
    }

    /// A hash of all that the next process can see, now or after a power cut.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.boots.to_le_bytes());
        let mut same = true;
        for (name, node) in self.names.files() {
            hasher.update(name.as_bytes()).update(&[0]);
            if let Some(inode) = self.nodes.get(&node) {
                inode.cache.hash_into(&mut hasher);
                same &= inode.pending.is_empty();
            }
        }
        if !same || self.names.pending_count() > 0 {
            hasher.update(&[1]);
            for (name, node) in self.names.durable_files() {
                hasher.update(name.as_bytes()).update(&[0]);
                if let Some(inode) = self.nodes.get(&node) {
                    inode.durable.hash_into(&mut hasher);
                }
            }
        }
        let [a, b, c, d, e, f, g, h, ..] = *hasher.finalize().as_bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}
