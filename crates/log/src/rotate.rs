//! From one segment to the next: footer, sync, new file, rename.
//!
//! Invariants: 1. the space of a batch, and of a footer behind it, exists before the batch is
//! written, and the next segment's before the footer is, so that a full disk refuses a batch
//! and harms nothing; 2. a segment's name exists only when its header is durable; 3. a sealed
//! file is cut once, after its footer is durable, and never written again.

use std::io;
use std::sync::Arc;

use crate::footer::{FOOTER_MAGIC, Footer};
use crate::layout::{is_zero, len_usize, len64};
use crate::log::Log;
use crate::rng::random;
use crate::sealing::Sealing;
use crate::segment::Segment;
use crate::segment_header::{SEGMENT_HEADER_LEN, SegmentHeader};
use crate::storage::{Access, File, Storage};
use crate::stretch::{FRAMES_MAX, Stretch};
use crate::view::{End, View};
use crate::window::Window;
use crate::writer::{Room, Writer};
use crate::{Digest, Error, Seq};

pub(crate) const PREPARED_NAME: &str = "next.tmp";
pub(crate) const RESERVE_NAME: &str = "reserve";

/// Zeros are written in pieces of this length.
///
/// The page cache holds a piece as one folio, and goes over all of a folio's blocks for every
/// write into it: a frame of 704 bytes takes 1.4 microseconds in one of 1 MiB and 0.7 in one
/// of 256 KiB. In shorter ones the zeros themselves take longer.
const ZEROS_LEN: u64 = 256 << 10;
/// Capacities are whole blocks.
const CAPACITY_STEP: u64 = 4_096;
/// A segment's file grows by this part of its capacity.
const GROWTH_PART: u64 = 16;
/// By so much at most: that part of the usual 64 MiB.
const GROWTH_MAX: u64 = 4 << 20;

const _: () = assert!(FOOTER_MAGIC.len() == 4);

/// The next segment's file: its first zeros, synced, without a header.
#[derive(Debug)]
pub(crate) struct Prepared {
    identity: u64,
    capacity: u64,
    file: Arc<dyn File>,
}

/// The capacity of segment `number` that must be able to hold a batch of `batch_len`.
pub(crate) fn capacity_for(lens: &[u64; 4], number: u64, batch_len: u64) -> u64 {
    let index = usize::try_from(number).unwrap_or(usize::MAX).min(lens.len() - 1);
    let usual = lens.get(index).copied().unwrap_or(CAPACITY_STEP);
    usual.next_multiple_of(CAPACITY_STEP).max(least_capacity(batch_len))
}

fn least_capacity(batch_len: u64) -> u64 {
    let mut capacity = CAPACITY_STEP;
    while !holds(capacity, SEGMENT_HEADER_LEN, batch_len) {
        capacity = (capacity + 1).max(batch_len).next_multiple_of(CAPACITY_STEP);
    }
    capacity
}

/// Whether a batch fits behind `offset` with room left for the footer.
fn holds(capacity: u64, offset: u64, batch_len: u64) -> bool {
    let needed = offset.saturating_add(batch_len).saturating_add(Footer::room(capacity));
    needed <= capacity
}

