//! Writer: appends batches to the log.
//!
//! Invariants: 1. the lock is held; 2. behind the end there are only zeros when
//! frames are written there; 3. what is acknowledged as synced was written or
//! re-written by this handle, and synced by it; 4. after a failed write or sync
//! nothing is written any more, and whoever waits for a sync is told; 5. a process that inherited the writer by a fork
//! writes nothing: its parent holds the same lock.

use std::sync::Arc;
use std::time::Duration;

use memlith_threads::MutexGuard;

use crate::batch::Frames;
use crate::clock::Clock;
use crate::group::{Arrival, Kept};
use crate::header::Flags;
use crate::kind::Loss;
use crate::lock::Held;
use crate::log::Log;
use crate::mark::Mark;
use crate::mark_file::MarkFile;
use crate::sealing::Sealing;
use crate::space::Prepared;
use crate::storage::File;
use crate::view::{Head, View};
use crate::{Digest, Error, RecordId, Seq, Timestamp};

/// A record to be appended.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord<'a> {
    /// Meaning of the body; 64 or above.
    pub kind: u16,
    /// The version of the kind's layout.
    pub kind_version: u8,
    /// How the body is encoded.
    pub codec: u8,
    /// Its flags; [`Flags::CLAMPED`] is set by the log.
    pub flags: Flags,
    /// The body.
    pub body: &'a [u8],
}

impl NewRecord<'_> {
    /// Returns the record with another body.
    pub(crate) fn with_body<'b>(&self, body: &'b [u8]) -> NewRecord<'b> {
        let NewRecord { kind, kind_version, codec, flags, .. } = *self;
        NewRecord { kind, kind_version, codec, flags, body }
    }
}

/// A record that was appended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Appended {
    /// Its id.
    pub id: RecordId,
    /// Its position.
    pub seq: Seq,
    /// Its hash.
    pub record_hash: Digest,
    /// Its time.
    pub recorded_at: Timestamp,
}

/// When an append is durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// Synced before the append returns; where threads share, by a sync that is for all of
    /// them. One that is alone is synced at once.
    #[default]
    Immediate,
    /// Synced as with `Immediate`: earlier appends are synced with it either way.
    Group,
    /// Survives a killed process, and a power cut once it is synced: at 4 MiB, at the first
    /// write or question a second later, when a segment is full, and on close. No timer runs:
    /// where nobody writes or asks, it is the close that syncs.
    Buffered,
}

/// One reading of the clock, and the time it gives a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tick {
    /// The clock as it was read; a clamped record keeps it in its body.
    pub raw: Timestamp,
    /// The time of the records, never before the last record's.
    pub recorded_at: Timestamp,
    /// Whether the two differ.
    pub clamped: bool,
}

/// Buffered bytes that make a sync due.
pub(crate) const BUFFERED_LEN_MAX: u64 = 4 << 20;
/// The time after which buffered bytes make a sync due.
const BUFFERED_TIME_MAX: Duration = Duration::from_secs(1);
/// A clock further ahead of the last record than this is refused.
const CLOCK_JUMP_MAX_US: i64 = 400 * Timestamp::DAY_US;

/// State of a handle as a writer, kept between two takings of the lock.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    pub(crate) poisoned: bool,
    pub(crate) wrote: bool,
    pub(crate) mark: MarkFile,
    /// The end up to which this handle wrote or re-wrote all that is above the floor.
    pub(crate) mine_end: Option<u64>,
    /// The end at which no erasure was unfinished.
    pub(crate) whole_end: Option<u64>,
    /// The segment whose name this handle made durable.
    pub(crate) named: Option<u64>,
    pub(crate) unsynced: u64,
    pub(crate) unsynced_since: Option<Duration>,
    /// The mark's epoch when nothing was behind the end.
    pub(crate) settled_epoch: Option<u64>,
    pub(crate) prepared: Option<Prepared>,
    pub(crate) prepare_failed: bool,
    /// Of the last segment, where this handle began it.
    pub(crate) sealing: Option<Sealing>,
    /// The last segment, open for writing, by its identity.
    active: Option<Active>,
    /// The batch that is written next, and room for it.
    pub(crate) frames: Frames,
    pub(crate) blinds: Vec<[u8; 16]>,
    /// The lock of the files, while turns of one group follow each other.
    pub(crate) kept: Option<Kept>,
    /// The end of what somebody waits for to be synced.
    pub(crate) owed: u64,
    /// Batches that were written since the lock was taken.
    pub(crate) turns: u32,
    /// The loss that the handle was opened to accept.
    pub(crate) accepted: Option<Loss>,
}

