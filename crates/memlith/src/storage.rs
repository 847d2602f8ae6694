//! Where a ledger lies, its clock and its randomness: each can be of your own.

pub use memlith_log::{
    Access, Clock, Durability, Env, Fault, FaultKind, File, FixedClock, LocalStorage, Mapping,
    Medium, MemoryDisk, MemoryStorage, Process, Rng, SeededRng, Sharing, Storage, SystemClock,
    SystemRng,
};