impl Writer<'_> {
    /// Sees to it that a batch fits into the last segment, and that there is space for it.
    pub(crate) fn make_room(&mut self, batch_len: u64, room: Room) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        let fits = holds(active.header.capacity, self.view.end.offset, batch_len);
        if !fits || active.is_sealed() {
            match self.view.end.expect.next == active.header.base.0 {
                true => self.replace_empty(batch_len, room)?,
                false => self.rotate(batch_len, room)?,
            }
        }
        self.grow(batch_len, room)
    }

    /// Sees to it that the last segment's file has space for a batch and a footer.
    ///
    /// They are written over zeros, so that a sync of them has no space to note.
    fn grow(&mut self, batch_len: u64, room: Room) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        let capacity = active.header.capacity;
        let end = self.view.end.offset.saturating_add(batch_len);
        let needed = end.saturating_add(Footer::room(end));
        let file = self.active_file()?;
        if self.gate.active_len() >= needed {
            return Ok(());
        }
        let len = self.measure_active()?;
        let to = needed.next_multiple_of(growth(capacity)).min(capacity);
        // Behind the end of the file nobody has written anything.
        let written = match zeros(&file, len, to) {
            Err(error) if is_full(&error) && room == Room::Urgent => {
                let storage = self.log.env.storage.as_ref();
                storage.remove(RESERVE_NAME).map_err(Error::io("remove", RESERVE_NAME))?;
                zeros(&file, len, needed)
            }
            written => written,
        };
        written.map_err(|error| match is_full(&error) {
            true => Error::NoSpace { needed: needed.saturating_sub(len) },
            false => Error::io("extend", &active.name)(error),
        })?;
        self.measure_active().map(drop)
    }

    /// Seals the last segment, unless it is sealed, and begins the next one.
    pub(crate) fn rotate(&mut self, batch_len: u64, room: Room) -> Result<(), Error> {
        let number = self.view.active()?.header.number.saturating_add(1);
        let prepared = self.prepare(number, batch_len, room)?;
        self.grow(0, room)?;
        self.guarded(|writer| {
            let loss = writer.view.active()?.footer.as_ref().is_some_and(|(footer, _)| footer.loss);
            let sealed = writer.view.active()?.is_sealed();
            if !(sealed && crate::planted!("footer-not-rewritten")) {
                writer.seal(loss)?;
            }
            if !loss {
                writer.mark_synced()?;
                writer.turn_mark()?;
            }
            writer.begin_segment(number, prepared)
        })?;
        self.publish();
        self.keep_reserve();
        Ok(())
    }

    /// Writes the footer and cuts the file behind it.
    ///
    /// A footer that stands there already is written again: whoever put it there
    /// may have died before its sync.
    pub(crate) fn seal(&mut self, loss: bool) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        let end = self.view.end;
        let identity = active.identity()?;
        let gathered = self.gate.sealing.take().filter(|sealing| sealing.is_of(identity, &end));
        let sealing = gathered.map_or_else(|| summarize(&active, end), Ok)?;
        let footer = Footer {
            count: end.expect.next.saturating_sub(active.header.base.0),
            first: active.header.base,
            last: Seq(end.expect.next.saturating_sub(1)),
            chain: end.expect.chain,
            byte_hash: sealing.byte_hash(),
            loss,
            dense: true,
            sparse: sealing.into_sparse(),
        };
        assert!(footer.count > 0, "a sealed segment holds at least one batch");
        let (name, file) = (&active.name, self.active_file()?);
        let bytes = footer.encode(active.header.salt);
        let file_end = end.offset.saturating_add(len64(bytes.len()));
        file.write_at(&bytes, end.offset).map_err(Error::io("write", name))?;
        if !crate::planted!("footer-unsynced") {
            file.sync_data().map_err(Error::io("sync", name))?;
        }
        file.set_len(file_end).map_err(Error::io("cut", name))?;
        if !crate::planted!("footer-unsynced") {
            file.sync_data().map_err(Error::io("sync", name))?;
        }
        let sealed = Segment::new(active.header, active.file.clone(), Some((footer, end.offset)));
        self.view.replace_active(sealed);
        Ok(())
    }

    /// Gives the prepared file its header and its name.
    pub(crate) fn begin_segment(&mut self, number: u64, prepared: Prepared) -> Result<(), Error> {
        let end = self.view.end.expect;
        let header = new_header(self.log, number, end.seq(), end.chain, prepared.capacity)?;
        let storage = self.log.env.storage.as_ref();
        let segment = put_segment(storage, &header, &[], &prepared.file)?;
        self.gate.prepared = None;
        self.gate.named = Some(number);
        let end = End { expect: end, offset: SEGMENT_HEADER_LEN };
        self.gate.sealing = Some(Sealing::begin(segment.identity()?, &header.encode(), end));
        self.view.push(segment);
        self.view.end = end;
        Ok(())
    }

    /// Puts a larger file in the place of a last segment without records.
    fn replace_empty(&mut self, batch_len: u64, room: Room) -> Result<(), Error> {
        let number = self.view.active()?.header.number;
        let prepared = self.prepare(number, batch_len, room)?;
        self.guarded(|writer| {
            writer.view.pop();
            writer.begin_segment(number, prepared)
        })?;
        self.publish();
        Ok(())
    }

    /// Makes the file of the next segment ready, or finds it so.
    pub(crate) fn prepare(
        &mut self,
        number: u64,
        batch_len: u64,
        room: Room,
    ) -> Result<Prepared, Error> {
        let lens = &self.log.options.segment_lens;
        let usual = capacity_for(lens, number, batch_len);
        let storage = self.log.env.storage.clone();
        if let Some(ready) = self.gate.prepared.take()
            && ready.capacity >= least_capacity(batch_len)
            && storage.file_identity(PREPARED_NAME).is_ok_and(|named| named == ready.identity)
        {
            return Ok(ready);
        }
        match prepare_file(storage.as_ref(), usual) {
            Err(Error::NoSpace { .. }) if room == Room::Urgent => {
                storage.remove(RESERVE_NAME).map_err(Error::io("remove", RESERVE_NAME))?;
                prepare_file(storage.as_ref(), least_capacity(batch_len))
            }
            prepared => prepared,
        }
    }

    /// Prepares the next segment once three quarters of this one are used.
    pub(crate) fn prepare_ahead(&mut self) {
        let Ok(active) = self.view.active().cloned() else { return };
        let late = self.view.end.offset > active.header.capacity / 4 * 3;
        if !late || self.gate.prepared.is_some() || self.gate.prepare_failed {
            return;
        }
        let number = active.header.number.saturating_add(1);
        match self.prepare(number, 0, Room::Ordinary) {
            Ok(prepared) => self.gate.prepared = Some(prepared),
            Err(error) => {
                self.gate.prepare_failed = true;
                tracing::warn!(%error, "the next segment could not be prepared");
            }
        }
    }

    /// Sets space aside for a full disk; without it the log works all the same.
    pub(crate) fn keep_reserve(&mut self) {
        self.gate.prepare_failed = false;
        self.log.keep_reserve();
    }
}