/// The last segment's file as a writer has it open.
#[derive(Debug)]
struct Active {
    identity: u64,
    file: Arc<dyn File>,
    /// Its length when it was asked for; it is not shorter as long as it is the last one.
    len: u64,
}

/// The lock, held, and what is needed to append.
///
/// Dropping it gives the lock back, after a sync if one is due.
#[derive(Debug)]
pub struct Writer<'a> {
    pub(crate) log: &'a Log,
    pub(crate) view: View,
    /// Whether the view is the log's true state, so that it may be marked.
    pub(crate) recovered: bool,
    /// Where the next restored record must follow.
    pub(crate) restored_to: Option<u64>,
    /// Whether what is written was agreed on already.
    pub(crate) restores: bool,
    /// Whether appends are synced by [`Writer::finish`], for others too.
    pub(crate) shares: bool,
    /// The end of what was appended here and is owed a sync.
    pub(crate) owed: Option<u64>,
    pub(crate) has_left: bool,
    /// Given up before the gate: both locks are one to the system, and a thread
    /// that came in between would lose its lock to this one's release.
    pub(crate) held: Option<Held>,
    pub(crate) gate: MutexGuard<'a, Gate>,
    pub(crate) arrival: Option<Arrival<'a>>,
}

/// When an append is synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Due {
    Now,
    AtFinish,
    Later,
}

impl Gate {
    pub(crate) fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    pub(crate) fn wrote(&self) -> bool {
        self.wrote
    }

    /// A length that the file of [`Writer::active_file`] has at least.
    pub(crate) fn active_len(&self) -> u64 {
        self.active.as_ref().map_or(0, |active| active.len)
    }

