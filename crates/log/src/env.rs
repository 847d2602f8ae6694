use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::commit::Commit;
use crate::rng::{Rng, SystemRng};
use crate::storage::Storage;
use crate::{Digest, Seq};

/// Storage, clock and randomness of a log.
#[derive(Clone, Debug)]
pub struct Env {
    /// The ledger's folder.
    pub storage: Arc<dyn Storage>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness, for ids, salts and blinds.
    pub rng: Arc<dyn Rng>,
}

impl Env {
    /// The system's clock and randomness with `storage`.
    #[must_use]
    pub fn system(storage: impl Storage + 'static) -> Env {
        Env {
            storage: Arc::new(storage),
            clock: Arc::new(SystemClock::new()),
            rng: Arc::new(SystemRng),
        }
    }
}

/// Options with which a log is opened.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Takes no lock and changes no byte.
    pub read_only: bool,
    /// Reads sealed segments through a map.
    pub mmap: bool,
    /// How long to wait for another process's lock.
    pub lock_timeout: Duration,
    /// The longest body that is taken, at most 16 MiB.
    pub max_body_len: u32,
    /// Writes on network and unknown file systems too.
    pub allow_network_fs: bool,
    /// Accepts a clock more than 400 days ahead of the last record.
    pub accept_clock_jump: bool,
    /// Reads what is left of a log whose acknowledged tail is gone, and takes a record of which
    /// only the payload is damaged for destroyed.
    pub read_past_loss: bool,
    /// The capacities of the first segments; the last one holds for all that follow.
    pub segment_lens: [u64; 4],
    /// Bytes kept back so that an invalidation, and a small erasure, can finish on a full disk.
    pub reserve_len: u64,
    /// Has batches agreed on before they are written, where the ledger is shared.
    pub commit: Option<Arc<dyn Commit>>,
    /// The ledger is a copy of another one: no record is written here that wasn't written there, so
    /// that an erasure which was cut short is obeyed and not said to be done.
    pub is_copy: bool,
    /// Where the walk to the end may begin; what of it does not hold is ignored.
    pub resume: Option<Resume>,
    /// Called in the middle of every erasure, also of one that another process began.
    pub drop_derived: Option<DropDerived>,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions {
            read_only: false,
            mmap: true,
            lock_timeout: Duration::from_secs(10),
            max_body_len: 1 << 20,
            allow_network_fs: false,
            accept_clock_jump: false,
            read_past_loss: false,
            segment_lens: [1 << 20, 4 << 20, 16 << 20, 64 << 20],
            reserve_len: 512 << 10,
            commit: None,
            is_copy: false,
            resume: None,
            drop_derived: None,
        }
    }
}

/// Removes everything derived from the log that may hold erased text.
#[derive(Clone)]
pub struct DropDerived(pub Arc<DropFn>);

/// The function in a [`DropDerived`].
pub type DropFn = dyn Fn(&dyn Storage) -> io::Result<()> + Send + Sync;

impl fmt::Debug for DropDerived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DropDerived")
    }
}

/// A record's place on disk, from which a walk can begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The record; a batch end.
    pub seq: Seq,
    /// The chain there.
    pub chain: Digest,
    /// The number of its segment.
    pub segment: u64,
    /// The offset of its frame.
    pub offset: u64,
}

/// Where a walk can begin, and where lookups before it can.
///
/// None of it is believed: a position that is not that of the record it names is ignored, and
/// a lookup that finds another record than it looks for walks from the segment's start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resume {
    /// The last record that need not be walked over again.
    pub position: Position,
    /// Frames before it in its segment, ascending, at most one for every 16 KiB: their
    /// records, and their offsets.
    pub before: Vec<(Seq, u64)>,
}

impl From<Position> for Resume {
    fn from(position: Position) -> Resume {
        Resume { position, before: Vec::new() }
    }
}