impl Log {
    /// Sets space aside for a full disk; without it the log works all the same.
    pub(crate) fn keep_reserve(&self) {
        if let Err(error) = reserve(self.env.storage.as_ref(), self.options.reserve_len) {
            tracing::warn!(%error, "no space could be set aside");
        }
    }
}

fn reserve(storage: &dyn Storage, len: u64) -> io::Result<()> {
    let file = storage.open(RESERVE_NAME, Access::Create)?;
    if len > 0 && file.len()? != len {
        file.reserve(len).inspect_err(|_| {
            // A reserve of a wrong length would be taken for a whole one.
            let _ = storage.remove(RESERVE_NAME);
        })?;
    }
    Ok(())
}

pub(crate) fn new_header(
    log: &crate::log::Log,
    number: u64,
    base: Seq,
    prev_chain: Digest,
    capacity: u64,
) -> Result<SegmentHeader, Error> {
    let salt = random(log.env.rng.as_ref()).map_err(Error::io("read", "randomness"))?;
    let salt = u32::from_le_bytes(salt);
    Ok(SegmentHeader { ledger: log.ledger, number, base, capacity, salt, prev_chain })
}

/// Writes header and frames into the prepared file and gives it its name.
pub(crate) fn put_segment(
    storage: &dyn Storage,
    header: &SegmentHeader,
    frames: &[u8],
    prepared: &Arc<dyn File>,
) -> Result<Segment, Error> {
    let bytes = [header.encode().as_slice(), frames].concat();
    prepared.write_at(&bytes, 0).map_err(Error::io("write", PREPARED_NAME))?;
    if !crate::planted!("segment-header-unsynced") {
        prepared.sync_data().map_err(Error::io("sync", PREPARED_NAME))?;
    }
    let name = crate::segment::segment_name(header.number);
    storage.rename(PREPARED_NAME, &name).map_err(Error::io("rename", PREPARED_NAME))?;
    if !crate::planted!("folder-sync-skipped") {
        storage.sync_folder("").map_err(Error::io("sync", "the folder"))?;
    }
    let file = storage.open(&name, Access::Read).map_err(Error::io("open", &name))?;
    Ok(Segment::new(*header, file, None))
}

