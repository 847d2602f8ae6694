use std::io;

use super::operation::OperationKind;

/// A fault that happens once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// When.
    pub at: At,
    /// Kind of the fault.
    pub kind: FaultKind,
}

/// When a fault strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// At the operation of this number, from 0.
    Operation(u64),
    /// At the reading of this number, from 0: of bytes, lengths and lists, and openings.
    Read(u64),
    /// At an operation of this kind, after so many others of it.
    Next(OperationKind, u64),
}

/// Kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// It fails and changes nothing, but for a sync: that gives up what was waiting for it.
    Fail(io::ErrorKind),
    /// A write stops part of the way and fails, as on a full disk.
    Short,
    /// The process dies, part of the way through if it writes.
    Die,
    /// One bit of what is read is another one.
    Flip,
}
