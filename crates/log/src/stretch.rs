//! Consecutive frames of a segment, read at once and hashed together.

use std::io;
use std::ops::Range;

use crate::frame::{ALIGN, BLIND_LEN, FRAME_HEAD_LEN, FrameFault, FrameHead, SlotState};
use crate::hash::{LINK, PAYLOAD, RECORD, link_block, record_block};
use crate::hash_many::HashMany;
use crate::kind::{FIRST_EVENT_KIND, LogEvent};
use crate::layout::{len_usize, len64};
use crate::window::Window;
use crate::{Digest, Record};

/// Maximum number of frames verified together: more than fit into what is read at once,
/// so that a second stretch of a few does not fill its batches of hashes badly.
pub(crate) const FRAMES_MAX: usize = 1_024;
/// A stretch ends behind so many bytes: what was read is hashed while a core still holds it.
const BYTES_MAX: usize = 256 << 10;

/// Frames that follow each other, each checked by itself.
///
/// What is kept from one stretch to the next is only the room for it.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    frames: Vec<Checked>,
    /// Why nothing of what lies behind the frames can be believed, where that ends them.
    stop: Option<FrameFault>,
    hash: HashMany,
    payloads: Vec<Range<usize>>,
    payload_digests: Vec<Digest>,
    blocks: Vec<[u8; 64]>,
    digests: Vec<Digest>,
}

/// A frame of which the head holds.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    pub(crate) offset: u64,
    pub(crate) head: FrameHead,
    /// State of the slot, or why it cannot be believed.
    pub(crate) state: Result<SlotState, FrameFault>,
    /// Zero where the slot is bad or destroyed; none of this and the link is worked out
    /// where frames are only read.
    pub(crate) record_hash: Digest,
    /// Chain that is due behind the frame, given the one that the frame before stores.
    pub(crate) link: Digest,
}