/// Writes the first zeros of a segment of this capacity and syncs them.
pub(crate) fn prepare_file(storage: &dyn Storage, capacity: u64) -> Result<Prepared, Error> {
    zeroed_file(storage, capacity).map_err(|error| {
        if !is_full(&error) {
            return Error::io("prepare", PREPARED_NAME)(error);
        }
        // What was written of it would only keep the disk full.
        let _ = storage.remove(PREPARED_NAME);
        Error::NoSpace { needed: growth(capacity) }
    })
}

/// Whether the disk, or what the user may hold of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn zeroed_file(storage: &dyn Storage, capacity: u64) -> io::Result<Prepared> {
    let mut file = storage.open(PREPARED_NAME, Access::Create)?;
    let mut len = file.len()?;
    if !crate::planted!("prepared-segment-unchecked") && !holds_zeros(&file, len)? {
        file = storage.open(PREPARED_NAME, Access::Fresh)?;
        len = 0;
    }
    zeros(&file, len, growth(capacity))?;
    file.sync_data()?;
    Ok(Prepared { identity: file.identity()?, capacity, file })
}

/// By how much the file of a segment of this capacity grows.
fn growth(capacity: u64) -> u64 {
    // A header may name any capacity.
    (capacity / GROWTH_PART).clamp(CAPACITY_STEP, GROWTH_MAX).next_multiple_of(CAPACITY_STEP)
}

/// Writes zeros from `from` to `to`.
pub(crate) fn zeros(file: &Arc<dyn File>, from: u64, to: u64) -> io::Result<()> {
    let zeros = vec![0; len_usize(ZEROS_LEN.min(to.saturating_sub(from)))];
    let mut at = from;
    while at < to {
        let step = zeros.get(..len_usize(to - at)).unwrap_or(&zeros);
        file.write_at(step, at)?;
        at = at.saturating_add(len64(step.len()));
    }
    Ok(())
}

impl Prepared {
    pub(crate) fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }
}

fn holds_zeros(file: &Arc<dyn File>, len: u64) -> io::Result<bool> {
    let mut buffer = vec![0; len_usize(ZEROS_LEN.min(len))];
    let mut at = 0;
    while at < len {
        let read = file.read_at(&mut buffer, at)?;
        if read == 0 || !is_zero(buffer.get(..read).unwrap_or_default()) {
            return Ok(false);
        }
        at = at.saturating_add(len64(read));
    }
    Ok(true)
}

/// What a footer behind `end` says of the segment, which is read for it.
fn summarize(segment: &Segment, end: End) -> Result<Sealing, Error> {
    let mut window = segment.window(end.offset, false);
    let io = || Error::io("read", &segment.name);
    let header = checked_header(segment, &mut window)?;
    let mut sealing = Sealing::begin(segment.identity()?, header, end);
    let (mut offset, mut seq) = (SEGMENT_HEADER_LEN, segment.header.base);
    let (salt, mut stretch) = (segment.header.salt, Stretch::default());
    while offset < end.offset {
        // What is hashed is what was checked: a second reading could be another one.
        let bytes = stretch.read(&mut window, salt, offset, FRAMES_MAX).map_err(io())?;
        for frame in stretch.frames() {
            frame.state.map_err(|fault| Error::frame(&segment.name, offset, seq, fault))?;
            (offset, seq) = (frame.end(), seq.next());
        }
        if let Some(fault) = stretch.stop() {
            return Err(Error::frame(&segment.name, offset, seq, fault));
        }
        let places = stretch.frames().iter().map(|frame| (frame.head.header.seq, frame.offset));
        sealing.push(bytes, places, end);
    }
    Ok(sealing)
}

