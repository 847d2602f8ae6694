//! Appends of a writer: drafted, put behind the end, and synced when they are due.

use crate::Error;
use crate::env::LogOptions;
use crate::frame::{Content, MAX_BATCH_LEN, MAX_BATCH_RECORDS, MAX_BODY_LEN, frame_len};
use crate::header::{Flags, RecordHeader};
use crate::kind::{FIRST_EVENT_KIND, LogEvent};
use crate::layout::len64;
use crate::restore::RestoredRecord;
use crate::segment::Segment;
use crate::view::End;
use crate::writer::{Appended, Due, Durability, Gate, NewRecord, Room, Tick, Writer};

impl Writer<'_> {
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

    /// Appends one batch and adds what was appended to a list of the caller's.
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
        self.draft(tick, &[records])?;
        self.write_batch(self.due(durability), Room::Ordinary, appended)
    }

    /// Appends batches of several threads with one write; all of them, in order, or none.
    ///
    /// # Errors
    /// Those of [`Writer::append`].
    pub(crate) fn append_together(
        &mut self,
        batches: &[Vec<NewRecord<'_>>],
        durability: Durability,
    ) -> Result<Vec<Appended>, Error> {
        let batches: Vec<&[NewRecord<'_>]> = batches.iter().map(Vec::as_slice).collect();
        let mut appended = Vec::new();
        self.draft(self.tick()?, &batches)?;
        self.write_batch(self.due(durability), Room::Ordinary, &mut appended)?;
        Ok(appended)
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
        self.draft(tick, &[records])?;
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
        self.draft_any(tick, &[&[record]])?;
        self.write_batch(Due::Now, room, &mut appended)?;
        appended.into_iter().next().ok_or(Error::BatchLimit { records: 0, len: 0 })
    }

    /// Puts batches of events into what is written next.
    fn draft(&mut self, tick: Tick, batches: &[&[NewRecord<'_>]]) -> Result<(), Error> {
        batches.iter().try_for_each(|records| check_batch(records, &self.log.options))?;
        self.draft_any(tick, batches)
    }

    /// Puts batches of records of any kind into what is written next.
    pub(crate) fn draft_any(
        &mut self,
        tick: Tick,
        batches: &[&[NewRecord<'_>]],
    ) -> Result<(), Error> {
        let clamped = if tick.clamped { Flags::CLAMPED } else { Flags::NONE };
        let count = batches.iter().map(|records| records.len()).sum();
        let Gate { frames, blinds, .. } = &mut *self.gate;
        frames.clear();
        blinds.resize(count, [0; 16]);
        let rng = self.log.env.rng.as_ref();
        rng.fill(blinds.as_flattened_mut()).map_err(Error::io("read", "randomness"))?;
        let mut blinds = blinds.iter();
        let mut seq = self.view.end.expect.seq();
        for records in batches {
            let batch_len = batch_len(records)?;
            for ((batch_pos, record), blind) in (0..batch_len).zip(*records).zip(&mut blinds) {
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
        if self.log.options.commit.is_some() {
            // It is durable where it was agreed on: a copy that loses its end takes it in again.
            return Due::Later;
        }
        match durability {
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
        let agreed = self.commit(before.expect.seq(), before.expect.chain);
        let put = agreed.and_then(|()| self.put_frames(&active));
        put.inspect_err(|_| appended.truncate(held))?;
        if let Some(first) = self.gate.frames.first() {
            active.note(first, before.offset);
        }
        if let Some((last, place)) = self.gate.frames.last() {
            active.note_written(last, before.offset.saturating_add(place));
        }
        if self.gate.frames.taken().is_empty() && self.gate.whole_end == Some(before.expect.next) {
            self.gate.whole_end = Some(expect.next);
        }
        self.view.end = End { expect, offset: before.offset.saturating_add(len) };
        self.gather(&active, before)?;
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

    /// Adds the batch behind `before` to what the footer will say, if all before it is there.
    fn gather(&mut self, active: &Segment, before: End) -> Result<(), Error> {
        let (identity, end) = (active.identity()?, self.view.end);
        let Gate { frames, sealing, .. } = &mut *self.gate;
        if let Some(sealing) = sealing.as_mut().filter(|sealing| sealing.is_of(identity, &before)) {
            let at = |place: u64| before.offset.saturating_add(place);
            let places = frames.places().map(|(seq, place)| (seq, at(place)));
            sealing.push(frames.bytes(), places, end);
        }
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
}

/// Whether events of a caller's may be a batch, by their kinds and lengths.
pub(crate) fn check_batch(records: &[NewRecord<'_>], options: &LogOptions) -> Result<(), Error> {
    let limit = options.max_body_len.min(MAX_BODY_LEN);
    for record in records {
        if record.kind < FIRST_EVENT_KIND {
            return Err(Error::ReservedKind { kind: record.kind });
        }
        let len = len64(record.body.len());
        if len > u64::from(limit) {
            return Err(Error::BodyTooLong { len, limit });
        }
    }
    batch_len(records).map(drop)
}

/// How many records a batch has, if it may have so many and they may be so long.
fn batch_len(records: &[NewRecord<'_>]) -> Result<u16, Error> {
    let count = records.len();
    let batch_len = u16::try_from(count).unwrap_or(u16::MAX);
    if batch_len == 0 || batch_len > MAX_BATCH_RECORDS {
        return Err(Error::BatchLimit { records: count, len: 0 });
    }
    // Frames that would be too long together are not put together.
    let lens = records.iter().map(|record| u32::try_from(record.body.len()).unwrap_or(u32::MAX));
    let len = lens.map(frame_len).sum();
    if len > MAX_BATCH_LEN {
        return Err(Error::BatchLimit { records: count, len });
    }
    Ok(batch_len)
}