impl Stretch {
    /// Reads on from `offset`, behind a frame that stores `chain`, and at most `frames_max` frames.
    ///
    /// Returns the bytes of the frames. None come only where the first has no sound head: then
    /// [`Stretch::stop`] says why.
    pub(crate) fn fill<'w>(
        &mut self,
        window: &'w mut Window,
        salt: u32,
        offset: u64,
        chain: &Digest,
        frames_max: usize,
    ) -> io::Result<&'w [u8]> {
        let bytes = self.read(window, salt, offset, frames_max)?;
        self.hash(bytes, chain);
        Ok(bytes)
    }

    /// Reads frames without a hash: neither payloads nor links are checked.
    pub(crate) fn read<'w>(
        &mut self,
        window: &'w mut Window,
        salt: u32,
        offset: u64,
        frames_max: usize,
    ) -> io::Result<&'w [u8]> {
        self.clear();
        let limit = window.limit();
        // The first frame is read to its end, however long it is.
        let bytes = window.from(offset, FRAME_HEAD_LEN)?;
        let first = FrameHead::decode(bytes, salt, limit.saturating_sub(offset));
        let first_len = first.map_or(FRAME_HEAD_LEN, |head| head.frame_len);
        let bytes = window.from(offset, first_len)?;
        let mut at = 0;
        while self.frames.len() < frames_max.min(FRAMES_MAX) && at < BYTES_MAX {
            let here = offset.saturating_add(len64(at));
            let rest = bytes.get(at..).unwrap_or_default();
            if at > 0 && here >= limit {
                break;
            }
            match self.take(rest, salt, here, limit, at) {
                Taken::Frame(len) => at = at.saturating_add(len).min(bytes.len()),
                Taken::Later => break,
                Taken::Not(fault) => {
                    self.stop = Some(fault);
                    break;
                }
            }
        }
        Ok(bytes.get(..at).unwrap_or(bytes))
    }

    pub(crate) fn frames(&self) -> &[Checked] {
        &self.frames
    }

    pub(crate) fn stop(&self) -> Option<FrameFault> {
        self.stop
    }

    /// Forgets the frames, so that the next ones are read anew.
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.stop = None;
        self.payloads.clear();
    }

    /// Takes in the frame that `rest` begins with.
    fn take(&mut self, rest: &[u8], salt: u32, offset: u64, limit: u64, at: usize) -> Taken {
        if !offset.is_multiple_of(ALIGN) {
            return Taken::Not(FrameFault::Magic);
        }
        let remaining = limit.saturating_sub(offset);
        let is_first = self.frames.is_empty();
        if !is_first && len64(rest.len()) < FRAME_HEAD_LEN.min(remaining) {
            return Taken::Later;
        }
        let head = match FrameHead::decode(rest, salt, remaining) {
            Ok(head) => head,
            Err(fault) => return Taken::Not(fault),
        };
        let frame_len = len_usize(head.frame_len);
        if !is_first && rest.len() < frame_len {
            return Taken::Later;
        }
        let frame = rest.get(..frame_len).unwrap_or(rest);
        let slot = frame.get(len_usize(FRAME_HEAD_LEN)..).unwrap_or_default();
        let state = head.check_slot(slot, salt);
        let (link, mut record_hash) = (Digest::default(), Digest::default());
        let mut payload = 0..0;
        match state {
            Ok(SlotState::Present) => {
                let start = at.saturating_add(len_usize(FRAME_HEAD_LEN));
                let len = BLIND_LEN.saturating_add(u64::from(head.header.payload_len));
                payload = start..start.saturating_add(len_usize(len));
            }
            // Until the payloads are hashed, the place of the record's hash holds what is known.
            Ok(SlotState::Erased) => {
                record_hash = slot.first_chunk().map_or_else(Digest::default, |d| Digest(*d));
            }
            Ok(SlotState::Destroyed) | Err(_) => {}
        }
        self.payloads.push(payload);
        self.frames.push(Checked { offset, head, state, record_hash, link });
        Taken::Frame(frame_len)
    }

    /// Hashes payloads, then records, then links.
    fn hash(&mut self, bytes: &[u8], chain: &Digest) {
        let Stretch { frames, hash, payloads, payload_digests, blocks, digests, .. } = self;
        let count = frames.len();
        let payload =
            |at| payloads.get(at).and_then(|range: &Range<usize>| bytes.get(range.clone()));
        hash.digests(&PAYLOAD, count, |at| payload(at).unwrap_or_default(), payload_digests);
        blocks.clear();
        for (frame, digest) in frames.iter().zip(payload_digests) {
            let payload_digest = match frame.state {
                Ok(SlotState::Erased) => frame.record_hash,
                Ok(SlotState::Present | SlotState::Destroyed) | Err(_) => *digest,
            };
            blocks.push(record_block(frame.head.header_bytes(), &payload_digest));
        }
        hash.digests(&RECORD, count, |at| block_at(blocks, at), digests);
        blocks.clear();
        let mut before = *chain;
        for (frame, digest) in frames.iter_mut().zip(digests.iter()) {
            frame.record_hash = match frame.state {
                Ok(SlotState::Present | SlotState::Erased) => *digest,
                Ok(SlotState::Destroyed) | Err(_) => Digest::default(),
            };
            blocks.push(link_block(&before, &frame.record_hash));
            before = frame.head.chain;
        }
        hash.digests(&LINK, count, |at| block_at(blocks, at), digests);
        for (frame, link) in frames.iter_mut().zip(digests) {
            frame.link = *link;
        }
    }
}

/// Result of reading the bytes that a frame was expected in.
enum Taken {
    /// A frame of this length, good or bad.
    Frame(usize),
    /// They are not all there; the next stretch begins with them.
    Later,
    Not(FrameFault),
}

impl Checked {
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.head.frame_len)
    }

    /// The slot, from the bytes of a file that begin at `start`.
    pub(crate) fn slot<'b>(&self, bytes: &'b [u8], start: u64) -> &'b [u8] {
        let from = self.offset.saturating_sub(start).saturating_add(FRAME_HEAD_LEN);
        let to = self.end().saturating_sub(start).min(len64(bytes.len()));
        bytes.get(len_usize(from)..len_usize(to)).unwrap_or_default()
    }

    /// The record in it, if its slot is sound.
    pub(crate) fn record(&self, slot: &[u8]) -> Option<Record> {
        let payload = self.head.payload(self.state.ok()?, slot)?;
        Some(Record::new(self.head.header, self.record_hash, self.head.chain, payload))
    }

    /// The log's own event in it, if it is one and its body is there.
    pub(crate) fn log_event(&self, slot: &[u8]) -> Option<LogEvent> {
        let header = &self.head.header;
        if header.kind >= FIRST_EVENT_KIND || self.state != Ok(SlotState::Present) {
            return None;
        }
        let body = slot.get(len_usize(BLIND_LEN)..)?.get(..len_usize(header.payload_len.into()))?;
        LogEvent::decode(header.kind, body).map(|(event, _)| event)
    }
}

fn block_at(blocks: &[[u8; 64]], at: usize) -> &[u8] {
    blocks.get(at).map_or(&[], |block| block.as_slice())
}
