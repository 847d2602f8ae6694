use std::sync::Arc;

use super::chance::Chance;
use super::cut::Cut;
use super::disk::SimDisk;
use super::machine::Machine;
use super::operation::{Operation, OperationKind};

/// A disk at the instant of one operation, from which every crash there can be had.
#[derive(Clone, Debug)]
pub struct Moment {
    /// How many operations were begun before it.
    pub index: u64,
    /// How many readings were begun before it.
    pub reads: u64,
    /// The operation; none at the end.
    pub(super) operation: Option<Operation>,
    /// The machine before it.
    pub(super) before: Arc<Machine>,
}

/// How far the operation had got when its process was killed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Progress {
    /// It was not begun.
    Before,
    /// A write got part of the way; any other operation is as if not begun.
    Within,
    /// It was done, though nobody was told.
    After,
}

impl Progress {
    /// Every progress.
    pub const ALL: [Progress; 3] = [Progress::Before, Progress::Within, Progress::After];
}

impl Moment {
    /// Returns the kind of the operation that was being done; none at the end.
    #[must_use]
    pub fn kind(&self) -> Option<OperationKind> {
        self.operation.as_ref().map(Operation::kind)
    }

    /// The operation in words, for one who looks into a failure.
    #[must_use]
    pub fn describe(&self) -> String {
        let named = |node: u64| {
            let mut files = self.before.names().files();
            let name = files.find(|(_, other)| *other == node);
            name.map_or_else(|| format!("file {node}"), |(name, _)| name.to_string())
        };
        match &self.operation {
            None => "the end".to_owned(),
            Some(Operation::Create { name }) => format!("create {name}"),
            Some(Operation::Write { node, offset, bytes }) => {
                format!("write {} at {offset}, {} bytes", named(*node), bytes.len())
            }
            Some(Operation::Resize { node, len }) => format!("resize {} to {len}", named(*node)),
            Some(Operation::Reserve { node, len }) => format!("reserve {} to {len}", named(*node)),
            Some(Operation::Sync { node }) => format!("sync {}", named(*node)),
            Some(Operation::Rename { from, to }) => format!("rename {from} to {to}"),
            Some(Operation::Remove { name }) => format!("remove {name}"),
            Some(Operation::CreateFolder { name }) => format!("create folder {name}"),
            Some(Operation::SyncFolder { folder }) => format!("sync folder {folder:?}"),
        }
    }

    /// The disk after the power failed: the operation may have reached it, wholly or in part.
    #[must_use]
    pub fn cut(&self, cut: Cut, chance: &mut Chance) -> SimDisk {
        // A sync that did not return has made nothing certain.
        let done = self.operation.as_ref().filter(|operation| match operation.kind() {
            OperationKind::Sync | OperationKind::SyncFolder => false,
            OperationKind::Create
            | OperationKind::Write
            | OperationKind::Resize
            | OperationKind::Reserve
            | OperationKind::Rename
            | OperationKind::Remove
            | OperationKind::CreateFolder => true,
        });
        let machine = match done {
            Some(operation) => {
                let mut machine = Machine::clone(&self.before);
                machine.apply(operation);
                machine.cut(cut, chance)
            }
            None => self.before.cut(cut, chance),
        };
        SimDisk::of(machine)
    }

    /// The disk after every process was killed: the cache lives.
    #[must_use]
    pub fn killed(&self, progress: Progress, chance: &mut Chance) -> SimDisk {
        let mut machine = self.before.killed();
        match (progress, &self.operation) {
            (Progress::Before, _) | (_, None) => {}
            (Progress::After, Some(operation)) => machine.apply(operation),
            (Progress::Within, Some(operation)) => {
                if let Operation::Write { bytes, .. } = operation
                    && let Some(part) = operation.shortened(chance.below(bytes.len()))
                {
                    machine.apply(&part);
                }
            }
        }
        SimDisk::of(machine)
    }
}
