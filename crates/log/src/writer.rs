//! The one who appends.
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
use crate::frame::{Content, MAX_BATCH_LEN, MAX_BATCH_RECORDS, MAX_BODY_LEN, frame_len};
use crate::group::{Arrival, Kept, TURNS_MAX};
use crate::header::{Flags, RecordHeader};
use crate::kind::{FIRST_EVENT_KIND, LogEvent};
use crate::layout::len64;
use crate::lock::Held;
use crate::log::Log;
use crate::mark::Mark;
use crate::mark_file::MarkFile;
use crate::restore::RestoredRecord;
use crate::rotate::Prepared;
use crate::segment::Segment;
use crate::storage::File;
use crate::view::{End, Head, View};
use crate::{Digest, Error, RecordId, Seq, Timestamp};

/// A record to be appended.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord<'a> {
    /// What the body means; 64 or above.
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
    ///
    /// Of a writer that shares, [`Writer::finish`] takes the place of the append.
    #[default]
    Immediate,
    /// The same: what was written before is synced with it either way.
    Group,
    /// Survives a killed process; synced at 4 MiB, at the first append, release of
    /// the lock or [`Log::sync_if_due`] after one second, at rotation, and on close.
    /// No timer runs: what nobody calls after is synced on close.
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
const BUFFERED_LEN_MAX: u64 = 4 << 20;
/// The time after which buffered bytes make a sync due.
const BUFFERED_TIME_MAX: Duration = Duration::from_secs(1);
/// A clock further ahead of the last record than this is refused.
const CLOCK_JUMP_MAX_US: i64 = 400 * Timestamp::DAY_US;

/// What a handle knows as a writer, kept between two takings of the lock.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    poisoned: bool,
    wrote: bool,
    pub(crate) mark: MarkFile,
    /// The end up to which this handle wrote or re-wrote all that is above the floor.
    pub(crate) mine_end: Option<u64>,
    /// The end at which no erasure was unfinished.
    pub(crate) whole_end: Option<u64>,
    /// The segment whose name this handle made durable.
    pub(crate) named: Option<u64>,
    unsynced: u64,
    unsynced_since: Option<Duration>,
    /// The mark's epoch when nothing was behind the end.
    pub(crate) settled_epoch: Option<u64>,
    pub(crate) prepared: Option<Prepared>,
    pub(crate) prepare_failed: bool,
    /// The last segment, open for writing, by its identity.
    file: Option<(u64, Arc<dyn File>)>,
    /// The batch that is written next, and room for it.
    frames: Frames,
    blinds: Vec<[u8; 16]>,
    /// The lock of the files, while turns of one group follow each other.
    pub(crate) kept: Option<Kept>,
    /// The end of what somebody waits for to be synced.
    owed: u64,
    /// Batches that were written since the lock was taken.
    turns: u32,
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
    /// Whether appends are synced by [`Writer::finish`], for others too.
    pub(crate) shares: bool,
    /// The end of what was appended here and is owed a sync.
    owed: Option<u64>,
    has_left: bool,
    /// Given up before the gate: both locks are one to the system, and a thread
    /// that came in between would lose its lock to this one's release.
    held: Option<Held>,
    pub(crate) gate: MutexGuard<'a, Gate>,
    arrival: Option<Arrival<'a>>,
}