    pub(crate) fn sync_is_due(&self, clock: &dyn Clock) -> bool {
        let aged = self
            .unsynced_since
            .is_some_and(|since| clock.elapsed().saturating_sub(since) >= BUFFERED_TIME_MAX);
        !self.poisoned && (self.unsynced >= BUFFERED_LEN_MAX || aged)
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        log: &'a Log,
        gate: MutexGuard<'a, Gate>,
        held: Held,
        arrival: Arrival<'a>,
    ) -> Writer<'a> {
        let view = log.view.read().clone();
        let kept = Kept { held, view };
        let mut writer = Writer::of_kept(log, gate, kept, Some(arrival));
        writer.recovered = false;
        writer
    }

    /// A writer that goes on where the turn before it left.
    pub(crate) fn of_kept(
        log: &'a Log,
        gate: MutexGuard<'a, Gate>,
        kept: Kept,
        arrival: Option<Arrival<'a>>,
    ) -> Writer<'a> {
        let Kept { held, view } = kept;
        let (held, recovered, shares, restores) = (Some(held), true, false, false);
        let (owed, has_left, restored_to) = (None, false, None);
        Writer {
            log,
            view,
            recovered,
            restored_to,
            restores,
            shares,
            owed,
            has_left,
            held,
            gate,
            arrival,
        }
    }

    /// The true head: nobody else can append while this writer lives.
    #[must_use]
    pub fn head(&self) -> Head {
        self.view.head()
    }

    /// The last record that is synced.
    #[must_use]
    pub fn synced(&self) -> Option<Seq> {
        self.view.floor.checked_sub(1).map(Seq)
    }

    /// Reads the clock once, for one batch.
    ///
    /// # Errors
    /// [`Error::ClockJump`] if it is more than 400 days ahead of the last record.
    pub fn tick(&self) -> Result<Tick, Error> {
        let raw = self.log.env.clock.now();
        let previous = self.view.head().recorded_at;
        let limit = previous.plus_us(CLOCK_JUMP_MAX_US);
        if raw > limit && !self.log.options.accept_clock_jump {
            return Err(Error::ClockJump { previous, now: raw });
        }
        Ok(Tick { raw, recorded_at: raw.max(previous), clamped: raw < previous })
    }

    /// Makes everything written so far durable and marks it.
    ///
    /// # Errors
    /// [`Error::Io`]; then the outcome is unknown and the writer poisoned.
    pub fn sync(&mut self) -> Result<(), Error> {
        if self.gate.poisoned {
            return Err(Error::Poisoned);
        }
        if self.gate.unsynced == 0 && self.view.floor >= self.view.end.expect.next {
            return Ok(());
        }
        self.guarded(|writer| {
            let file = writer.active_file()?;
            file.sync_data().map_err(Error::io("sync", &writer.view.active()?.name))?;
            writer.mark_synced()
        })?;
        self.publish();
        Ok(())
    }

    /// Marks everything written so far, which the caller has synced.
    pub(crate) fn mark_synced(&mut self) -> Result<(), Error> {
        self.view.floor = self.view.end.expect.next;
        self.gate.unsynced = 0;
        self.gate.unsynced_since = None;
        self.write_mark(true)
    }

    pub(crate) fn say_unclean(&mut self) -> Result<(), Error> {
        if self.gate.mark.clean { self.write_mark(false) } else { Ok(()) }
    }

    pub(crate) fn write_mark(&mut self, clean: bool) -> Result<(), Error> {
        let Some(seq) = self.view.floor.checked_sub(1).map(Seq) else { return Ok(()) };
        // Only the end's chain is at hand, and only a clean mark moves to the end.
        let chain = if clean {
            self.view.end.expect.chain
        } else {
            match self.view.floor == self.view.end.expect.next {
                true => self.view.end.expect.chain,
                false => self.view.frame_head(seq)?.0.chain,
            }
        };
        let storage = self.log.env.storage.as_ref();
        let boot_id = storage.boot_id();
        let ledger = self.log.ledger;
        self.gate.mark.write(storage, Mark { ledger, seq, epoch: 0, chain, boot_id, clean })?;
        self.gate.settled_epoch = Some(self.gate.mark.epoch);
        Ok(())
    }

    /// Syncs the mark and turns to its other slot, for the checkpoint and the close.
    ///
    /// # Errors
    /// [`Error::Io`]; then the writer is poisoned.
    pub fn leave_mark_slot(&mut self) -> Result<(), Error> {
        self.guarded(Writer::turn_mark)
    }

    /// Leaves the current slot durable and goes on in the other one.
    pub(crate) fn turn_mark(&mut self) -> Result<(), Error> {
        self.gate.mark.leave_slot(self.log.env.storage.as_ref())?;
        let clean = self.gate.mark.clean;
        self.write_mark(clean)
    }

    /// Runs what writes; unless it succeeds, nothing is written after it.
    pub(crate) fn guarded<T>(
        &mut self,
        write: impl FnOnce(&mut Writer<'a>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.log.check_process()?;
        if self.gate.poisoned {
            return Err(Error::Poisoned);
        }
        self.gate.wrote = true;
        self.gate.poisoned = true;
        let result = write(self)?;
        self.gate.poisoned = false;
        Ok(result)
    }

    /// The last segment's file, open for writing.
    pub(crate) fn active_file(&mut self) -> Result<Arc<dyn File>, Error> {
        let active = self.view.active()?;
        let identity = active.identity()?;
        if let Some(known) = &self.gate.active
            && known.identity == identity
        {
            return Ok(known.file.clone());
        }
        let storage = &self.log.env.storage;
        let file = storage
            .open(&active.name, crate::storage::Access::Write)
            .map_err(Error::io("open", &active.name))?;
        self.gate.active = Some(Active { identity, file: file.clone(), len: 0 });
        Ok(file)
    }

    /// Asks how long the last segment's file is; [`Gate::active_len`] knows it then.
    pub(crate) fn measure_active(&mut self) -> Result<u64, Error> {
        let file = self.active_file()?;
        let len = file.len().map_err(Error::io("read", &self.view.active()?.name))?;
        if let Some(active) = &mut self.gate.active {
            active.len = len;
        }
        Ok(len)
    }

    /// Shows the writer's view to the readers of this handle, and to who waits for a sync.
    pub(crate) fn publish(&self) {
        *self.log.view.write() = self.view.clone();
        self.log.group.reached(self.view.floor.min(self.view.end.expect.next));
    }
}

/// Space that may be used up to make room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    Ordinary,
    /// The reserve too.
    Urgent,
}