/// The header's bytes, if they are still those that the segment was opened with.
pub(crate) fn checked_header<'a>(
    segment: &Segment,
    window: &'a mut Window,
) -> Result<&'a [u8], Error> {
    let bytes = window.get(0, SEGMENT_HEADER_LEN).map_err(Error::io("read", &segment.name))?;
    if bytes != segment.header.encode() {
        return Err(Error::Corrupt {
            file: segment.name.clone(),
            offset: 0,
            seq: None,
            what: "the header is not the one it was opened with",
        });
    }
    Ok(bytes)
}

impl View {
    pub(crate) fn push(&mut self, segment: Segment) {
        let mut segments: Vec<_> = self.segments.as_ref().clone();
        segments.push(Arc::new(segment));
        self.segments = Arc::new(segments);
    }

    fn pop(&mut self) {
        let mut segments: Vec<_> = self.segments.as_ref().clone();
        segments.pop();
        self.segments = Arc::new(segments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, FaultKind, MemoryDisk};

    #[test]
    fn a_capacity_is_whole_blocks_and_holds_header_batch_and_footer() {
        let lens = [4_096, 8_192, 10_000, 16_384];
        let cases = [
            (0, 0, 4_096),
            (1, 0, 8_192),
            (2, 0, 12_288),
            (3, 0, 16_384),
            (9, 0, 16_384),
            (u64::MAX, 0, 16_384),
            // 128 of the header, 144 of the footer and its one offset.
            (0, 4_096 - 272, 4_096),
            (0, 4_096 - 271, 8_192),
            (0, 16_384 - 272, 16_384),
            // One more offset.
            (0, 20_480 - 288, 20_480),
            (0, 20_480 - 287, 24_576),
        ];
        for (number, batch_len, capacity) in cases {
            assert_eq!(capacity_for(&lens, number, batch_len), capacity, "{number} {batch_len}");
        }
        assert!(holds(4_096, 1_000, 4_096 - 1_144) && !holds(4_096, 1_000, 4_096 - 1_143));
    }

    #[test]
    fn what_is_set_aside_is_as_long_as_it_should_be_or_not_there() {
        let disk = MemoryDisk::new();
        let storage = disk.process();
        let len = || disk.bytes(RESERVE_NAME).map(|bytes| bytes.len());
        reserve(&storage, 8_192).unwrap();
        assert_eq!(len(), Some(8_192));
        // Who sets nothing aside leaves what others did.
        disk.set_fault(None);
        reserve(&storage, 0).unwrap();
        assert_eq!((len(), disk.operations()), (Some(8_192), 0));
        reserve(&storage, 8_192).unwrap();
        assert_eq!(disk.operations(), 0, "it is there already");
        reserve(&storage, 4_096).unwrap();
        assert_eq!(len(), Some(4_096));
        disk.set_fault(Some(Fault { at: 0, kind: FaultKind::Fail(io::ErrorKind::StorageFull) }));
        reserve(&storage, 8_192).unwrap_err();
        assert_eq!(len(), None);
    }

    #[test]
    fn a_prepared_file_is_zeros_whatever_it_held() {
        let first = ZEROS_LEN * 2 + 4_096;
        assert_eq!((growth(0), growth(u64::MAX)), (CAPACITY_STEP, GROWTH_MAX));
        let capacity = first * GROWTH_PART;
        let long = len_usize(first);
        let mut late = vec![0; long];
        late[long - 1] = 1;
        let held_zeros = |len: u64| vec![0; len_usize(len)];
        let cases = [
            (vec![], first),
            (vec![7; 100], first),
            (late, first),
            (held_zeros(4_096), first),
            // One that is long enough is not written again.
            (held_zeros(first + 4_096), first + 4_096),
        ];
        for (case, (held, len)) in cases.into_iter().enumerate() {
            let disk = MemoryDisk::new();
            disk.set_bytes(PREPARED_NAME, held);
            let storage = disk.process();
            let prepared = prepare_file(&storage, capacity).unwrap();
            assert_eq!(prepared.capacity(), capacity, "{case}");
            assert_eq!(storage.file_identity(PREPARED_NAME).unwrap(), prepared.identity, "{case}");
            let cut = disk.after_power_cut().bytes(PREPARED_NAME).unwrap();
            assert!(len64(cut.len()) == len && is_zero(&cut), "{case}");
        }
    }
}
