//! From one segment to the next: footer, sync, new file, rename.
//!
//! Invariants: 1. the space of a batch, and of a footer behind it, exists before the batch is
//! written, and the next segment's before the footer is, so that a full disk refuses a batch
//! and harms nothing; 2. a segment's name exists only when its header is durable; 3. a sealed
//! file is cut once, after its footer is durable, and never written again.

use std::sync::Arc;

use crate::footer::{FOOTER_MAGIC, Footer};
use crate::layout::len64;
use crate::log::Log;
use crate::rng::random;
use crate::sealing::{Sealing, summarize};
use crate::segment::Segment;
use crate::segment_header::{SEGMENT_HEADER_LEN, SegmentHeader};
use crate::space::{PREPARED_NAME, Prepared};
use crate::storage::{Access, File, Storage};
use crate::view::{End, View};
use crate::writer::{Room, Writer};
use crate::{Digest, Error, Seq};

/// Capacities are whole blocks.
pub(crate) const CAPACITY_STEP: u64 = 4_096;
const _: () = assert!(FOOTER_MAGIC.len() == 4);

/// The capacity of segment `number` that must be able to hold a batch of `batch_len`.
pub(crate) fn capacity_for(lens: &[u64; 4], number: u64, batch_len: u64) -> u64 {
    let index = usize::try_from(number).unwrap_or(usize::MAX).min(lens.len() - 1);
    let usual = lens.get(index).copied().unwrap_or(CAPACITY_STEP);
    usual.next_multiple_of(CAPACITY_STEP).max(least_capacity(batch_len))
}

pub(crate) fn least_capacity(batch_len: u64) -> u64 {
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

    /// Seals the last segment, unless it is sealed, and begins the next one.
    pub(crate) fn rotate(&mut self, batch_len: u64, room: Room) -> Result<(), Error> {
        let number = self.view.active()?.header.number.saturating_add(1);
        let prepared = self.prepare(number, batch_len, room)?;
        self.grow(0, room)?;
        self.guarded(|writer| {
            let loss = writer.view.active()?.footer.as_ref().is_some_and(|(footer, _)| footer.loss);
            writer.seal(loss)?;
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
        file.sync_data().map_err(Error::io("sync", name))?;
        file.set_len(file_end).map_err(Error::io("cut", name))?;
        file.sync_data().map_err(Error::io("sync", name))?;
        let sealed = Segment::new(active.header, active.file.clone(), Some((footer, end.offset)));
        self.view.replace_active(sealed);
        Ok(())
    }

    /// Gives the prepared file its header and its name.
    pub(crate) fn begin_segment(&mut self, number: u64, prepared: Prepared) -> Result<(), Error> {
        let end = self.view.end.expect;
        let header = new_header(self.log, number, end.seq(), end.chain, prepared.capacity())?;
        let storage = self.log.env.storage.as_ref();
        let segment = put_segment(storage, &header, &[], prepared.file())?;
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
}

pub(crate) fn new_header(
    log: &Log,
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
    prepared.sync_data().map_err(Error::io("sync", PREPARED_NAME))?;
    let name = crate::segment::segment_name(header.number);
    storage.rename(PREPARED_NAME, &name).map_err(Error::io("rename", PREPARED_NAME))?;
    storage.sync_folder("").map_err(Error::io("sync", "the folder"))?;
    let file = storage.open(&name, Access::Read).map_err(Error::io("open", &name))?;
    Ok(Segment::new(*header, file, None))
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
}