/// How a writer left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    /// With everything done, and the lock given back.
    Alone,
    /// While others are ahead, who sync for it.
    InCompany,
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
        let (held, recovered, shares) = (Some(held), true, false);
        let (owed, has_left, restored_to) = (None, false, None);
        Writer { log, view, recovered, restored_to, shares, owed, has_left, held, gate, arrival }
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

    /// Appends one batch, whole or not at all.
    ///
    /// # Errors
    /// [`Error::BodyTooLong`], [`Error::BatchLimit`], [`Error::ReservedKind`],
    /// [`Error::ClockJump`] and [`Error::NoSpace`] before anything is written;
    /// after [`Error::Io`] the outcome is unknown and the writer poisoned.
    pub fn append(
        &mut self,
        records: &[NewRecord<'_>],
        durability: Durability,
    ) -> Result<Vec<Appended>, Error> {
        let tick = self.tick()?;
        self.append_at(tick, records, durability)
    }

    /// Appends one batch at a time that was read with [`Writer::tick`].
    ///
    /// # Errors
    /// Those of [`Writer::append`].
    pub fn append_at(
        &mut self,
        tick: Tick,
        records: &[NewRecord<'_>],
        durability: Durability,
    ) -> Result<Vec<Appended>, Error> {
        let mut appended = Vec::with_capacity(records.len());
        self.append_into(tick, records, durability, &mut appended)?;
        Ok(appended)
    }

    /// The same, which adds what was appended to a list of the caller's.
    ///
    /// With room in the list, a batch like the one before allocates nothing.
    ///
    /// # Errors
    /// Those of [`Writer::append`].
    pub fn append_into(
        &mut self,
        tick: Tick,
        records: &[NewRecord<'_>],
        durability: Durability,
        appended: &mut Vec<Appended>,
    ) -> Result<(), Error> {
        self.draft(tick, records)?;
        self.write_batch(self.due(durability), Room::Ordinary, appended)
    }

    /// Appends one batch, and uses the space kept back for it if the disk is full.
    ///
    /// For invalidations and the like, which must be possible then.
    ///
    /// # Errors
    /// Those of [`Writer::append`].
    pub fn append_urgent(
        &mut self,
        tick: Tick,
        records: &[NewRecord<'_>],
        durability: Durability,
    ) -> Result<Vec<Appended>, Error> {
        let mut appended = Vec::with_capacity(records.len());
        self.draft(tick, records)?;
        self.write_batch(self.due(durability), Room::Urgent, &mut appended)?;
        Ok(appended)
    }

    /// Appends one of the log's own events, synced.
    ///
    /// Erasures have [`Writer::erase`]; a rebased clock has [`Writer::rebase_clock`].
    ///
    /// # Errors
    /// Those of [`Writer::append`]; [`Error::ReservedKind`] for an event that has its own method.
    pub fn note(&mut self, event: &LogEvent) -> Result<Appended, Error> {
        match event {
            LogEvent::CheckpointSealed(_)
            | LogEvent::HeadAnchored { .. }
            | LogEvent::KeyRotated { .. } => self.note_any(event, self.tick()?, Room::Urgent),
            LogEvent::Genesis
            | LogEvent::Erasure { .. }
            | LogEvent::ErasureDone { .. }
            | LogEvent::LossAccepted(_)
            | LogEvent::ClockRebased { .. } => Err(Error::ReservedKind { kind: event.kind() }),
        }
    }

    /// Records that the clock was wrong; time goes on from what it says now.
    ///
    /// # Errors
    /// Those of [`Writer::append`].
    pub fn rebase_clock(&mut self) -> Result<Appended, Error> {
        let raw = self.log.env.clock.now();
        let event = LogEvent::ClockRebased { previous: self.view.head().recorded_at };
        self.note_any(&event, Tick { raw, recorded_at: raw, clamped: false }, Room::Urgent)
    }

    pub(crate) fn note_any(
        &mut self,
        event: &LogEvent,
        tick: Tick,
        room: Room,
    ) -> Result<Appended, Error> {
        let body = event.encode(tick.raw);
        let record = NewRecord {
            kind: event.kind(),
            kind_version: 0,
            codec: 0,
            flags: Flags::NONE,
            body: &body,
        };
        let mut appended = Vec::with_capacity(1);
        self.draft_any(tick, &[record])?;
        self.write_batch(Due::Now, room, &mut appended)?;
        appended.into_iter().next().ok_or(Error::BatchLimit { records: 0, len: 0 })
    }

    /// Puts events into the batch that is written next.
    fn draft(&mut self, tick: Tick, records: &[NewRecord<'_>]) -> Result<(), Error> {
        let limit = self.log.options.max_body_len.min(MAX_BODY_LEN);
        for record in records {
            if record.kind < FIRST_EVENT_KIND {
                return Err(Error::ReservedKind { kind: record.kind });
            }
            let len = len64(record.body.len());
            if len > u64::from(limit) {
                return Err(Error::BodyTooLong { len, limit });
            }
        }
        self.draft_any(tick, records)
    }

    /// Puts records of any kind into the batch that is written next.
    fn draft_any(&mut self, tick: Tick, records: &[NewRecord<'_>]) -> Result<(), Error> {
        let limits = || Error::BatchLimit { records: records.len(), len: 0 };
        let batch_len = u16::try_from(records.len()).map_err(|_| limits())?;
        if batch_len == 0 || batch_len > MAX_BATCH_RECORDS {
            return Err(limits());
        }
        // Frames that would be too long together are not put together.
        let frames_len = |record: &NewRecord<'_>| {
            frame_len(u32::try_from(record.body.len()).unwrap_or(u32::MAX))
        };
        let len = records.iter().map(frames_len).sum();
        if len > MAX_BATCH_LEN {
            return Err(Error::BatchLimit { records: records.len(), len });
        }
        let clamped = if tick.clamped { Flags::CLAMPED } else { Flags::NONE };
        let Gate { frames, blinds, .. } = &mut *self.gate;
        frames.clear();
        blinds.resize(usize::from(batch_len), [0; 16]);
        let rng = self.log.env.rng.as_ref();
        rng.fill(blinds.as_flattened_mut()).map_err(Error::io("read", "randomness"))?;
        let mut seq = self.view.end.expect.seq();
        for ((batch_pos, record), blind) in (0..batch_len).zip(records).zip(blinds.iter()) {
            let len = len64(record.body.len());
            let too_long = |_| Error::BodyTooLong { len, limit: MAX_BODY_LEN };
            let header = RecordHeader {
                seq,
                recorded_at: tick.recorded_at,
                payload_len: u32::try_from(len).map_err(too_long)?,
                kind: record.kind,
                kind_version: record.kind_version,
                codec: record.codec,
                flags: record.flags.with(clamped),
                batch_pos,
                batch_len,
            };
            frames.push(header, Content::Present { blind, body: record.body });
            seq = seq.next();
        }
        Ok(())
    }

    /// Puts records of another ledger into the batch that is written next.
    pub(crate) fn draft_restored(&mut self, records: &[RestoredRecord]) {
        self.gate.frames.clear();
        for record in records {
            self.gate.frames.push(record.header, Content::from(&record.payload));
        }
    }

    fn due(&self, durability: Durability) -> Due {
        match durability {
            Durability::Group if crate::planted!("group-acknowledged-unsynced") => Due::Later,
            Durability::Immediate | Durability::Group if self.shares => Due::AtFinish,
            Durability::Immediate | Durability::Group => Due::Now,
            Durability::Buffered => Due::Later,
        }
    }

    /// Writes the drafted batch behind the end and syncs it when it is due.
    pub(crate) fn write_batch(
        &mut self,
        due: Due,
        room: Room,
        appended: &mut Vec<Appended>,
    ) -> Result<(), Error> {
        self.log.check_process()?;
        if self.gate.poisoned {
            return Err(Error::Poisoned);
        }
        let len = self.gate.frames.len();
        if len > MAX_BATCH_LEN {
            return Err(Error::BatchLimit { records: self.gate.frames.count(), len });
        }
        self.make_room(len, room)?;
        let active = self.view.active()?.clone();
        let before = self.view.end;
        let held = appended.len();
        let (salt, floor) = (active.header.salt, self.view.floor);
        let expect = self.gate.frames.finish(salt, floor, before.expect, appended);
        self.put_frames(&active).inspect_err(|_| appended.truncate(held))?;
        if let Some(first) = self.gate.frames.first() {
            active.note(first, before.offset);
        }
        if self.gate.frames.taken().is_empty() && self.gate.whole_end == Some(before.expect.next) {
            self.gate.whole_end = Some(expect.next);
        }
        self.view.end = End { expect, offset: before.offset.saturating_add(len) };
        self.view.hide(self.gate.frames.taken().iter().copied());
        self.gate.mine_end = Some(expect.next);
        self.gate.unsynced = self.gate.unsynced.saturating_add(len);
        let clock = self.log.env.clock.as_ref();
        self.gate.unsynced_since.get_or_insert_with(|| clock.elapsed());
        self.gate.turns = self.gate.turns.saturating_add(1);
        match due {
            Due::Now => self.sync()?,
            Due::AtFinish => {
                self.owed = Some(expect.next);
                self.gate.owed = expect.next;
            }
            Due::Later => {
                if self.gate.sync_is_due(clock) {
                    self.sync()?;
                }
            }
        }
        self.publish();
        self.prepare_ahead();
        Ok(())
    }

    /// Writes the finished frames behind the end of the active segment.
    fn put_frames(&mut self, active: &Segment) -> Result<(), Error> {
        self.guarded(|writer| {
            writer.say_unclean()?;
            let file = writer.active_file()?;
            let bytes = writer.gate.frames.bytes();
            file.write_at(bytes, writer.view.end.offset).map_err(Error::io("write", &active.name))
        })
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
            if crate::planted!("mark-before-sync") {
                writer.mark_synced()?;
            }
            let mut synced = file.sync_data();
            if synced.is_err() && crate::planted!("sync-retried-after-eio") {
                synced = file.sync_data();
            }
            synced.map_err(Error::io("sync", &writer.view.active()?.name))?;
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
        if crate::planted!("mark-after-unlock") { Ok(()) } else { self.write_mark(true) }
    }

    fn say_unclean(&mut self) -> Result<(), Error> {
        let skip = crate::planted!("mark-left-clean");
        if self.gate.mark.clean && !skip { self.write_mark(false) } else { Ok(()) }
    }

    pub(crate) fn write_mark(&mut self, clean: bool) -> Result<(), Error> {
        let Some(seq) = self.view.floor.checked_sub(1).map(Seq) else { return Ok(()) };
        // Only the end's chain is at hand, and only a clean mark moves to the end.
        let chain = if clean {
            self.view.end.expect.chain
        } else {
            match self.view.floor == self.view.end.expect.next {
                true => self.view.end.expect.chain,
                false => self.view.frame_head(seq, &self.log.options)?.0.chain,
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
        self.gate.poisoned = !crate::planted!("poisoned-writer-goes-on");
        let result = write(self)?;
        self.gate.poisoned = false;
        Ok(result)
    }

    /// The last segment's file, open for writing.
    pub(crate) fn active_file(&mut self) -> Result<Arc<dyn File>, Error> {
        let active = self.view.active()?;
        let identity = active.identity()?;
        if let Some((known, file)) = &self.gate.file
            && *known == identity
        {
            return Ok(file.clone());
        }
        let storage = &self.log.env.storage;
        let file = storage
            .open(&active.name, crate::storage::Access::Write)
            .map_err(Error::io("open", &active.name))?;
        self.gate.file = Some((identity, file.clone()));
        Ok(file)
    }

    /// Shows the writer's view to the readers of this handle, and to who waits for a sync.
    pub(crate) fn publish(&self) {
        *self.log.view.write() = self.view.clone();
        self.log.group.reached(self.view.floor.min(self.view.end.expect.next));
    }

    /// Ends the turn, and returns when what was appended is as durable as was asked for.
    ///
    /// # Errors
    /// [`Error::Io`] of the sync, or [`Error::SharedSync`] where another thread's was for
    /// this one too: the outcome is unknown and the handle poisoned.
    pub fn finish(mut self) -> Result<(), Error> {
        let (log, owed) = (self.log, self.owed);
        let left = self.leave();
        // The next one's turn begins.
        drop(self);
        match (left?, owed) {
            (Left::InCompany, Some(end)) => log.group.wait(end),
            (Left::InCompany | Left::Alone, _) => Ok(()),
        }
    }

    /// Leaves the sync to those who are ahead, or else does it, for all who left it.
    ///
    /// # Errors
    /// Those of the sync, if it is owed to what was appended here.
    fn leave(&mut self) -> Result<Left, Error> {
        if std::mem::replace(&mut self.has_left, true) {
            return Ok(Left::Alone);
        }
        let able = !self.gate.poisoned && self.recovered && self.log.check_process().is_ok();
        let is_whole = self.gate.whole_end == Some(self.view.end.expect.next);
        let is_full = self.gate.turns >= TURNS_MAX || self.gate.unsynced >= BUFFERED_LEN_MAX;
        let may = able && is_whole && !is_full && self.held.is_some();
        if self.arrival.take().is_some_and(|arrival| arrival.leave(may)) {
            let view = self.view.clone();
            self.gate.kept = self.held.take().map(|held| Kept { held, view });
            return Ok(Left::InCompany);
        }
        self.gate.turns = 0;
        let synced = if able { self.settle() } else { Ok(()) };
        if self.gate.poisoned {
            self.log.group.fail();
        }
        match synced {
            Err(error) if self.owed.is_some() => Err(error),
            Err(error) => {
                tracing::warn!(%error, "a due sync failed; the writer is poisoned");
                Ok(Left::Alone)
            }
            Ok(()) if self.owed.is_some_and(|end| end > self.view.floor) => Err(Error::Poisoned),
            Ok(()) => Ok(Left::Alone),
        }
    }

    /// Syncs what is owed to anyone, or due.
    fn settle(&mut self) -> Result<(), Error> {
        let is_owed = self.gate.owed > self.view.floor;
        if is_owed || self.gate.sync_is_due(self.log.env.clock.as_ref()) {
            self.sync()?;
        }
        if crate::planted!("mark-after-unlock") && self.view.floor >= self.view.end.expect.next {
            if let Some(held) = &self.held {
                held.unlock();
            }
            let _ = self.write_mark(true);
        }
        Ok(())
    }
}

/// What may be used up to make room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    Ordinary,
    /// The reserve too.
    Urgent,
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.leave() {
            tracing::warn!(%error, "a sync failed that nobody waits for; the writer is poisoned");
        }
    }
}
