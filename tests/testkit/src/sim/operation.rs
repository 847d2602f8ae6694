use std::sync::Arc;

/// One thing a process does that changes the disk or makes it durable.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    Create { name: Arc<str> },
    Write { node: u64, offset: usize, bytes: Arc<[u8]> },
    Resize { node: u64, len: usize },
    Reserve { node: u64, len: usize },
    Sync { node: u64 },
    Rename { from: Arc<str>, to: Arc<str> },
    Remove { name: Arc<str> },
    CreateFolder { name: Arc<str> },
    SyncFolder { folder: Arc<str> },
}

/// The kind of an operation that is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OperationKind {
    /// A file comes to be.
    Create,
    /// Bytes are written.
    Write,
    /// A file is cut or extended.
    Resize,
    /// Space is reserved.
    Reserve,
    /// A file's bytes and length are made durable.
    Sync,
    /// A file gets another name.
    Rename,
    /// A name is removed.
    Remove,
    /// A folder comes to be.
    CreateFolder,
    /// A folder's names are made durable.
    SyncFolder,
}

impl OperationKind {
    /// Every kind.
    pub const ALL: [OperationKind; 9] = [
        OperationKind::Create,
        OperationKind::Write,
        OperationKind::Resize,
        OperationKind::Reserve,
        OperationKind::Sync,
        OperationKind::Rename,
        OperationKind::Remove,
        OperationKind::CreateFolder,
        OperationKind::SyncFolder,
    ];

    /// The kind's name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            OperationKind::Create => "create",
            OperationKind::Write => "write",
            OperationKind::Resize => "resize",
            OperationKind::Reserve => "reserve",
            OperationKind::Sync => "sync",
            OperationKind::Rename => "rename",
            OperationKind::Remove => "remove",
            OperationKind::CreateFolder => "mkdir",
            OperationKind::SyncFolder => "syncdir",
        }
    }
}

impl Operation {
    pub(super) fn kind(&self) -> OperationKind {
        match self {
            Operation::Create { .. } => OperationKind::Create,
            Operation::Write { .. } => OperationKind::Write,
            Operation::Resize { .. } => OperationKind::Resize,
            Operation::Reserve { .. } => OperationKind::Reserve,
            Operation::Sync { .. } => OperationKind::Sync,
            Operation::Rename { .. } => OperationKind::Rename,
            Operation::Remove { .. } => OperationKind::Remove,
            Operation::CreateFolder { .. } => OperationKind::CreateFolder,
            Operation::SyncFolder { .. } => OperationKind::SyncFolder,
        }
    }

    /// The operation cut short, as a process that dies within it leaves it.
    pub(super) fn shortened(&self, len: usize) -> Option<Operation> {
        let Operation::Write { node, offset, bytes } = self else { return None };
        let bytes = bytes.get(..len)?.into();
        Some(Operation::Write { node: *node, offset: *offset, bytes })
    }
}
