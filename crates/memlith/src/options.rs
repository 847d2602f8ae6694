use std::sync::Arc;
use std::time::Duration;

use memlith_log::{Commit, Durability, LogOptions, Sharing};

use crate::copy::shared::{Agreement, SharedLog};
use crate::fold::checkpoint::CHECKPOINT_EVENTS;
use crate::fold::stride::Stride;
use crate::write::reconciler::Reconciler;

/// How a ledger is opened.
///
/// ```
/// use memlith::{Options, storage::Durability};
///
/// let options = Options { durability: Durability::Buffered, ..Options::default() };
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Users who may read and write the files of a ledger that is made, its owner alone by default;
    /// one that is there says so itself.
    pub sharing: Sharing,
    /// Takes no lock and changes no byte; checkouts are not observed. Off by default: a write
    /// through such a handle is refused.
    pub read_only: bool,
    /// Reads sealed segments through a map, the default.
    pub mmap: bool,
    /// How long to wait for another process's lock: 10 seconds by default.
    pub lock_timeout: Duration,
    /// When a command's events are durable: by default before the call returns
    /// ([`Durability::Immediate`]). Those of a shared ledger are durable in its shared log.
    pub durability: Durability,
    /// Writes on network and unknown file systems too; off by default.
    pub allow_network_fs: bool,
    /// Accepts a clock more than 400 days ahead of the last record; off by default.
    pub accept_clock_jump: bool,
    /// Reads what is left of a log whose acknowledged tail is gone; off by default.
    pub read_past_loss: bool,
    /// Starts from the newest admitted checkpoint, the default; otherwise from the first record.
    pub use_checkpoint: bool,
    /// The capacities in bytes of the log's first four files; the last one holds for all
    /// that follow. As much as the first is kept back for a full disk.
    pub segment_lens: [u64; 4],
    /// Records to a stride of the log: checkpoints are made of runs over strides. One that was
    /// written with another number isn't used. Of interest to tests.
    pub stride_records: u64,
    /// Events after the last checkpoint from which another one is due. Of interest to tests.
    pub checkpoint_events: u64,
    /// The shared log that decides the order, where several nodes write the ledger; none by
    /// default. See [`Ledger::share`](crate::Ledger::share) and
    /// [`Ledger::join`](crate::Ledger::join).
    pub shared: Option<Arc<dyn SharedLog>>,
    /// Whether a write without a slot is given that of what its words claim, where the grammar
    /// is sure of it; the decision says so. On by default.
    pub grammar: bool,
    /// The comparer of writes by likeness; without one they are compared by words and slots
    /// alone.
    pub reconciler: Option<Arc<Reconciler>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sharing: Sharing::Private,
            read_only: false,
            mmap: true,
            lock_timeout: Duration::from_secs(10),
            durability: Durability::Immediate,
            allow_network_fs: false,
            accept_clock_jump: false,
            read_past_loss: false,
            use_checkpoint: true,
            segment_lens: LogOptions::default().segment_lens,
            stride_records: Stride::default().0,
            checkpoint_events: CHECKPOINT_EVENTS,
            shared: None,
            grammar: true,
            reconciler: None,
        }
    }
}

impl Options {
    pub(crate) fn for_log(&self) -> LogOptions {
        let [first_len, ..] = self.segment_lens;
        LogOptions {
            read_only: self.read_only,
            mmap: self.mmap,
            lock_timeout: self.lock_timeout,
            allow_network_fs: self.allow_network_fs,
            accept_clock_jump: self.accept_clock_jump,
            read_past_loss: self.read_past_loss,
            segment_lens: self.segment_lens,
            reserve_len: first_len.min(LogOptions::default().reserve_len),
            commit: self.shared.clone().map(|shared| {
                let commit: Arc<dyn Commit> = Arc::new(Agreement(shared));
                commit
            }),
            is_copy: self.shared.is_some(),
            drop_derived: Some(crate::fold::checkpoint::drop_derived()),
            ..LogOptions::default()
        }
    }
}
